"""Ports of authentication: `clients` and `storage` implement them, tests have fakes."""

from collections.abc import Sequence
from typing import Any, Protocol

from gateway.authentication.principal import Principal


class CredentialResolver(Protocol):
    """Resolves credentials to the principals behind them."""

    async def resolve_key(self, key_sha256: bytes) -> Principal:
        """Return the holder of the API key with this SHA-256.

        Raises:
            Unauthenticated: No such key, or it does not hold now; the message says why.
            Unavailable: The auth service does not answer in time.
        """
        ...

    async def resolve_grant(self, grant_id: str) -> Principal:
        """Return the holder of this OAuth grant. The caller has verified the token that names it.

        Raises:
            Unauthenticated: The grant was ended; the message says so.
            Unavailable: The auth service does not answer in time.
        """
        ...


class AuthorizationServer(Protocol):
    """The documents that the authorization server publishes."""

    async def signing_keys(self) -> Any:
        """Return the JWK set of the authorization server (RFC 7517), as an object."""
        ...

    async def issuer_metadata(self) -> Any:
        """Return the metadata of the authorization server (RFC 8414), as an object."""
        ...


class AuthService(CredentialResolver, AuthorizationServer, Protocol):
    """The auth service: it resolves credentials, and is the authorization server."""


class ConsentReporter(Protocol):
    """Tells the authorization server that a client needs more consent of its user."""

    async def require_consent(self, credential_id: str, needed: Sequence[str]) -> None:
        """Have the next refresh of this OAuth grant answered by the need of a new authorization.

        Nothing happens if the grant has the needed scopes, or the credential is no grant.

        Raises:
            Unavailable: The auth service does not answer in time.
        """
        ...


class TokenVerifier(Protocol):
    """Verifies one kind of bearer token."""

    def recognises(self, token: str) -> bool:
        """Return whether the token is of this verifier's kind, judged by its form alone."""
        ...

    async def verify(self, token: str) -> Principal:
        """Return the holder of the token.

        Raises:
            Unauthenticated: The token does not hold; the message says why.
            Unavailable: That cannot be found out now.
        """
        ...


class ProofStore(Protocol):
    """Remembers which proofs were used (RFC 9449 section 11.1), for all gateways."""

    async def add(self, use_id: bytes, seconds: float) -> bool:
        """Store the use of a proof for that long; return false if it was stored already.

        Raises:
            Unavailable: It does not answer.
        """
        ...
