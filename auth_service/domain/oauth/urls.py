"""Splits URLs that strangers choose, refusing every one that two programs could read in two ways.

`http://evil.example[::1]/` is on this machine for one parser and at evil.example for another, and
browsers read a backslash as a slash. What is taken here has one reading.
"""

import ipaddress
import re
from typing import Final
from urllib.parse import SplitResult, urlsplit

MAX_LENGTH: Final = 1024
_PRINTABLE: Final = re.compile(r"[!-\[\]-~]+")
_AUTHORITY: Final = re.compile(
    r"(?:[^@]*@)?(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|[A-Za-z0-9._-]*)(?::[0-9]{0,5})?"
)


def split(url: str) -> SplitResult:
    """Split `url` into its parts and validate its host and port.

    Raises:
        ValueError: It is too long, has characters that no URL has, or no plain authority.
    """
    if len(url) > MAX_LENGTH or not _PRINTABLE.fullmatch(url):
        raise ValueError(f"A URL has at most {MAX_LENGTH} printable ASCII characters.")
    parts = urlsplit(url)
    authority = _AUTHORITY.fullmatch(parts.netloc)
    if authority is None:
        raise ValueError("The URL names no host in the usual form.")
    if authority["v6"] is not None:
        ipaddress.IPv6Address(authority["v6"])
    _ = parts.port
    return parts
