"""The configured policy of the authorization server."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Policy:
    """URIs, secret, trusted publishers and lifetimes.

    `resource` is the canonical URI of the protected resource. Documents at the hosts of
    `known_publishers` are trusted about their clients.
    """

    issuer: str
    resource: str
    token_secret: str
    known_publishers: frozenset[str] = frozenset()
    code_lifetime: timedelta = timedelta(seconds=60)
    access_lifetime: timedelta = timedelta(hours=1)
    refresh_lifetime: timedelta = timedelta(days=60)
    grant_lifetime: timedelta = timedelta(days=180)
    pushed_lifetime: timedelta = timedelta(seconds=90)
    opened_lifetime: timedelta = timedelta(minutes=15)
    grace: timedelta = timedelta(seconds=30)
    step_up: timedelta = timedelta(seconds=30)
    """Time after a refusal for a scope in which a refresh is taken for an attempt to get it."""
    device_lifetime: timedelta = timedelta(minutes=15)
    device_interval: timedelta = timedelta(seconds=5)
