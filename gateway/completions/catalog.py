"""Completions from the catalog's own search, which tolerates typing errors.

The values are readable and accepted by every tool: slugs, handles, ids of categories.
"""

from collections.abc import Iterable
from typing import Final

from gateway.completions._completion import Completion, CompletionContext
from shapes.catalog.categories import Categories, Category
from shapes.catalog.sponsors import SponsorPage
from shapes.catalog.youtubers import YoutuberPage

_MAX_VALUES: Final = 50
"""A page of the catalog; the protocol allows 100."""
_LONGEST: Final = 200


async def brands(typed: str, context: CompletionContext) -> Completion:
    """Slugs of brands; those with the most sponsored videos while nothing is typed."""
    arguments = _search_arguments(typed, otherwise="videos")
    page = await context.catalog.query("SearchSponsors", arguments, SponsorPage)
    return _completion((brand.slug for brand in page.sponsors), page.next_cursor)


async def creators(typed: str, context: CompletionContext) -> Completion:
    """Handles of creators, channel ids of those without; the largest while nothing is typed."""
    arguments = _search_arguments(typed, otherwise="subscribers")
    page = await context.catalog.query("SearchYoutubers", arguments, YoutuberPage)
    values = (creator.handle or creator.channel_id or creator.id for creator in page.youtubers)
    return _completion(values, page.next_cursor)


async def categories(typed: str, context: CompletionContext) -> Completion:
    """Ids of categories of brands and of content."""
    found = await context.catalog.query("ListCategories", {}, Categories)
    return _matching(found.categories, typed)


async def brand_categories(typed: str, context: CompletionContext) -> Completion:
    """Ids of categories of brands."""
    found = await context.catalog.query("ListCategories", {"scope": "sponsor"}, Categories)
    return _matching(found.categories, typed)


def _search_arguments(typed: str, *, otherwise: str) -> dict[str, object]:
    searched = typed.strip()[:_LONGEST]
    if not searched:
        return {"limit": _MAX_VALUES, "sort": otherwise}
    return {"search": searched, "limit": _MAX_VALUES, "sort": "relevance"}


def _completion(values: Iterable[str], next_cursor: str | None) -> Completion:
    return Completion(tuple(dict.fromkeys(values)), has_more=bool(next_cursor))


def _matching(found: Iterable[Category], typed: str) -> Completion:
    """Categories whose id or name begins with what was typed, then those that contain it."""
    part = typed.strip().casefold()
    names = [(item.id, item.name.casefold()) for item in found]
    first = [key for key, name in names if key.startswith(part) or name.startswith(part)]
    others = [key for key, name in names if part in key or part in name]
    ids = tuple(dict.fromkeys(first + others))
    return Completion(ids[:_MAX_VALUES], has_more=len(ids) > _MAX_VALUES)
