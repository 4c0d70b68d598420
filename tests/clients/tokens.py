"""Reads access tokens without checking them, as an attacker or a debugger does."""

import base64
import json
from typing import Any


def _part(token: str, index: int) -> dict[str, Any]:
    text = token.split(".")[index]
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def header(token: str) -> dict[str, Any]:
    """The header of a JWT."""
    return _part(token, 0)


def claims(token: str) -> dict[str, Any]:
    """The claims of a JWT."""
    return _part(token, 1)
