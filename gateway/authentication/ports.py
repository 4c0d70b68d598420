"""What authentication needs from outside; `clients` and `storage` have it, tests have fakes."""

from typing import Any, Protocol

from gateway.authentication.principal import Principal


class CredentialResolver(Protocol):
    """Resolves credentials to the principals behind them."""

    async def resolve_key(self, key_sha256: bytes) -> Principal:
        """Who holds the API key with this SHA-256.

        Raises:
            Unauthenticated: No such key, or it does not hold now; the message says why.
            Unavailable: The auth service does not answer in time.
        """
        ...

    async def resolve_grant(self, grant_id: str) -> Principal:
        """Whose this OAuth grant is. The caller has verified the token that names it.

        Raises:
            Unauthenticated: The grant was ended; the message says so.
            Unavailable: The auth service does not answer in time.
        """
        ...


class AuthorizationServer(Protocol):
    """The documents that the authorization server publishes."""

    async def signing_keys(self) -> Any:
        """The JWK set of the authorization server (RFC 7517), as an object."""
        ...

    async def issuer_metadata(self) -> Any:
        """The metadata of the authorization server (RFC 8414), as an object."""
        ...


class AuthService(CredentialResolver, AuthorizationServer, Protocol):
    """Both, as the auth service is."""


class TokenVerifier(Protocol):
    """Verifies one kind of bearer token."""

    def recognises(self, token: str) -> bool:
        """Whether the token is of this verifier's kind, told by its form alone."""
        ...

    async def verify(self, token: str) -> Principal:
        """Who the token speaks for.

        Raises:
            Unauthenticated: The token does not hold; the message says why.
            Unavailable: That cannot be told now.
        """
        ...


class ProofStore(Protocol):
    """Remembers which proofs were used (RFC 9449 section 11.1), for all gateways."""

    async def add(self, use_id: bytes, seconds: float) -> bool:
        """Remembers a proof for that long; false when it was remembered already.

        Raises:
            Unavailable: It does not answer.
        """
        ...
