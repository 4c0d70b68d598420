"""All resources together: found by the address that a client reads."""

import re
from collections.abc import Iterable
from urllib.parse import unquote

from gateway.resources._resource import VARIABLE, Resource
from servicekit.errors import NotFound


class UnknownResource(NotFound):
    """No resource has this address; the message has those that there are."""


class ResourceCatalogue:
    """The resources that a gateway offers, in the order in which they are listed."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self._resources = tuple(resources)
        self._forms = [(_form(resource.address), resource) for resource in self._resources]

    @property
    def resources(self) -> tuple[Resource, ...]:
        return tuple(resource for resource in self._resources if not resource.is_template)

    @property
    def templates(self) -> tuple[Resource, ...]:
        return tuple(resource for resource in self._resources if resource.is_template)

    def find(self, uri: str) -> tuple[Resource, str]:
        """The resource of this address, and what stands in place of its variable, decoded.

        Raises:
            UnknownResource: There is none.
        """
        for form, found in self._forms:
            match = form.fullmatch(uri)
            if match is not None:
                return found, unquote(match["id"]) if found.is_template else ""
        known = ", ".join(resource.address for resource in self._resources)
        raise UnknownResource(f"There is no resource {uri[:120]}. There are {known}.")

    def by_address(self, address: str) -> Resource | None:
        """The resource with this address or template, or whose template the address fills."""
        for resource in self._resources:
            if resource.address == address:
                return resource
        try:
            return self.find(address)[0]
        except UnknownResource:
            return None


def _form(address: str) -> re.Pattern[str]:
    before, variable, after = address.partition(VARIABLE)
    middle = "(?P<id>[^/?#]+)" if variable else ""
    return re.compile(re.escape(before) + middle + re.escape(after))
