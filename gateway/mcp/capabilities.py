"""The requests for input that a client has declared to take.

https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#capabilities
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from gateway.domain.elicitation import Kind
from gateway.mcp import versions

_KINDS: Final[tuple[Kind, ...]] = ("elicitation", "sampling", "roots")
_REMEMBERED: Final = "asked/"
_NONE: Final[frozenset[Kind]] = frozenset()


def declared(capabilities: Mapping[str, Any]) -> frozenset[Kind]:
    """Return the kinds of requests that a client with these capabilities takes."""
    if not capabilities:
        return _NONE
    return frozenset(kind for kind in _KINDS if _is_declared(kind, capabilities.get(kind)))


def remembered(capabilities: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the kinds as a session stores them."""
    return tuple(f"{_REMEMBERED}{kind}" for kind in sorted(declared(capabilities)))


def recalled(names: Iterable[str], revision: str) -> frozenset[Kind]:
    """Return the kinds that a session stores, as far as its protocol version has them."""
    known = set(names)
    found: set[Kind] = {kind for kind in _KINDS if f"{_REMEMBERED}{kind}" in known}
    if revision < versions.WITH_ELICITATION:
        found.discard("elicitation")
    return frozenset(found)


def _is_declared(kind: Kind, settings: object) -> bool:
    if not isinstance(settings, dict):
        return False
    # Without a mode it is forms that are meant; a client may take addresses alone.
    modes = cast("dict[str, Any]", settings)
    return kind != "elicitation" or "form" in modes or "url" not in modes
