"""How words for categories were read, where they are neither the id nor the name of one."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, Final

from catalog_service.domain import categories
from catalog_service.domain.categories import Scope
from shapes.catalog.topics import YoutubersAboutRequest
from shapes.catalog.youtubers import SearchYoutubersRequest

_OF_CHANNELS: Final = (SearchYoutubersRequest, YoutubersAboutRequest)
"""Requests whose `category` is that of a channel's content."""

_SCOPES: Final[Mapping[str, Scope]] = {
    "category": "sponsor",
    "sponsor_category": "sponsor",
    "sponsored_by_category": "sponsor",
    "content_category": "content",
}

ARGUMENTS: Final = tuple(_SCOPES)
"""The arguments that name a category."""


def note(request: Any) -> str | None:
    """Return which categories the synonyms of a request stand for, such as "`category` vpn is read as security."; None without any."""
    return " ".join(_readings(request)) or None


def added(text: str | None, request: Any) -> str | None:
    """Return the text with the note behind it; either may be None."""
    return " ".join(part for part in (text, note(request)) if part) or None


def _readings(request: Any) -> Iterator[str]:
    for field in fields(request):
        scope = _SCOPES.get(field.name)
        value = getattr(request, field.name)
        if scope is None or value is None:
            continue
        if field.name == "category" and isinstance(request, _OF_CHANNELS):
            scope = "content"
        meant = categories.category_id(scope, value)
        if meant and value.strip().casefold() not in _own_words(scope, meant):
            yield f"`{field.name}` {value.strip()} is read as {meant}."


def _own_words(scope: Scope, category: str) -> tuple[str, str]:
    return category, categories.names(scope)[category].casefold()
