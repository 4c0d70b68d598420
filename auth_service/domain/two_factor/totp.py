"""Time-based one-time passwords of authenticator apps (RFC 6238)."""

import re
from datetime import datetime
from typing import Final

from pyotp import random_base32
from pyotp.exceptions import OTPVerificationError
from pyotp.totp import TOTP

_ISSUER: Final = "Sponsorgraph"
_WINDOW: Final = 1
"""Time steps before and after the current one whose codes are accepted, for clocks that differ."""

_CODE: Final = re.compile(r"[0-9]{6}")


def new_secret() -> str:
    """Return 160 random bits in base32, as authenticator apps take them."""
    return random_base32()


def setup_uri(secret: str, email: str) -> str:
    """Return the URI that a QR code brings to the app."""
    return TOTP(secret).provisioning_uri(name=email, issuer_name=_ISSUER)


def is_code(text: str) -> bool:
    """Return whether a text has the form of a code."""
    return _CODE.fullmatch(text) is not None


def matched_step(secret: str, code: str, now: datetime) -> int | None:
    """Return the time step that a code is of, None if it is of none that is accepted now."""
    if not is_code(code):
        return None
    try:
        return TOTP(secret).verify_and_get_timecode(code, for_time=now, valid_window=_WINDOW)
    except OTPVerificationError:
        return None
