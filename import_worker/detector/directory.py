"""The brand directory: brands known by name, alias or domain. Loaded once, on first use."""

import csv
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Final

from ahocorasick_rs import AhoCorasick, MatchKind
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from import_worker.detector.folding import fold, lower, name_key
from import_worker.domain.keys import slug_of

AT_TIMES: Final = 1
MOSTLY: Final = 3
"""How often creators advertise a brand, see `Brand.creator_ads`."""

_NEAR_LENGTH: Final = 6
_RUN_TOGETHER: Final = 5
_NEAR_SCORE: Final = 90.0
_FIRST_UNSPACED: Final = "\u3040"
_LIST_SEPARATOR: Final = ";"


@dataclass(frozen=True, slots=True)
class Brand:
    """A brand of the directory.

    Attributes:
        slug: Its id.
        name: Its name.
        aliases: Other names of it.
        domains: Its registrable domains, the main one first.
        category: What it sells.
        country: Where it comes from.
        creator_ads: How often creators advertise it when they name it: 0 seldom (platforms, media, tools that people
            use), 1 at times, 2 more often than not, 3 nearly always.
    """

    slug: str
    name: str
    aliases: tuple[str, ...]
    domains: tuple[str, ...]
    category: str | None
    country: str | None
    creator_ads: int = AT_TIMES


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A brand's name found in a text, from `start` up to `end`, in characters."""

    brand: Brand
    start: int
    end: int


@dataclass(frozen=True)
class Directory:
    """Brands by name, alias, domain and by their mention in a text."""

    brands: tuple[Brand, ...]

    def of_domain(self, domain: str) -> Brand | None:
        """Return the brand that owns a registrable domain."""
        return self._by_domain.get(domain)

    def named(self, name: str) -> Brand | None:
        """Return the brand of that name or alias; case, blanks and punctuation do not matter."""
        return self._by_key.get(name_key(name))

    def near(self, name: str) -> Brand | None:
        """Return the brand whose name is a small misspelling behind the first letter away; None for short names.

        One that lacks nothing but the plural's "s" is another name.
        """
        key = name_key(name)
        if len(key) < _NEAR_LENGTH:
            return None
        # Nearly all names are like none of the few with their first letter: that is known soon.
        if _nearest(key, self._long_keys_by_initial.get(key[0], ())) is None:
            return None
        nearest = _nearest(key, self._long_keys)
        is_other = nearest in {f"{key}s", key.removesuffix("s")}
        is_misspelt = nearest is not None and not is_other and _is_misspelt(key, nearest)
        return self._by_key[nearest] if nearest and is_misspelt else None

    def mentions(self, folded: str, lowered: str, *, is_glued: bool = False) -> Iterator[NameMatch]:
        """Return brands named in a text as whole words and written as names are.

        `folded` and `lowered` are the same text by `folding.fold` and `folding.lower`. Where lines are glued together
        (`is_glued`), a name may begin right behind the last word of the line before.
        """
        for index, start, end in self._automaton.find_matches_as_indexes(lowered):
            is_whole = _is_word(lowered, start, end) or _is_run_together(folded, start, end)
            if (is_whole or (is_glued and _is_glued(folded, start, end))) and (
                _is_name_like(folded[start], self._spellings[index])
                or folded[start - 1 : start] == "#"
            ):
                yield NameMatch(self._brands_by_spelling[index], start, end)

    @cached_property
    def _by_domain(self) -> dict[str, Brand]:
        return {domain: brand for brand in reversed(self.brands) for domain in brand.domains}

    @cached_property
    def _by_key(self) -> dict[str, Brand]:
        keyed = (
            (name_key(name), brand) for brand in reversed(self.brands) for name in _names(brand)
        )
        return {key: brand for key, brand in keyed if key}

    @cached_property
    def _long_keys(self) -> list[str]:
        return sorted(key for key in self._by_key if len(key) >= _NEAR_LENGTH)

    @cached_property
    def _long_keys_by_initial(self) -> dict[str, list[str]]:
        return {
            initial: list(keys) for initial, keys in groupby(self._long_keys, lambda key: key[0])
        }

    @cached_property
    def _spelled(self) -> tuple[tuple[str, Brand], ...]:
        return tuple((fold(name), brand) for brand in self.brands for name in _names(brand))

    @cached_property
    def _spellings(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self._spelled)

    @cached_property
    def _brands_by_spelling(self) -> tuple[Brand, ...]:
        return tuple(brand for _, brand in self._spelled)

    @cached_property
    def _automaton(self) -> AhoCorasick:
        return AhoCorasick(
            [lower(name) for name in self._spellings] or ["\0"],
            matchkind=MatchKind.LeftmostLongest,
        )


