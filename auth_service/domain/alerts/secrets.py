"""Secrets of channels, and the signed links in mails."""

import base64
import hmac
import secrets as random
from dataclasses import dataclass
from typing import Final, Literal

_BYTES: Final = 32
Purpose = Literal["confirm", "unsubscribe"]


def new_webhook_secret() -> str:
    """Return a secret in the form of Standard Webhooks."""
    return f"whsec_{base64.b64encode(random.token_bytes(_BYTES)).decode()}"


def new_feed_secret() -> str:
    """Return a secret that goes into a URL."""
    return random.token_urlsafe(_BYTES)


@dataclass(frozen=True, slots=True)
class SignedLinks:
    """Make and check links that act on a channel without a login.

    Args:
        key: Of the installation; another one ends all links.
        site_url: Where the links lead.
    """

    key: bytes
    site_url: str

    def url(self, purpose: Purpose, channel_id: str) -> str:
        """Return the link for a purpose."""
        return f"{self.site_url}/alerts/{purpose}/{channel_id}/{self._token(purpose, channel_id)}"

    def is_genuine(self, purpose: Purpose, channel_id: str, token: str) -> bool:
        """Return whether a token is that of the link."""
        return hmac.compare_digest(self._token(purpose, channel_id).encode(), token.encode())

    def _token(self, purpose: Purpose, channel_id: str) -> str:
        digest = hmac.digest(self.key, f"{purpose}:{channel_id}".encode(), "sha256")
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
