"""Split untrusted URLs, refusing those that two parsers could read differently.

`http://evil.example[::1]/` names this machine to one parser and evil.example to another, and
browsers read a backslash as a slash. Accepted URLs have only one reading.
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
        ValueError: It is too long, or has invalid characters or an ambiguous authority.
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
