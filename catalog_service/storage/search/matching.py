"""Matching by name: exact, then by prefix, then inside; similar by trigrams only if nothing else is.

Names are compared in the form that the function `normalised` gives them. Each stage costs more than
the one before, and is left out where those before it have said enough.
"""

from typing import Any, Final

from sqlalchemy import (
    CTE,
    ColumnElement,
    Subquery,
    Text,
    case,
    func,
    literal,
    select,
    true,
    union_all,
)

from catalog_service.storage.columns import AnySelect

_LAST_CHARACTER: Final = chr(0x10FFFF)
_SHORTEST_INSIDE: Final = 3
"""Fewer letters have no trigram and would occur inside nearly every name."""


def searched_inside(words: str) -> bool:
    """Return true if these words are also searched inside names."""
    return sum(character.isalnum() for character in words) >= _SHORTEST_INSIDE


def hits(
    number: ColumnElement[int],
    name: ColumnElement[str],
    key: ColumnElement[Any],
    *,
    inside: bool,
    enough: ColumnElement[int] | None = None,
) -> Subquery:
    """Select the matches of a normalised `key`: `number`, `tier` (0 best) and `closeness` (1 best).

    Args:
        number: The number of the named, in a table of names.
        name: Normalised name in the same table.
        key: The searched text.
        inside: True to search inside names, too.
        enough: If so many names begin with the key, further stages are left out.
    """
    begun = _begun(number, name, key).cte("begun", nesting=True)
    found = [select(begun)]
    nothing: ColumnElement[bool] = ~select(begun.c.number).exists()
    if inside:
        within = _inside(number, name, key, begun, enough).cte("inside", nesting=True)
        others = within.c.number.not_in(select(begun.c.number))
        found.append(select(within).where(others))
        nothing &= ~select(within.c.number).exists()
    found.append(_alike(number, name, key).where(nothing))
    return union_all(*found).subquery("hits")


def _begun(
    number: ColumnElement[int], name: ColumnElement[str], key: ColumnElement[Any]
) -> AnySelect:
    return (
        select(
            number.label("number"),
            func.min(case((name == key, 0), else_=1)).label("tier"),
            literal(1.0).label("closeness"),
        )
        .where(name >= key, name < key + literal(_LAST_CHARACTER, Text))
        .group_by(number)
    )


def _inside(
    number: ColumnElement[int],
    name: ColumnElement[str],
    key: ColumnElement[Any],
    begun: CTE,
    enough: ColumnElement[int] | None,
) -> AnySelect:
    few = (
        true() if enough is None else select(func.count(begun.c.number)).scalar_subquery() < enough
    )
    return (
        select(number.label("number"), literal(2).label("tier"), literal(1.0).label("closeness"))
        .where(few, name.like(literal("%", Text) + key + literal("%", Text)))
        .distinct()
    )


def _alike(
    number: ColumnElement[int], name: ColumnElement[str], key: ColumnElement[Any]
) -> AnySelect:
    closeness = func.max(func.similarity(name, key)).label("closeness")
    return (
        select(number.label("number"), literal(3).label("tier"), closeness)
        .where(name.bool_op("%")(key))
        .group_by(number)
    )
