"""The two vocabularies of categories: of sponsors, in groups, and of content.

Wherever a sponsor category is taken, a group's id stands for all of its categories.
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Scope = Literal["sponsor", "content"]


@dataclass(frozen=True, slots=True)
class CategoryName:
    """A category; `parent` is the id of its group, None for groups and content."""

    id: str
    name: str
    scope: Scope
    parent: str | None = None


_GROUPS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "tech": ("Technology", {
        "security": "VPN & security",
        "software": "Software & apps",
        "ai": "AI tools",
        "hosting": "Websites & hosting",
        "electronics": "Electronics",
        "telecom": "Mobile & internet",
    }),
    "gaming": ("Gaming", {"games": "Games", "gaming-gear": "Gaming gear"}),
    "money": ("Money", {"finance": "Finance & investing", "crypto": "Crypto"}),
    "lifestyle": ("Lifestyle", {
        "food": "Food & drink",
        "health": "Health & fitness",
        "beauty": "Beauty & grooming",
        "fashion": "Fashion & accessories",
        "home": "Home & garden",
        "travel": "Travel",
        "automotive": "Automotive",
        "pets": "Pets",
        "toys": "Toys & hobbies",
        "sports-outdoors": "Sports & outdoors",
        "instruments": "Musical instruments",
    }),
    "media": ("Media", {
        "streaming": "Streaming, film & TV",
        "audio-books": "Audio & books",
        "events": "Events & tickets",
    }),
    "betting": ("Betting & lotteries", {}),
    "growth": ("Learning & work", {"education": "Education", "careers": "Careers"}),
    "commerce": ("Commerce", {
        "retail": "Shops & marketplaces",
        "services": "Services",
        "delivery": "Delivery",
    }),
    "other": ("Other", {}),
}  # fmt: skip

_CONTENT: Final = {
    "film-animation": "Film & Animation",
    "autos-vehicles": "Autos & Vehicles",
    "music": "Music",
    "pets-animals": "Pets & Animals",
    "sports": "Sports",
    "short-movies": "Short Movies",
    "travel-events": "Travel & Events",
    "gaming": "Gaming",
    "videoblogging": "Videoblogging",
    "people-blogs": "People & Blogs",
    "comedy": "Comedy",
    "entertainment": "Entertainment",
    "news-politics": "News & Politics",
    "howto-style": "Howto & Style",
    "education": "Education",
    "science-technology": "Science & Technology",
    "nonprofits-activism": "Nonprofits & Activism",
    "shows": "Shows",
}

SPONSOR_CATEGORIES: Final[tuple[CategoryName, ...]] = tuple(
    entry
    for group, (name, members) in _GROUPS.items()
    for entry in (
        CategoryName(group, name, "sponsor"),
        *(CategoryName(id_, member, "sponsor", group) for id_, member in members.items()),
    )
)
CONTENT_CATEGORIES: Final[tuple[CategoryName, ...]] = tuple(
    CategoryName(id_, name, "content") for id_, name in _CONTENT.items()
)
VOCABULARY: Final[Mapping[Scope, tuple[CategoryName, ...]]] = {
    "sponsor": SPONSOR_CATEGORIES,
    "content": CONTENT_CATEGORIES,
}
_NAMES: Final = {
    scope: {entry.id: entry.name for entry in entries} for scope, entries in VOCABULARY.items()
}
_MEMBERS: Final[Mapping[str, tuple[str, ...]]] = {
    group: (group, *members) for group, (_, members) in _GROUPS.items()
}
CONTENT_SCOPE: Final = "content:"
"""Scopes of content categories begin so."""

ALL: Final = ""
"""The scope of all sponsors, also of those without a category."""

SCOPES: Final[tuple[tuple[str, str], ...]] = (
    (ALL, ALL),
    *(
        (entry.id, scope)
        for entry in SPONSOR_CATEGORIES
        for scope in (ALL, entry.id, entry.parent)
        if scope is not None
    ),
)
"""Each sponsor category ('' for none) with every scope that contains it.

