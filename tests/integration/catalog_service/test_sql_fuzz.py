"""Generated SQL on a real Postgres: what is accepted has the types and sizes that the checks took it for, and ends in time."""

from __future__ import annotations

import os
from collections.abc import Generator
from time import monotonic
from typing import Any, Final

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings

from catalog_service.domain.sql.allowed import TYPES
from catalog_service.domain.sql.errors import SqlRefused
from catalog_service.storage.sql import statements
from catalog_service.storage.sql.runner import PostgresSql
from catalog_service.storage.sql.scopes import Relation
from tests.fakes import sql_grammar, sql_queries

pytest_plugins = ["tests.integration.catalog_service.sql_fixtures"]

_EXAMPLES: Final = int(os.environ.get("SQL_FUZZ_EXAMPLES", "300"))
_NEVER: Final = (psycopg.errors.OutOfMemory, psycopg.errors.UndefinedColumn)
_SECONDS: Final = 1


class Fuzzed:
    """A connection of the role, and how the statements went."""

    def __init__(self, url: str) -> None:
        options = f"-c search_path=dataset -c statement_timeout={_SECONDS}s -c default_transaction_read_only=on"
        self.connection = psycopg.connect(url, autocommit=True, options=options)
        self.accepted = 0
        self.ran = 0

    def run(self, sql: str) -> None:
        """Run a statement if the checks accept it, and hold its result against what they know."""
        try:
            relation = statements.check(sql).rows
        except SqlRefused:
            return
        self.accepted += 1
        started = monotonic()
        failure: Exception | None = None
        try:
            cursor = self.connection.execute(sql.encode())
            rows = cursor.fetchmany(50)
        except psycopg.errors.QueryCanceled:
            rows, cursor = [], None
        except psycopg.Error as error:
            failure = error
            rows, cursor = [], None
        assert not isinstance(failure, _NEVER), sql
        assert monotonic() - started < _SECONDS + 1, sql
        if cursor is not None:
            self.ran += 1
            _check_columns(sql, relation, cursor, rows)


def _check_columns(sql: str, relation: Relation, cursor: Any, rows: list[tuple[Any, ...]]) -> None:
    names = [column.name for column in cursor.description]
    assert names == [name for name, _ in relation.columns], sql
    for index, (column, (_, value)) in enumerate(
        zip(cursor.description, relation.columns, strict=True)
    ):
        shown = str(column.type_display).removeprefix("pg_catalog.").partition("(")[0]
        base = shown.removesuffix("[]")
        known = TYPES.get(base, base) + ("[]" if shown != base else "")
        assert _agrees(value.kind, known), (sql, value.kind, known)
        for row in rows:
            assert len(str(row[index])) <= value.size * 2 + 60, (sql, row[index], value)


def _agrees(taken_for: str, known: str) -> bool:
    """Return whether a value is of the kind that it was taken for, or of one that cannot grow more."""
    numbers = ("int", "float", "numeric")
    if taken_for in numbers and known in numbers:
        # Taken for a number with more digits than it has is safe.
        return known != "numeric" or taken_for == "numeric"
    fixed = {"date", "timestamp", "interval", "time", "bool", "int", "float"}
    return (
        taken_for == known
        or (taken_for in fixed and known in fixed)
        or (taken_for == "text" and known in fixed)
    )


@pytest.fixture(scope="module")
def fuzzed(store: PostgresSql) -> Generator[Fuzzed]:
    fuzzed = Fuzzed(store._url)
    with fuzzed.connection:
        yield fuzzed


@pytest.mark.parametrize("sql", sql_queries.STATEMENTS)
def test_statements_of_callers_have_the_columns_that_were_expected(
    fuzzed: Fuzzed, sql: str
) -> None:
    before = fuzzed.ran
    fuzzed.run(sql)
    assert fuzzed.ran == before + 1


@settings(
    max_examples=_EXAMPLES,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
        HealthCheck.large_base_example,
    ],
)
@given(sql=sql_grammar.statements())
def test_generated_statements_are_refused_or_are_what_they_were_taken_for(
    fuzzed: Fuzzed, sql: str
) -> None:
    fuzzed.run(sql)


def test_many_generated_statements_ran(fuzzed: Fuzzed) -> None:
    assert fuzzed.ran > _EXAMPLES // 20, (fuzzed.accepted, fuzzed.ran)