def read_directory(lines: Iterable[str]) -> Directory:
    """Return the directory in CSV lines with columns name, domains, aliases, category, country and creator_ads.

    The last may be missing, which is 1.
    """
    brands = (_brand(row) for row in csv.DictReader(lines) if row["name"].strip())
    return Directory(tuple(sorted(brands, key=lambda brand: brand.slug)))


def load_directory(path: Path) -> Directory:
    """Return the directory of a CSV file in UTF-8."""
    with path.open(encoding="utf-8", newline="") as lines:
        return read_directory(lines)


@cache
def bundled_directory() -> Directory:
    """Return the directory that comes with the detector."""
    file = resources.files("import_worker.detector").joinpath("brands.csv")
    with file.open("r", encoding="utf-8") as lines:
        return read_directory(lines)


def _nearest(key: str, keys: Sequence[str]) -> str | None:
    found = process.extractOne(key, keys, scorer=fuzz.ratio, score_cutoff=_NEAR_SCORE)
    return found[0] if found else None


def _is_misspelt(key: str, name: str) -> bool:
    """Whether a key is the name with one letter left out, added, replaced or exchanged with its neighbour.

    The score alone, a share of the letters, would allow long names several.
    """
    return name[0] == key[0] and OSA.distance(key, name, score_cutoff=1) <= 1


def _brand(row: dict[str, str]) -> Brand:
    name = row["name"].strip()
    return Brand(
        slug=slug_of(name),
        name=name,
        aliases=_items(row["aliases"]),
        domains=tuple(domain.lower() for domain in _items(row["domains"])),
        # Thousands have the same: one text of each is stored.
        category=sys.intern(row["category"].strip()) or None,
        country=sys.intern(row["country"].strip()) or None,
        creator_ads=int(row.get("creator_ads") or AT_TIMES),
    )


def _items(cell: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in cell.split(_LIST_SEPARATOR) if item.strip())


def _names(brand: Brand) -> tuple[str, ...]:
    return (brand.name, *brand.aliases)


def _is_word(text: str, start: int, end: int) -> bool:
    return (start == 0 or _parts(text[start - 1], text[start])) and (
        end == len(text) or _parts(text[end], text[end - 1])
    )


def _is_run_together(folded: str, start: int, end: int) -> bool:
    """Return whether a name of a few letters is a word but for the capital of the next line that runs on from it."""
    return (
        end - start >= _RUN_TOGETHER
        and (start == 0 or not folded[start - 1].isalnum())
        and folded[start].isupper()
        and folded[end - 1].islower()
        and folded[end : end + 1].isupper()
        and folded[end + 1 : end + 2].islower()
    )


def _is_glued(folded: str, start: int, end: int) -> bool:
    """Return whether a name of a few letters is a word but for the end of the line before, glued to its capital."""
    if end - start < _RUN_TOGETHER or not folded[start].isupper() or not start:
        return False
    before, behind = folded[start - 1], folded[end : end + 1]
    is_begun = before.islower() or before.isdigit()
    ends = not behind.isalnum() or (behind.isupper() and not folded[end - 1].isupper())
    return is_begun and ends


def _parts(outside: str, inside: str) -> bool:
    """Return whether a word ends between two characters; Latin names end where other scripts begin."""
    return not outside.isalnum() or (inside.isascii() and outside > _FIRST_UNSPACED)


def _is_name_like(initial: str, spelling: str) -> bool:
    return not initial.islower() or spelling[0].islower()
