"""Lists as parameters: whatever they hold comes back from Postgres as it was."""

from collections.abc import Generator
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.adapt import PyFormat

from servicekit.database import open_engine, open_reading_engine, open_sync_engine
from servicekit.list_parameters import FlatListDumper, register
from servicekit.settings import DatabaseSettings
from tests.databases import Databases

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
LARGEST = 2**63 - 1
ZONES = st.sampled_from(
    [UTC, timezone(timedelta(hours=5, minutes=30)), timezone(-timedelta(hours=9))]
)
MOMENTS = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=ZONES)  # noqa: DTZ001
LISTS = {
    "text": TEXTS,
    "bigint": st.integers(-LARGEST - 1, LARGEST),
    "boolean": st.booleans(),
    "float8": st.floats(allow_nan=False),
    "date": st.dates(),
    "timestamptz": MOMENTS,
    "numeric": st.decimals(allow_nan=False, allow_infinity=False, places=3),
    "bytea": st.binary(max_size=8),
}


@pytest.fixture(scope="module")
def connection(databases: Databases) -> Generator[psycopg.Connection[Any]]:
    with psycopg.connect(databases.empty(), autocommit=True) as opened:
        opened.execute("SET TIME ZONE 'UTC'")
        register(opened)
        yield opened


def returned(connection: psycopg.Connection[Any], values: list[Any], of: str) -> Any:
    row = connection.execute(f"SELECT %s::{of}[]".encode(), (values,)).fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize("of", LISTS)
def test_a_list_comes_back_as_it_was(connection: psycopg.Connection[Any], of: str) -> None:
    @settings(
        max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(st.lists(st.none() | LISTS[of], max_size=6), st.lists(LISTS[of], max_size=6))
    def compare(with_nulls: list[Any], values: list[Any]) -> None:
        assert returned(connection, with_nulls, of) == with_nulls
        assert returned(connection, values, of) == values

    compare()


@pytest.mark.parametrize(
    "values", [['a"b', "c\\d"], ["{}", ",", " x ", ""], ["NULL", "null", None], ['"', '","']]
)
def test_signs_of_arrays_stay_parts_of_their_texts(
    connection: psycopg.Connection[Any], values: list[Any]
) -> None:
    assert returned(connection, values, "text") == values


def test_lists_of_lists_are_written_too(connection: psycopg.Connection[Any]) -> None:
    assert returned(connection, [["a", 'b"'], ["c", "d"]], "text") == [["a", 'b"'], ["c", "d"]]
    assert returned(connection, [[1, 2], [3, 4]], "bigint") == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("of", "values"),
    [("bigint", [1, 2**40]), ("text", ["x", "y"]), ("date", [date(2024, 1, 1)]), ("text", [])],
)
def test_a_column_says_what_the_values_are_that_it_is_compared_with(
    connection: psycopg.Connection[Any], of: str, values: list[Any]
) -> None:
    query = f"SELECT count(*) FROM unnest(%s::{of}[]) AS held (key) WHERE key = ANY(%s)".encode()
    assert connection.execute(query, (values, values)).fetchone() == (len(values),)


def test_a_text_with_a_nul_is_refused(connection: psycopg.Connection[Any]) -> None:
    with pytest.raises(psycopg.DataError, match="NUL"):
        returned(connection, ["a", "b\0c"], "text")


async def test_every_engine_of_a_service_writes_lists_so(databases: Databases) -> None:
    wanted = DatabaseSettings(database_url=databases.empty())
    written: list[Any] = []
    for opened in (open_engine(wanted, "test"), open_reading_engine(wanted, "test")):
        async with opened.connect() as connection:
            raw = await connection.get_raw_connection()
            written.append(raw.driver_connection)
        await opened.dispose()
    engine = open_sync_engine(wanted, "test")
    with engine.connect() as connection:
        written.append(connection.connection.driver_connection)
    engine.dispose()
    assert [driver.adapters.get_dumper(list, PyFormat.AUTO) for driver in written] == [
        FlatListDumper
    ] * 3
