"""The routes of the site, read from its router, so that no new one is overlooked."""

from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any, Final, cast

from auth_service.web.app import http_app

STATE_LESS: Final = frozenset({"HEAD", "OPTIONS"})


def served() -> frozenset[tuple[str, str]]:
    """Return the method and path of every route."""
    site: Any = SimpleNamespace(oauth=None)  # routes use it when they are called
    return frozenset(_iterate_routes(http_app(site).routes, ""))


def _iterate_routes(routes: Iterable[object], prefix: str) -> Iterator[tuple[str, str]]:
    for route in routes:
        any_route = cast("Any", route)
        inner = getattr(any_route, "routes", None)
        if inner:
            yield from _iterate_routes(inner, prefix + any_route.path)
        else:
            methods = getattr(any_route, "methods", None) or {"GET"}
            yield from ((method, prefix + any_route.path) for method in methods - STATE_LESS)
