"""How many rows each step of the plans of statements reads."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

import psycopg
from sqlalchemy.dialects.postgresql import psycopg as dialects

from catalog_service.storage.columns import AnySelect
from catalog_service.storage.connections import Rows

_REMOVED: Final = ("Rows Removed by Filter", "Rows Removed by Join Filter")


class PlanReader:
    """Runs statements under EXPLAIN and keeps how many rows each step of their plans read."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection
        self.rows: list[float] = []

    async def execute(
        self, statement: AnySelect, values: Mapping[str, Any] | None = None, /
    ) -> Rows:
        compiled = statement.compile(dialect=dialects.dialect())
        arrays = {name: _array(value) for name, value in (values or {}).items()}
        plan = self._connection.execute(
            f"EXPLAIN (ANALYZE, FORMAT JSON) {compiled}".encode(), {**compiled.params, **arrays}
        ).fetchone()
        assert plan is not None
        self.rows += _rows(plan[0][0]["Plan"])
        return Rows()


def _array(value: object) -> object:
    return list(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else value


def _rows(node: Mapping[str, Any]) -> Iterator[float]:
    read = node["Actual Rows"] + sum(node.get(name, 0) for name in _REMOVED)
    yield read * node["Actual Loops"]
    yield from itertools.chain.from_iterable(map(_rows, node.get("Plans", ())))
