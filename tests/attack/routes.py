"""What the site serves, told by its router, so that nothing new goes unseen."""

from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any, Final, cast

from auth_service.web.app import http_app

STATE_LESS: Final = frozenset({"HEAD", "OPTIONS"})


def served() -> frozenset[tuple[str, str]]:
    """Method and path of every route."""
    site: Any = SimpleNamespace(oauth=None)  # routes keep it and use it when they are asked
    return frozenset(_walk(http_app(site).routes, ""))


def _walk(routes: Iterable[object], prefix: str) -> Iterator[tuple[str, str]]:
    for route in routes:
        given = cast("Any", route)
        inner = getattr(given, "routes", None)
        if inner:
            yield from _walk(inner, prefix + given.path)
        else:
            methods = getattr(given, "methods", None) or {"GET"}
            yield from ((method, prefix + given.path) for method in methods - STATE_LESS)
