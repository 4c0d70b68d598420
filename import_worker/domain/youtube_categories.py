"""YouTube's category numbers and the slugs that the catalog knows them by."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

CATEGORY_SLUGS: Final[Mapping[int, str]] = MappingProxyType(
    {
        1: "film-animation",
        2: "autos-vehicles",
        10: "music",
        15: "pets-animals",
        17: "sports",
        18: "short-movies",
        19: "travel-events",
        20: "gaming",
        21: "videoblogging",
        22: "people-blogs",
        23: "comedy",
        24: "entertainment",
        25: "news-politics",
        26: "howto-style",
        27: "education",
        28: "science-technology",
        29: "nonprofits-activism",
        43: "shows",
    }
)

_BY_DIGITS = {str(number): slug for number, slug in CATEGORY_SLUGS.items()}


def category_slug(number: int | str | None) -> str | None:
    """Return the slug of a category's number, as an int or as YouTube writes it; None for others."""
    return _BY_DIGITS.get(str(number))


def category_number(number: int | str | None) -> int | None:
    """Return the number of a category, as an int or as YouTube writes it; None for others."""
    digits = str(number)
    return int(digits) if digits in _BY_DIGITS else None
