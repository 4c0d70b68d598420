"""Descriptions of the HTTP servers, and what of them is held against each response."""

# Schemathesis leaves the type of what a case is made of open.
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import schemathesis
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.routing import BaseRoute, Mount, Route

from auth_service.web.app import http_app

Description = dict[str, Any]

CHECKS: Final[list[Any]] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
_FOLDER: Final = Path(__file__).parent / "openapi"
_WORDS: Final = (
    "next",
    "token",
    "notice",
    "month",
    "request",
    "code",
    "state",
    "error",
    "user_code",
)
_ELSEWHERE: Final = {"headers": {"Location": {"required": True, "schema": {"type": "string"}}}}
_PAGE: Final = {"content": {"text/html": {"schema": {"type": "string"}}}}
_FILES: Final = {
    "/account/export": {"content": {"application/json": {"schema": {"type": "object"}}}},
    "/account/usage.csv": {"content": {"text/csv": {"schema": {"type": "string"}}}},
}


def described(name: str) -> Description:
    """One of the descriptions that are written by hand."""
    return yaml.safe_load((_FOLDER / f"{name}.yaml").read_text())


def paths_of(routes: Iterable[BaseRoute], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Method and path of every route; files served from a folder and preflights are none."""
    for route in routes:
        if isinstance(route, Mount):
            yield from paths_of(route.routes, prefix + route.path)
        elif isinstance(route, Route):
            methods = set(route.methods or ()) - {"HEAD", "OPTIONS"}
            yield from ((method.lower(), prefix + route.path) for method in sorted(methods))


def issuer_routes() -> set[tuple[str, str]]:
    """Every route of the auth service's HTTP server."""
    site: Any = SimpleNamespace(oauth=None, providers={})
    return set(paths_of(http_app(site).routes))


def site_described(known: Iterable[tuple[str, str]]) -> Description:
    """The pages and forms of the site that no program asks for: every route but the `known`.

    What their forms hold is their own affair; any field of any text may come.
    """
    paths: dict[str, Any] = {}
    for method, path in sorted(issuer_routes() - set(known)):
        operation: dict[str, Any] = {"responses": {"303": _ELSEWHERE, "default": _PAGE}}
        if path in _FILES:
            operation["responses"]["200"] = _FILES[path]
        if method == "get":
            operation["parameters"] = [
                {"name": word, "in": "query", "schema": {"type": "string"}} for word in _WORDS
            ]
        else:
            operation["requestBody"] = {
                "content": {
                    "application/x-www-form-urlencoded": {
                        "schema": {"type": "object", "additionalProperties": {"type": "string"}}
                    }
                }
            }
        named = "{" in path
        if named:
            name = path.partition("{")[2].partition("}")[0].partition(":")[0]
            path = path.replace(":anything", "")  # noqa: PLW2901 - as OpenAPI writes it
            operation.setdefault("parameters", []).append(
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            )
        paths.setdefault(path, {})[method] = operation
    return {"openapi": "3.1.0", "info": {"title": "Site", "version": "1"}, "paths": paths}


def operations(description: Description) -> set[tuple[str, str]]:
    """Method and path of what a description has."""
    return {(method, path) for path, item in description["paths"].items() for method in item}


def fuzz(description: Description, url: str, cases: int, **changes: Any) -> int:
    """Sends `cases` requests of each operation to the service at `url`; gives how many there were.

    The same ones each time. `changes` are options of each request.
    """
    schema = schemathesis.openapi.from_dict(description)
    sent = 0
    every: Any = schema
    for found in every.get_all_operations():
        operation: Any = found.ok()

        @settings(
            max_examples=cases,
            derandomize=True,
            database=None,
            deadline=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=(HealthCheck.too_slow, HealthCheck.filter_too_much),
        )
        @given(case=operation.as_strategy())
        def send(case: Any) -> None:
            nonlocal sent
            sent += 1
            response = case.call(base_url=url, timeout=30, allow_redirects=False, **changes)
            case.validate_response(response, checks=CHECKS)

        send()
    return sent
