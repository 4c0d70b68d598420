"""The resources: content that an application can give a model without a tool call."""

from gateway.resources._resource import Resource
from gateway.resources.account import usage
from gateway.resources.alerts import ALERTS, alerts, alerts_address, alerts_of_watch
from gateway.resources.entities import category, sponsor, youtuber
from gateway.resources.registry import ResourceCatalogue, UnknownResource

__all__ = [
    "ALERTS",
    "Resource",
    "ResourceCatalogue",
    "UnknownResource",
    "alerts_address",
    "all_resources",
]


def all_resources() -> tuple[Resource, ...]:
    """Every resource, in the order in which they are listed."""
    return (usage, alerts, sponsor, youtuber, category, alerts_of_watch)
