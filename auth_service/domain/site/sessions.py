"""Web sessions and CSRF tokens (OWASP ASVS 5.0, chapters 7 and 3.5)."""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import unquote, urlsplit

IDLE: Final = timedelta(days=7)
ABSOLUTE: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class WebSession:
    """A login session of a browser. Its secret is in the cookie only."""

    session_id: str
    account_id: str
    user_agent: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    acting_for: str | None = None
    """The organisation that the session was switched to; its membership is checked at each request."""
    address: str = ""
    """The network address of the login; empty if it is not known."""

    def is_valid(self, now: datetime) -> bool:
        """Return whether the session is neither expired nor idle for too long."""
        return now < self.expires_at and now - self.last_seen_at < IDLE


def form_token(session_secret: str) -> str:
    """Return the CSRF token of a session's forms, which only its pages contain."""
    return hmac.new(session_secret.encode(), b"form", hashlib.sha256).hexdigest()


def form_token_matches(session_secret: str, presented: str) -> bool:
    """Return whether a form carries the CSRF token of this session."""
    # As bytes: `compare_digest` refuses text that is not ASCII.
    return hmac.compare_digest(form_token(session_secret).encode(), presented.encode())


def safe_next(target: str | None, fallback: str = "/account") -> str:
    """Return the path to go to after login: always one of this site."""
    if not target or any(c in target or c in unquote(target) for c in "\\\r\n\t"):
        return fallback
    if not target.startswith("/") or target.startswith("//"):
        return fallback
    if unquote(urlsplit(target).path).startswith("//"):
        return fallback
    return target
