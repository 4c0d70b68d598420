"""Ports of login by another site."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Identity:
    """A person's identity at a provider, with an address that the provider has verified."""

    provider: str
    email: str


@dataclass(frozen=True, slots=True)
class Start:
    """A started login: the URL to redirect to, the expected state and the PKCE verifier."""

    url: str
    state: str
    verifier: str


class Provider(Protocol):
    """A site that people can log in with."""

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
            Unauthenticated: The provider refuses the code or has no verified address.
            Unavailable: The provider does not respond.
        """
        ...