Rollups are stored by scope: to move a category that sponsors have to another group needs a migration that fills them again.
A new one needs none.
"""

_OWN: Final = "="
COUNTED_SCOPES: Final[tuple[tuple[str, str], ...]] = (
    *SCOPES,
    *((group, _OWN + group) for group in _GROUPS),
)
"""`SCOPES`, and for each group one that leaves out its categories."""


def own_scope(category: str) -> str:
    """Return the scope of the sponsors that are in this very category, not in one below it."""
    return _OWN + category if category in _GROUPS else category


def content_scope(category: str) -> str:
    """Return the scope of all videos of a content category."""
    return CONTENT_SCOPE + category


_SPONSOR_SYNONYMS: Final = {
    "technology": "tech",
    "vpn": "security",
    "vpns": "security",
    "cybersecurity": "security",
    "apps": "software",
    "artificial intelligence": "ai",
    "web hosting": "hosting",
    "websites": "hosting",
    "hardware": "electronics",
    "gadgets": "electronics",
    "mobile": "telecom",
    "game": "games",
    "video games": "games",
    "investing": "finance",
    "fintech": "finance",
    "banking": "finance",
    "cryptocurrency": "crypto",
    "drinks": "food",
    "meal kits": "food",
    "fitness": "health",
    "wellness": "health",
    "cosmetics": "beauty",
    "skincare": "beauty",
    "clothing": "fashion",
    "apparel": "fashion",
    "furniture": "home",
    "cars": "automotive",
    "audiobooks": "audio-books",
    "podcasts": "audio-books",
    "sports": "sports-outdoors",
    "outdoor": "sports-outdoors",
    "outdoors": "sports-outdoors",
    "cycling": "sports-outdoors",
    "music gear": "instruments",
    "films": "streaming",
    "movies": "streaming",
    "tickets": "events",
    "gambling": "betting",
    "casinos": "betting",
    "bookmakers": "betting",
    "lotteries": "betting",
    "insurance": "finance",
    "learning": "education",
    "jobs": "careers",
    "shopping": "retail",
}
_CONTENT_SYNONYMS: Final = {
    "tech": "science-technology",
    "technology": "science-technology",
    "science": "science-technology",
    "games": "gaming",
    "vlogs": "people-blogs",
    "vlog": "people-blogs",
    "people": "people-blogs",
    "news": "news-politics",
    "politics": "news-politics",
    "howto": "howto-style",
    "diy": "howto-style",
    "style": "howto-style",
    "beauty": "howto-style",
    "cars": "autos-vehicles",
    "autos": "autos-vehicles",
    "film": "film-animation",
    "animation": "film-animation",
    "pets": "pets-animals",
    "animals": "pets-animals",
    "travel": "travel-events",
    "sport": "sports",
    "nonprofits": "nonprofits-activism",
}


def _spellings(entries: tuple[CategoryName, ...], synonyms: Mapping[str, str]) -> Mapping[str, str]:
    named = {entry.name.casefold(): entry.id for entry in entries}
    return {**synonyms, **named, **{entry.id: entry.id for entry in entries}}


_SPELLINGS: Final[Mapping[Scope, Mapping[str, str]]] = {
    "sponsor": _spellings(SPONSOR_CATEGORIES, _SPONSOR_SYNONYMS),
    "content": _spellings(CONTENT_CATEGORIES, _CONTENT_SYNONYMS),
}


def names(scope: Scope) -> Mapping[str, str]:
    """Return the names of a vocabulary's categories by id."""
    return _NAMES[scope]


def category_id(scope: Scope, text: str) -> str | None:
    """Return the id of the category or group that `text` names by id, name or synonym, in the singular or plural."""
    spellings, word = _SPELLINGS[scope], text.strip().casefold()
    return next((spellings[form] for form in _in_both_numbers(word) if form in spellings), None)


def _in_both_numbers(word: str) -> tuple[str, ...]:
    """Return an English word with its plural or singular behind it."""
    if word.endswith("ies"):
        return word, word.removesuffix("ies") + "y"
    if word.endswith("s"):
        return word, word.removesuffix("s")
    return word, word.removesuffix("y") + "ies" if word.endswith("y") else f"{word}s"


def members(category: str) -> tuple[str, ...]:
    """Return a sponsor category and, if it is a group, its categories after it."""
    return _MEMBERS.get(category, (category,))


def nearest(scope: Scope, text: str) -> str | None:
    """Return the id of the category that is spelled most like `text`, if one is near."""
    spellings = _SPELLINGS[scope]
    near = difflib.get_close_matches(text.strip().casefold(), spellings, n=1, cutoff=0.75)
    return spellings[near[0]] if near else None


def with_group(category: str | None) -> tuple[str, ...]:
    """Return a category of sponsors and the group that it is in; none if it is not known."""
    return tuple(scope for entry, scope in SCOPES if scope and entry == category)
