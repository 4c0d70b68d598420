"""Finding by name: exact, then by prefix, then inside, then alike by trigrams.

Names are compared in the form that the function `normalised` gives them.
"""

from typing import Any, Final

from sqlalchemy import (
    CTE,
    ColumnElement,
    Text,
    bindparam,
    case,
    func,
    literal,
    select,
    union_all,
)

from catalog_service.storage.columns import AnySelect

_LAST_CHARACTER: Final = chr(0x10FFFF)
_SHORTEST_INSIDE: Final = 3
"""Fewer letters have no trigram of their own and would be found inside nearly every name."""


def searched_inside(words: str) -> bool:
    """Whether names are also to be searched for these words inside them."""
    return sum(character.isalnum() for character in words) >= _SHORTEST_INSIDE


def hits(number: ColumnElement[int], name: ColumnElement[str], *, inside: bool) -> CTE:
    """What the parameter `words` finds: `number`, `tier` (0 best) and `closeness` (1 best).

    Args:
        number: Number of what is named, in a table of names.
        name: Normalised name in the same table.
        inside: Whether to look inside names, too.
    """
    wanted = select(func.normalised(bindparam("words", type_=Text)).label("key")).cte("wanted")
    key = select(wanted.c.key).scalar_subquery()
    found = union_all(
        _by_prefix(number, name, key), _alike(number, name, key, inside=inside)
    ).subquery("found")
    return (
        select(
            found.c.number,
            func.min(found.c.tier).label("tier"),
            func.max(found.c.closeness).label("closeness"),
        )
        .group_by(found.c.number)
        .cte("hits")
    )


def _by_prefix(
    number: ColumnElement[int], name: ColumnElement[str], key: ColumnElement[Any]
) -> AnySelect:
    return select(
        number.label("number"),
        case((name == key, 0), else_=1).label("tier"),
        literal(1.0).label("closeness"),
    ).where(name >= key, name < key + literal(_LAST_CHARACTER, Text))


def _alike(
    number: ColumnElement[int],
    name: ColumnElement[str],
    key: ColumnElement[Any],
    *,
    inside: bool,
) -> AnySelect:
    alike = name.bool_op("%")(key)
    similarity = func.similarity(name, key)
    if not inside:
        return select(number.label("number"), literal(3), similarity).where(alike)
    contains = name.like(literal("%", Text) + key + literal("%", Text))
    return select(
        number.label("number"),
        case((contains, 2), else_=3),
        case((contains, 1.0), else_=similarity),
    ).where(alike | contains)
