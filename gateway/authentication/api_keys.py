"""Personal API keys: known to the gateway by their hash alone."""

import hashlib
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from gateway.authentication.credentials import Credentials
from gateway.authentication.ports import CredentialResolver
from gateway.authentication.principal import Principal
from servicekit.errors import Unauthenticated

_FORM: Final = re.compile(r"mcp_[A-Za-z0-9_-]{16,128}")


class ApiKeys:
    """A `TokenVerifier` of personal API keys."""

    def __init__(
        self,
        access: CredentialResolver,
        credentials: Credentials,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._access = access
        self._credentials = credentials
        self._now = now

    def recognises(self, token: str) -> bool:
        return token.startswith("mcp_")

    async def verify(self, token: str) -> Principal:
        if _FORM.fullmatch(token) is None:
            raise Unauthenticated(
                "This is not a complete API key. Copy it again, without spaces or quotes.",
                "KEY_UNKNOWN",
            )
        digest = hashlib.sha256(token.encode()).digest()
        principal = await self._credentials.get(digest, lambda: self._access.resolve_key(digest))
        if principal.expires_at is not None and principal.expires_at <= self._now():
            raise Unauthenticated(
                "This API key has expired. Create a new one on your account page.", "KEY_EXPIRED"
            )
        return principal
