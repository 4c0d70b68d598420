"""Login by another site that vouches for an address."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Identity:
    """Who somebody is in the eyes of another site, with an address that it has checked."""

    provider: str
    email: str


@dataclass(frozen=True, slots=True)
class Start:
    """A login that has begun: where to send the browser, and what has to come back."""

    url: str
    state: str
    verifier: str


class Provider(Protocol):
    """Such a site."""

    @property
    def provider_id(self) -> str: ...

    @property
    def label(self) -> str: ...

    def start(self, callback: str) -> Start:
        """Begin a login that returns to `callback`."""
        ...

    async def finish(self, callback: str, code: str, verifier: str) -> Identity:
        """Exchange the code for the identity of the person who logged in.

        Raises:
            Unauthenticated: The provider refuses the code or knows no checked address.
            Unavailable: The provider does not answer.
        """
        ...
