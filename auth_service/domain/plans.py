"""Plans: the features, scopes and limits of an account. The limits are configurable."""

from dataclasses import dataclass
from typing import Final

API_KEYS: Final = "api_keys"
CHANNEL_IMPORT: Final = "channel_import"
ALERTS: Final = "alerts"
FREE: Final = "free"


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan. A bucket of `burst_requests` is refilled at `burst_refill_per_second`.

    With `concurrent_streams` 0, each gateway's own limit holds.
    """

    plan_id: str
    name: str
    monthly_requests: int
    burst_requests: int
    burst_refill_per_second: float
    features: tuple[str, ...]
    scopes: tuple[str, ...]
    concurrent_imports: int = 0
    concurrent_streams: int = 0
    watches: int = 0
    followed_channels: int = 0

    def has(self, feature: str) -> bool:
        return feature in self.features


_READ: Final = ("catalog:read", "account:read")
_ALL: Final = (*_READ, "channels:import")

DEFAULT_PLANS: Final = (
    Plan(FREE, "Free", 30, 30, 2.0, (), _READ),
    Plan(
        "creator",
        "Creator",
        1_000,
        300,
        30.0,
        (API_KEYS, CHANNEL_IMPORT, ALERTS),
        _ALL,
        2,
        watches=20,
        followed_channels=200,
    ),
    Plan(
        "creator_agent",
        "Creator with Agent",
        10_000,
        500,
        50.0,
        (API_KEYS, CHANNEL_IMPORT, ALERTS),
        _ALL,
        concurrent_imports=5,
        watches=200,
        followed_channels=2_000,
    ),
)
