"""From the `Authorization` header to a verified caller, and the challenge for those without."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import parse_qsl

from gateway.domain.ports import TokenVerifier
from gateway.domain.principal import Principal
from gateway.mcp_face.http import Request
from servicekit.errors import Unauthenticated

_QUERY_NAMES: Final = frozenset(
    {"access_token", "api_key", "apikey", "authorization", "key", "token"}
)
_LONGEST_TOKEN: Final = 8192


class Authenticator:
    """Asks the verifier of the token's kind.

    Args:
        verifiers: One for each kind of token.
        metadata_url: Where clients learn how to get one (RFC 9728).
        default_scope: What a first login should ask for.
    """

    def __init__(
        self, verifiers: Sequence[TokenVerifier], metadata_url: str, default_scope: str
    ) -> None:
        self._verifiers = tuple(verifiers)
        self._metadata_url = metadata_url
        self._default_scope = default_scope

    async def principal(self, request: Request) -> Principal:
        """Who calls.

        Raises:
            Unauthenticated: No token, or one that does not hold.
            Unavailable: That cannot be told now.
        """
        token = _bearer(request)
        for verifier in self._verifiers:
            if verifier.recognises(token):
                return await verifier.verify(token)
        raise Unauthenticated(
            "This is not a credential of this service. API keys begin with mcp_.", "TOKEN_UNKNOWN"
        )

    def challenge(self, error: Unauthenticated) -> bytes:
        """`WWW-Authenticate` for a caller who must authenticate (RFC 6750)."""
        if error.reason == "NO_CREDENTIAL":
            return self._challenge("", self._default_scope)
        return self._challenge('error="invalid_token", ', self._default_scope)

    def scope_challenge(self, needed: str) -> bytes:
        """`WWW-Authenticate` for a caller whose token lacks a scope."""
        return self._challenge('error="insufficient_scope", ', needed)

    def _challenge(self, error: str, scope: str) -> bytes:
        return f'Bearer {error}resource_metadata="{self._metadata_url}", scope="{scope}"'.encode()


def _names_credential(query: bytes) -> bool:
    names = {name.lower() for name, _ in parse_qsl(query.decode("latin-1"))}
    return bool(names & _QUERY_NAMES)


def _bearer(request: Request) -> str:
    # A URL ends up in logs and histories, so a credential in it is never accepted.
    if request.query and _names_credential(request.query):
        raise Unauthenticated(
            "Send the credential in the header `Authorization: Bearer …`, never in the URL. "
            "Revoke this one: URLs are kept in logs.",
            "CREDENTIAL_IN_URL",
        )
    header = request.header(b"authorization")
    if not header:
        raise Unauthenticated(
            "This service needs a credential: connect by OAuth, or send an API key in the header "
            "`Authorization: Bearer mcp_…`.",
            "NO_CREDENTIAL",
        )
    scheme, _, token = header.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token or len(token) > _LONGEST_TOKEN:
        raise Unauthenticated(
            "The header must read `Authorization: Bearer ` followed by one credential.",
            "CREDENTIAL_MALFORMED",
        )
    return token
