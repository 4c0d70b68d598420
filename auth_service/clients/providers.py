"""OAuth login by Google or GitHub, with the client that the operator registered there."""

# Authlib has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import AsyncOAuth2Client

from auth_service.domain.oauth import secrets
from auth_service.domain.site.providers import Identity, Start
from servicekit.errors import Unauthenticated, Unavailable
from servicekit.observability import logs

_TIMEOUT_SECONDS: Final = 10.0
_client: Any = AsyncOAuth2Client

log = logs.get(__name__)


@dataclass(frozen=True, slots=True)
class OAuthProvider:
    """Implement `Provider` over OAuth; `emails_url` returns addresses and whether each is verified."""

    provider_id: str
    label: str
    authorize_url: str
    token_url: str
    emails_url: str
    scope: str
    client_id: str
    client_secret: str

    def start(self, callback: str) -> Start:
        verifier = secrets.new_secret()
        session: Any = self._session(callback)
        url, state = session.create_authorization_url(self.authorize_url, code_verifier=verifier)
        return Start(url, state, verifier)

    async def finish(self, callback: str, code: str, verifier: str) -> Identity:
        try:
            async with self._session(callback) as session:
                await session.fetch_token(self.token_url, code=code, code_verifier=verifier)
                response = await session.get(self.emails_url)
                response.raise_for_status()
        except (AuthlibBaseError, httpx2.HTTPStatusError) as error:
            log.warning("provider_refused", provider=self.provider_id, error=str(error))
            raise Unauthenticated(f"{self.label} did not confirm the login. Try again.") from error
        except httpx2.HTTPError as error:
            raise Unavailable(f"{self.label} does not answer now. Try again later.") from error
        email = _checked_address(response.json())
        if email is None:
            raise Unauthenticated(f"{self.label} knows no confirmed address of yours.")
        return Identity(self.provider_id, email)

    def _session(self, callback: str) -> Any:
        return _client(
            self.client_id,
            self.client_secret,
            scope=self.scope,
            redirect_uri=callback,
            code_challenge_method="S256",
            timeout=_TIMEOUT_SECONDS,
        )


def _checked_address(document: Any) -> str | None:
    """Return the verified address, the primary one first, or None.

    Google responds with one object, GitHub with a list of addresses.
    """
    entries: list[Mapping[str, Any]] = document if isinstance(document, list) else [document]
    for entry in sorted(entries, key=lambda e: not e.get("primary", True)):
        if (entry.get("email_verified") is True or entry.get("verified") is True) and isinstance(
            entry.get("email"), str
        ):
            return entry["email"]
    return None


def google(client_id: str, client_secret: str) -> OAuthProvider:
    """Return the provider for Google, by its OpenID discovery document."""
    return OAuthProvider(
        "google",
        "Google",
        "https://accounts.google.com/o/oauth2/v2/auth",
        "https://oauth2.googleapis.com/token",
        "https://openidconnect.googleapis.com/v1/userinfo",
        "openid email",
        client_id,
        client_secret,
    )


def github(client_id: str, client_secret: str) -> OAuthProvider:
    """Return the provider for GitHub, by its documentation of OAuth apps."""
    return OAuthProvider(
        "github",
        "GitHub",
        "https://github.com/login/oauth/authorize",
        "https://github.com/login/oauth/access_token",
        "https://api.github.com/user/emails",
        "user:email",
        client_id,
        client_secret,
    )
