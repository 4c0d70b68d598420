"""Keyset pagination of ordered lists: each page begins behind the sort values of the page before's last entry.

An entry that appears or moves between two pages shifts no other entry: those that did not move are listed once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, TypeVar

from sqlalchemy import (
    ColumnElement,
    Integer,
    Text,
    UnaryExpression,
    and_,
    bindparam,
    false,
    func,
    literal_column,
    or_,
)

from catalog_service.domain.queries import Page, Ranked, SortValue
from catalog_service.storage.columns import AnyRow

T = TypeVar("T")

LIMIT: Final = bindparam("limit", type_=Integer)


@dataclass(frozen=True, eq=False)
class SortKey:
    """A column or expression that rows are ordered by; unknown values come last."""

    value: ColumnElement[Any]
    is_descending: bool = False
    is_nullable: bool = False

    @property
    def clause(self) -> ColumnElement[Any]:
        ordered: UnaryExpression[Any] = (
            self.value.desc() if self.is_descending else self.value.asc()
        )
        return ordered.nulls_last() if self.is_nullable else ordered


SortKeys = tuple[SortKey, ...]
"""An order that is total: its last key differs in every row."""


def descending(value: ColumnElement[Any], *, is_nullable: bool = False) -> SortKey:
    return SortKey(value, is_descending=True, is_nullable=is_nullable)


def beginning(text: ColumnElement[str]) -> ColumnElement[str]:
    """Return as much of a text as fits into a cursor; indexes for orders have it in this form."""
    return func.left(text, literal_column("100"), type_=Text)


def clauses(keys: SortKeys) -> list[ColumnElement[Any]]:
    return [key.clause for key in keys]


def labels(keys: SortKeys) -> list[ColumnElement[Any]]:
    """Return the columns to select for `cut`."""
    return [key.value.label(_label(position)) for position, key in enumerate(keys)]


def behind(keys: SortKeys) -> ColumnElement[bool]:
    """Return the condition on rows behind the position whose values are `parameters`."""
    condition: ColumnElement[bool] = false()
    for position, key in reversed(tuple(enumerate(keys))):
        at = bindparam(_parameter(position), type_=key.value.type)
        further, same = key.value < at if key.is_descending else key.value > at, key.value == at
        if key.is_nullable:
            further = or_(further, and_(key.value.is_(None), at.is_not(None)))
            same = key.value.is_not_distinct_from(at)
        condition = or_(further, and_(same, condition))
    return condition


def parameters(page: Page) -> dict[str, Any]:
    """Return the parameters of `LIMIT`, one row more than the page holds, and of `behind`."""
    values: dict[str, Any] = {"limit": page.limit + 1}
    return values | {_parameter(position): value for position, value in enumerate(page.after or ())}


def cut(page: Page, rows: Sequence[AnyRow], entry: Callable[[AnyRow], T]) -> Ranked[T]:
    """Return the page of rows that were selected with `labels` and `LIMIT`."""
    shown = rows[: page.limit]
    last = _values(shown[-1]) if len(rows) > page.limit else None
    return Ranked(tuple(entry(row) for row in shown), last)


def _values(row: AnyRow) -> tuple[SortValue, ...]:
    found: dict[str, Any] = row._asdict()
    names = (_label(position) for position in range(len(found)))
    return tuple(_plain(found[name]) for name in names if name in found)


def _plain(value: Any) -> SortValue:
    return value.isoformat() if isinstance(value, date) else value


def _label(position: int) -> str:
    return f"sort_value_{position}"


def _parameter(position: int) -> str:
    return f"after_{position}"
