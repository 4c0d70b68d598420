"""The words of pages for what tools have ids and names of arguments for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from auth_service.domain.site.countries import country_name

EXPLORE_FIELDS: Final = {
    "since": "From",
    "until": "To",
    "category": "Category of brands",
    "content_category": "Category of videos",
    "country": "Country of creators",
    "kinds": "Kinds",
    "metric": "Ranked by",
    "sponsors": "Brand",
    "sponsor": "Brand",
    "youtuber": "Creator",
    "search": "Brand or creator",
}
"""The labels of the forms of Explore, by the argument of a tool that a field gives."""

_PAGES: Final = {
    "category.list": "the list of categories on Explore",
    "sponsor.search": "the search on Explore",
    "sponsor.get": "the search on Explore",
    "youtuber.get": "the search on Explore",
    "youtuber.search": "the search on Explore",
    "catalog.resolve": "the search on Explore",
    "sponsor.top": "Rankings",
    "sponsor.recentVideos": "the brand's page",
    "channel.import": "an import",
}
"""Where a page has what a message names a tool for."""

_JARGON: Final = {
    "unseen": "no sponsorship known",
    "too_little_to_say": "too little known",
    "longform": "long video",
    "youtube-api": "YouTube API",
}
"""What ids are called whose own words are jargon, or are written otherwise."""

_QUOTED: Final = re.compile(r"`([^`]+)`")
_ENTRY: Final = re.compile(r"names\[(\d+)\]")
_CATEGORY: Final = re.compile(r"(“Category of (?:brands|videos)” )([a-z]+(?:-[a-z]+)*)")
_KIND: Final = re.compile(r"\b(?:paid_sponsorship|promo_code|free_product)\b")
_ISO_DAY: Final = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")


@dataclass(frozen=True, slots=True)
class Labels:
    """Names of categories by id, and of countries by code; an unknown id is shown as its words."""

    categories: Mapping[str, str] = field(default_factory=dict[str, str])

    def category(self, category_id: str) -> str:
        return self.categories.get(category_id) or words(category_id)

    def country(self, code: str) -> str:
        return country_name(code) or code

    def with_names(self, text: str) -> str:
        """Return a message in words of pages with the names of the categories that it has by id."""
        return _CATEGORY.sub(lambda found: f"{found[1]}{self.category(found[2])}", text)


def words(identifier: str) -> str:
    """Return an id as words."""
    return _JARGON.get(identifier) or identifier.replace("_", " ").replace("-", " ")


def shown_day(text: str) -> str:
    """Return a day for people, from its ISO text."""
    day = date.fromisoformat(text)
    return f"{day.day} {day:%b %Y}"


def period_words(filters: Mapping[str, Any]) -> str:
    """Return what a question adds about a period, such as " from 1 Jan 2024 to today"; empty without one."""
    since, until = filters.get("since"), filters.get("until")
    if not (since or until):
        return ""
    return in_page_words(f" from {since or 'the first day'} to {until or 'today'}")


def in_page_words(text: str, fields: Mapping[str, str] = EXPLORE_FIELDS) -> str:
    """Return a tool's message for a page: labels of fields instead of names of arguments, and days as pages show them.

    Args:
        text: The message, with names of arguments in backquotes.
        fields: The labels of the page's form by the argument that a field gives.
    """
    named = _QUOTED.sub(lambda quoted: _named(quoted[1], fields), text).replace("`", "")
    named = _KIND.sub(lambda kind: words(kind[0]), named)
    return _ISO_DAY.sub(lambda day: _day(day[0]), named)


def _named(quoted: str, fields: Mapping[str, str]) -> str:
    if entry := _ENTRY.fullmatch(quoted):
        return f"Entry {int(entry[1]) + 1}"
    if quoted in fields:
        return f"“{fields[quoted]}”"
    return _PAGES.get(quoted, quoted)


def _day(text: str) -> str:
    try:
        return shown_day(text)
    except ValueError:  # a wrong entry stays as it was entered
        return text
