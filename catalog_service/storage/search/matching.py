"""Matching by name: exact, by prefix, one typing error away, then inside; by trigrams if nothing else is.

Names are compared in the form that the function `normalised` gives them. Each stage costs more than
the one before. A prefix or a match inside does not rule out a typing error: who types "raycom" may
mean Raycon although another name contains it. Only an exact name does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    CTE,
    ColumnElement,
    Float,
    Subquery,
    Text,
    and_,
    case,
    cast,
    func,
    literal,
    null,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.dialects.postgresql import TSQUERY

from catalog_service.domain.name_keys import key_letters
from catalog_service.storage.columns import AnySelect

_LAST_CHARACTER: Final = chr(0x10FFFF)
_SHORTEST_INSIDE: Final = 3
"""Fewer letters have no trigram and would occur inside nearly every name."""

_SHORTEST_SPOKEN: Final = 5
"""Fewer letters of a transliterated text are those of too many names."""

_SHORTEST_BESIDE_ITSELF: Final = 5
"""Fewer letters that are a name occur by chance inside of others: "vivo" in Survivor.io."""

_SHORTEST_MISTYPED: Final = 3
_LONGEST_MISTYPED: Final = 40
"""Other names have no deletions, and the function that compares takes no text of any length."""

_SUFFIX_LENGTH: Final = 40
"""Letters of the suffixes that the function `name_suffixes` gives."""

_EXACT: Final = 0
_BEGUN: Final = 1
_MISTYPED: Final = 2
_INSIDE: Final = 3
_INSIDE_BY_FEW: Final = 1.5
"""Few letters are rather a part of a name than another word with a typing error: "vpn" is in NordVPN, and not "epn"."""
_ALIKE: Final = 4
_UNSEEN: Final = 10
"""Matches without videos come behind all with some, unless the name is exact; a label of a domain is no name."""
# Of one typing error: two letters exchanged or one typed twice, one left out, one replaced, one too
# many. In this order they are likely, and a first letter is rarely wrong. Names come before labels.
_LABEL: Final = 0.02
_SLIP, _LEFT_OUT, _REPLACED, _TOO_MANY, _FIRST_LETTER = 0.0, 0.1, 0.2, 0.3, 0.05


@dataclass(frozen=True, slots=True)
class Names:
    """Columns of a table of names: the number of the named, the normalised name, its deletions.

    `is_label` is true for what only resembles a name, such as a part of a domain. `is_domain` is true for a whole
    domain: its letters without the dot, in which "motionarray.com" would have "raycom", are no name.
    """

    number: ColumnElement[int]
    name: ColumnElement[str]
    deletions: ColumnElement[Any]
    is_label: ColumnElement[bool]
    is_domain: ColumnElement[bool]


@dataclass(frozen=True, slots=True)
class Key:
    """A normalised searched text, null if it has no letters: no name begins with null, as all do with an empty text.

    `is_dotted` is true if it had a dot, and so may be a domain.
    """

    text: ColumnElement[Any]
    is_dotted: ColumnElement[bool]

    # Subqueries are worked out once for each key, and only where a stage needs them.

    @property
    def deletions(self) -> ColumnElement[Any]:
        """Return the text and the words that leaving out one letter makes of it, as names are stored with."""
        return select(func.one_deletions(self.text, type_=ARRAY(Text))).scalar_subquery()

    @property
    def beginning(self) -> ColumnElement[Any]:
        """Return the query for `name_suffixes` that begin with the text; null if it has no letters."""
        start = func.nullif(func.left(self.text, _SUFFIX_LENGTH), "")
        return select(cast(literal("'", Text) + start + "':*", TSQUERY)).scalar_subquery()

    @property
    def slips(self) -> ColumnElement[Any]:
        """Return what may have been meant if the fingers slipped."""
        slips = select(func.typing_slips(self.text, type_=ARRAY(Text))).scalar_subquery()
        return cast(slips, ARRAY(Text))  # an array, not rows, to ANY


def searched_inside(words: str) -> bool:
    """Return true if these words are also searched inside names."""
    return len(key_letters(words)) >= _SHORTEST_INSIDE


def hits(
    names: Names,
    key: Key,
    *,
    inside: bool,
    enough: ColumnElement[int] | None = None,
    is_seen: Callable[[CTE], ColumnElement[bool]],
) -> AnySelect:
    """Select the matches of a key: `number` and `rank`, lower for a better match.

    Args:
        names: A table of names.
        key: The searched text.
        inside: True to search inside names, too.
        enough: If the names of so many begin with the key, further stages are left out.
        is_seen: Whether a match with a `number` counts as enough.
    """
    begun = _begun(names, key).cte("begun", nesting=True)
    few = true()
    if enough is not None:
        # No more than enough are looked up: a letter begins thousands of names.
        sure = select(begun.c.number).where(is_seen(begun)).limit(enough).subquery("sure")
        few = select(func.count()).select_from(sure).scalar_subquery() < enough
    inexact = ~select(begun.c.number).where(begun.c.rank < _BEGUN).exists()
    mistyped = _mistyped(names, key, and_(few, inexact)).cte("mistyped", nesting=True)
    nothing = ~select(begun.c.number).exists() & ~select(mistyped.c.number).exists()
    found = [select(begun), select(mistyped)]
    if inside:
        is_selective = inexact | (func.length(key.text) >= _SHORTEST_BESIDE_ITSELF)
        within = _inside(names, key, few & is_selective).cte("inside", nesting=True)
        found.append(select(within))
        nothing &= ~select(within.c.number).exists()
    found.append(_alike(names, key).where(nothing))
    return select(union_all(*found).subquery("stages"))


def spoken_hits(names: Names, key: Key, written: Key) -> AnySelect:
    """Select the matches of a key that was made of `written`, a text in another alphabet, letter by letter.

    Such a key is only near to how a name is spelled. So it must be a name, begin one, or be long enough to be one with a
    typing error; and no name may be exactly what is written.
    """
    is_named = (
        select(names.number).where(names.name == written.text, _comparable(names, written)).exists()
    )
    is_strong = func.length(key.text) >= _SHORTEST_SPOKEN
    begun = _begun(names, key).where(~is_named, is_strong | (names.name == key.text))
    mistyped = _mistyped(names, key, ~is_named & is_strong)
    return select(union_all(begun, mistyped).subquery("spoken"))


def best(matches: AnySelect, *others: AnySelect) -> Subquery:
    """Select each match once, with the best of its ranks."""
    every = union_all(matches, *others).subquery("matches") if others else matches.subquery()
    return (
        select(every.c.number, func.min(every.c.rank).label("rank"))
        .group_by(every.c.number)
        .subquery("hits")
    )


def behind_seen(rank: ColumnElement[float], is_seen: ColumnElement[bool]) -> ColumnElement[float]:
    """Return the rank of a match, behind all others for what has no videos unless the name is exact."""
    return cast(case((or_(is_seen, rank == _EXACT), rank), else_=rank + _UNSEEN), Float(53))


def _rank(value: Any) -> ColumnElement[float]:
    return cast(value, Float(53)).label("rank")


def _later(names: Names) -> ColumnElement[float]:
    return case((names.is_label, _LABEL), else_=0.0)


def _comparable(names: Names, key: Key) -> ColumnElement[bool]:
    return or_(~names.is_domain, key.is_dotted)


def _begun(names: Names, key: Key) -> AnySelect:
    tier = func.min(case((names.name == key.text, _EXACT), else_=_BEGUN) + _later(names))
    return (
        select(names.number.label("number"), _rank(tier))
        .where(
            names.name >= key.text,
            names.name < key.text + literal(_LAST_CHARACTER, Text),
            _comparable(names, key),
        )
        .group_by(names.number)
    )


def _mistyped(names: Names, key: Key, wanted: ColumnElement[bool]) -> AnySelect:
    """Select names at an optimal string alignment distance of one.

    Two words at that distance have a deletion in common, or one is a deletion of the other. Of equal
    length they may also differ by a letter that has moved further, which no error explains.
    """
    longer = func.length(names.name) - func.length(key.text)
    error = case(
        (func.length(names.name) > _LONGEST_MISTYPED, null()),
        (names.name == func.any(key.slips), _SLIP),
        (longer > 0, _LEFT_OUT),
        (longer < 0, _TOO_MANY),
        (func.levenshtein_less_equal(names.name, key.text, 1) == 1, _REPLACED),
    )
    first = case((func.left(names.name, 1) == func.left(key.text, 1), 0.0), else_=_FIRST_LETTER)
    found = (
        select(names.number.label("number"), (error + first + _later(names)).label("error"))
        .where(
            wanted,
            names.deletions.bool_op("&&")(key.deletions),
            names.name != key.text,
            _comparable(names, key),
        )
        .subquery("neighbours")
    )
    return (
        select(found.c.number, _rank(_MISTYPED + func.min(found.c.error)))
        .where(found.c.error.is_not(None))
        .group_by(found.c.number)
    )


def _inside(names: Names, key: Key, wanted: ColumnElement[bool]) -> AnySelect:
    tier = case((func.length(key.text) < _SHORTEST_BESIDE_ITSELF, _INSIDE_BY_FEW), else_=_INSIDE)
    return (
        select(names.number.label("number"), _rank(tier))
        .where(
            wanted,
            func.name_suffixes(names.name).bool_op("@@")(key.beginning),
            func.strpos(names.name, key.text) > 0,  # suffixes are cut
            ~names.is_domain,
        )
        .distinct()
    )


def _alike(names: Names, key: Key) -> AnySelect:
    closeness = func.max(func.similarity(names.name, key.text))
    return (
        select(names.number.label("number"), _rank(_ALIKE + 1 - closeness))
        .where(names.name.bool_op("%")(key.text), _comparable(names, key))
        .group_by(names.number)
    )
