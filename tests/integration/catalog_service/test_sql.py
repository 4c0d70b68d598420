"""Callers' SQL on a real Postgres: what it answers, what holds it, and what it is told."""

import asyncio
import gc
import json
from collections.abc import Callable
from contextlib import suppress
from runpy import run_path
from time import monotonic
from typing import Any

import psycopg
import pytest
from psycopg.sql import SQL, Identifier
from pydantic import SecretStr
from structlog.testing import capture_logs

from catalog_service import MIGRATIONS
from catalog_service.domain import categories
from catalog_service.domain.sql import dataset
from catalog_service.domain.sql.errors import SqlBusy, SqlLimitReached, SqlRefused, SqlTooExpensive
from catalog_service.storage.connections import Database
from catalog_service.storage.sql import statements
from catalog_service.storage.sql.role import readable_url
from catalog_service.storage.sql.runner import PostgresSql, SqlLimits
from servicekit import database
from servicekit.errors import InvalidInput, ResourceExhausted, Unavailable
from tests.databases import Databases
from tests.fakes import growing_sql, hostile_growth, hostile_sql, sql_queries, worst_sql
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog, new_settings, running_catalog
from tests.integration.catalog_service.sql_stores import SLOW, unchecked

pytest_plugins = ["tests.integration.catalog_service.sql_fixtures"]

ACCOUNT = "acct_1"
_CONNECTED = "SELECT 1 FROM pg_stat_activity WHERE usename = %s"


async def rows_of(catalog: Catalog, sql: str) -> Any:
    reply = await catalog.call("RunSql", account_id=ACCOUNT, sql=sql)
    return json.loads(reply.rows)


async def test_rows_are_those_of_the_tables(offering: Catalog) -> None:
    rows = await rows_of(offering, "SELECT slug, paid_video_count FROM sponsors ORDER BY slug")
    with psycopg.connect(offering.settings.database_url) as connection:
        stored = connection.execute(
            "SELECT slug, paid_videos FROM sponsors ORDER BY slug"
        ).fetchall()
    assert [tuple(row) for row in rows] == stored
    assert len(rows) > 2


@pytest.mark.parametrize("example_", dataset.EXAMPLES, ids=lambda example_: example_.title)
async def test_every_published_example_runs(offering: Catalog, example_: dataset.Example) -> None:
    reply = await offering.call("RunSql", account_id=ACCOUNT, sql=example_.sql)
    assert reply.columns
    assert reply.planned_cost <= reply.max_cost


async def test_the_described_columns_are_those_of_the_views(offering: Catalog) -> None:
    with psycopg.connect(offering.settings.database_url) as connection:
        found = connection.execute(
            "SELECT relname, attname, format_type(atttypid, atttypmod) FROM pg_class "
            "JOIN pg_attribute ON attrelid = pg_class.oid WHERE relnamespace = 'dataset'::regnamespace "
            "AND attnum > 0 ORDER BY relname, attnum"
        ).fetchall()
    described = sorted(
        (
            (table.name, column.name, column.type)
            for table in dataset.TABLES
            for column in table.columns
        ),
        key=lambda entry: entry[0],
    )
    assert found == described
    reply = await offering.call("DescribeDataset")
    assert [table.name for table in reply.tables] == [table.name for table in dataset.TABLES]
    assert {table.name: table.rows for table in reply.tables}["sponsors"] > 0


async def test_each_column_says_what_share_of_its_rows_is_filled(offering: Catalog) -> None:
    reply = await offering.call("DescribeDataset")
    filled = {
        (table.name, column.name): column.filled
        for table in reply.tables
        for column in table.columns
    }
    with psycopg.connect(offering.settings.database_url) as connection:
        for table in dataset.TABLES:
            counts = SQL(", ").join(
                SQL("count({})").format(Identifier(column.name)) for column in table.columns
            )
            row = connection.execute(
                SQL("SELECT count(*), {} FROM {}").format(counts, Identifier("dataset", table.name))
            ).fetchone()
            total, *known = (int(value) for value in row or ())
            for column, count in zip(table.columns, known, strict=True):
                share = filled[table.name, column.name] if total else None
                assert share == (pytest.approx(count / total, abs=0.01) if total else None), column
                assert total == 0 or (share == 0) == (count == 0), column
                assert total == 0 or (share == 1) == (count == total), column
    assert filled["videos", "duration_seconds"] == 0
    assert 0 < (filled["sponsorships", "code"] or 0) < 1


async def test_a_table_that_postgres_has_not_measured_is_counted_and_an_empty_one_has_no_rows(
    databases: Databases,
) -> None:
    async with running_catalog(new_settings(databases.migrated(MIGRATIONS))) as fresh:
        empty = (await fresh.call("DescribeDataset")).tables
        assert {table.rows for table in empty} == {0}
        with psycopg.connect(fresh.settings.database_url, autocommit=True) as connection:
            connection.execute("ALTER TABLE sponsors SET (autovacuum_enabled = false)")
        await fresh.ingest(example.FACTS)
        sponsors = (await fresh.call("DescribeDataset")).tables[0]
        assert sponsors.rows == len([fact for fact in example.FACTS if fact.HasField("sponsor")])
        assert not any(column.HasField("filled") for column in sponsors.columns)


async def test_lists_join_the_values_of_a_bounded_subquery(offering: Catalog) -> None:
    rows = await rows_of(
        offering,
        "SELECT string_agg(t.slug, ', ' ORDER BY t.slug), array_agg(t.day ORDER BY t.slug), array_agg(t.id * 1.5 ORDER BY t.slug) "
        "FROM (SELECT slug, first_seen AS day, id FROM sponsors ORDER BY slug LIMIT 3) AS t",
    )
    each = await rows_of(
        offering, "SELECT slug, first_seen, id * 1.5 FROM sponsors ORDER BY slug LIMIT 3"
    )
    slugs, days, numbers = (list(column) for column in zip(*each, strict=True))
    assert rows == [[", ".join(slugs), days, numbers]]


async def test_no_column_has_the_name_of_a_table() -> None:
    assert not dataset.COLUMN_NAMES & dataset.TABLE_NAMES


async def test_values_of_every_type_are_json(offering: Catalog) -> None:
    ((*values,),) = await rows_of(
        offering,
        "SELECT 7, 1.5::numeric, 2.5::float8, 'NaN'::float8, true, NULL, date '2026-01-02', "
        "timestamptz '2026-01-02 03:04:05Z', ARRAY['a', NULL], 'д', 9007199254740993",
    )
    assert values[:7] == [7, 1.5, 2.5, None, True, None, "2026-01-02"]
    assert values[7].startswith("2026-01-02T03:04:05")
    assert values[8:] == [["a", None], "д", 9007199254740993]


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        ("avg(n) FROM (VALUES (1), (2), (4)) AS t(n)", 2.33333333333333),
        ("round(avg(n), 1) FROM (VALUES (1), (2), (4)) AS t(n)", 2.3),
        ("avg(n) FROM (VALUES (2), (4)) AS t(n)", 3.0),
        ("1924843.835412953060", 1924843.83541295),
        ("-0.000000000000123456789012345678", -1.23456789012346e-13),
        ("sum(n) FROM (VALUES (9007199254740992::bigint)) AS t(n)", 9007199254740992),
        ("sum(n) FROM (VALUES (9007199254740992::bigint), (1)) AS t(n)", "9007199254740993"),
        ("1234567890123456.75", 1234567890123457.0),
        ("-12345678901234567890.5", "-12345678901234567890.5"),
        ("'NaN'::numeric", None),
    ],
)
async def test_a_numeric_is_a_number_where_a_double_has_its_whole_part(
    offering: Catalog, number: str, shown: object
) -> None:
    ((value,),) = await rows_of(offering, f"SELECT {number}")
    assert (value, type(value)) == (shown, type(shown))


async def test_groups_have_the_brands_of_their_categories(offering: Catalog) -> None:
    for table, category, group in (
        ("sponsors", "category", "category_group"),
        ("sponsorships", "sponsor_category", "sponsor_group"),
        ("months", "sponsor_category", "sponsor_group"),
    ):
        rows = await rows_of(
            offering,
            f"SELECT DISTINCT {category}, {group} FROM {table} WHERE {category} <> {group}",
        )
        assert ["security", "tech"] in rows
        assert all(named in categories.with_group(member) for member, named in rows)


def test_the_views_have_the_groups_of_the_vocabulary() -> None:
    path = MIGRATIONS / "versions" / "0049_groups_of_categories.py"
    assert run_path(str(path))["GROUPS"] == {
        entry.id: categories.members(entry.id)[1:]
        for entry in categories.SPONSOR_CATEGORIES
        if len(categories.members(entry.id)) > 1
    }


async def test_a_comparison_with_a_group_comes_with_a_note(offering: Catalog) -> None:
    sql = "SELECT count(*) FROM sponsorships WHERE sponsor_category = 'tech'"
    for dry_run in (False, True):
        reply = await offering.call("RunSql", account_id=ACCOUNT, sql=sql, dry_run=dry_run)
        assert reply.note.endswith("sponsor_group of the same table has the groups.")
    reply = await offering.call("RunSql", account_id=ACCOUNT, sql="SELECT 1")
    assert not reply.HasField("note")


async def test_a_dry_run_returns_columns_and_cost_and_reads_nothing(offering: Catalog) -> None:
    reply = await offering.call("RunSql", account_id=ACCOUNT, sql=SLOW, dry_run=True)
    assert [(column.name, column.type) for column in reply.columns] == [("count", "bigint")]
    assert reply.planned_cost > 0
    assert (reply.rows, reply.row_count) == ("[]", 0)
    assert (reply.HasField("cut_off"), reply.requests) == (False, 5)


async def test_rows_beyond_the_limits_are_left_out_and_that_is_said(offering: Catalog) -> None:
    reply = await offering.call(
        "RunSql", account_id=ACCOUNT, sql="SELECT n FROM generate_series(1, 900) n"
    )
    assert (reply.row_count, len(json.loads(reply.rows))) == (500, 500)
    assert "500 rows" in reply.cut_off
    wide = f"SELECT '{'x' * 5000}' FROM generate_series(1, 400)"
    reply = await offering.call("RunSql", account_id=ACCOUNT, sql=wide)
    assert 0 < reply.row_count == len(json.loads(reply.rows)) < 60
    assert len(reply.rows) <= 256_000
    assert "256 kB" in reply.cut_off


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT nam FROM sponsors", 'column "nam" does not exist. Did you mean name'),
        ("SELECT s.youtubers FROM sponsors s", "youtuber_count"),
        ("SELECT name FROM sponsors GROUP BY category", "must appear in the GROUP BY"),
        ("SELECT 1 / 0", "division by zero"),
        ("SELECT name FROM sponsors WHERE category = 5", "operator does not exist: text = integer"),
        ("SELECT date 'yesterdayish'", "invalid input syntax for type date"),
    ],
)
async def test_postgres_own_words_and_the_nearest_name_come_back(
    offering: Catalog, sql: str, words: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        await offering.call("RunSql", account_id=ACCOUNT, sql=sql)
    assert caught.value.reason == "SQL_REFUSED"
    assert words in caught.value.public_message


async def test_the_place_that_postgres_names_is_that_of_the_callers_text(offering: Catalog) -> None:
    with pytest.raises(InvalidInput) as caught:
        await offering.call("RunSql", account_id=ACCOUNT, sql="SELECT name,\n  nam FROM sponsors")
    assert (caught.value.details["line"], caught.value.details["column"]) == ("2", "3")


async def test_a_statement_with_too_large_a_plan_is_refused_before_it_runs(
    offering: Catalog,
) -> None:
    sql = "SELECT count(*) FROM generate_series(1, 10000) a, generate_series(1, 10000) b"
    started = monotonic()
    with pytest.raises(InvalidInput) as caught:
        await offering.call("RunSql", account_id=ACCOUNT, sql=sql)
    assert caught.value.reason == "SQL_TOO_EXPENSIVE"
    assert "planned cost" in caught.value.public_message
    assert monotonic() - started < SqlLimits().seconds
    planned = await offering.call("RunSql", account_id=ACCOUNT, sql=sql, dry_run=True)
    assert planned.planned_cost > planned.max_cost
    assert planned.cut_off == f"It would be refused. {caught.value.public_message}"
    assert planned.requests == 0


@pytest.mark.parametrize(
    "sql",
    [
        *(sql for name, sql in growing_sql.GROWING.items() if name in growing_sql.HASHED),
        "SELECT name FROM sponsors WHERE name NOT IN (SELECT handle FROM youtubers)",
        "SELECT EXISTS (SELECT 1 FROM relations r WHERE r.youtuber_id = y.id) FROM youtubers y",
    ],
)
async def test_a_plan_that_holds_a_list_without_bound_is_refused_whatever_the_checks_said(
    store: PostgresSql, sql: str
) -> None:
    with pytest.raises(SqlTooExpensive, match="a whole list of this statement in memory"):
        await store.run(ACCOUNT, sql)
    with pytest.raises(SqlTooExpensive, match="a whole list of this statement in memory"):
        await store.plan(ACCOUNT, sql)


async def test_planning_has_a_limit_of_time_of_its_own(store: PostgresSql) -> None:
    hasty = unchecked(store, SqlLimits(planning_seconds=0.1))
    with pytest.raises(SqlLimitReached, match=r"longer than 0\.1 seconds"):
        await hasty.plan(ACCOUNT, worst_sql.WORST["equal values"])


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT concat(" + ", ".join(["1"] * 101) + ")",
        "SELECT " + "(" * 200 + "1" + ")::text::int" * 200,
    ],
)
async def test_what_is_too_large_for_postgres_is_said_to_be(offering: Catalog, sql: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await offering.call("RunSql", account_id="acct_large", sql=sql)
    assert caught.value.reason == "SQL_REFUSED"


async def test_a_statement_that_fails_late_counts_by_its_time(store: PostgresSql) -> None:
    late = (
        "WITH a AS MATERIALIZED (SELECT n FROM generate_series(1, 10000) n WHERE n * 0 = 0 AND n * 0 = 0 AND n * 0 = 0) "
        "SELECT sum(1 / (x.n + y.n - 20000)) FROM a x, a y"
    )
    with pytest.raises(SqlRefused) as caught:
        await store.run(ACCOUNT, late)
    assert caught.value.requests >= 1
    early = "SELECT 1 / 0"
    with pytest.raises(SqlRefused) as caught:
        await store.run(ACCOUNT, early)
    assert caught.value.requests == 0


async def test_a_statement_that_takes_too_long_or_too_much_is_ended(store: PostgresSql) -> None:
    hasty = unchecked(store, SqlLimits(seconds=0.5))
    with pytest.raises(SqlTooExpensive, match=r"longer than 0\.5 seconds|more memory or disk"):
        await hasty.run(ACCOUNT, SLOW)


@pytest.mark.parametrize(
    "sql",
    [
        r"SELECT count(*) FROM generate_series(1, 40) n WHERE (SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' ~ '^(a|aa|a?)+(\1)*$b')",
        "SELECT 'x' ~ '((((((((a{1,99}){1,99}){1,99}){1,99}))))'",
        "SELECT 'x' ~ '(a{200}){200}{200}'",
        r"SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab' ~ '(a*)(a*)(a*)(a*)(a*)\1\2\3\4\5c'",
    ],
)
async def test_a_regular_expression_that_explodes_ends_in_time(
    store: PostgresSql, sql: str
) -> None:
    with pytest.raises(SqlRefused):
        statements.check(sql)
    started = monotonic()
    with suppress(SqlRefused):
        await store.run(ACCOUNT, sql)
    assert monotonic() - started < 4 * SqlLimits().seconds


_BIG = frozenset(
    (
        *hostile_sql.GROWING,
        *hostile_growth.LONG_WORK,
        *hostile_growth.GROWTH,
        *hostile_growth.PLANS,
        *growing_sql.GROWING.values(),
    )
)
"""Too large for a server, which the checks alone keep away."""


async def test_statements_that_deceive_the_checks_write_nothing_and_read_no_stored_table(
    offering: Catalog, store: PostgresSql
) -> None:
    quick = unchecked(store, SqlLimits(seconds=0.2))
    url = offering.settings.database_url
    before = everything(url)
    ran: list[str] = []
    for sql in hostile_sql.statements():
        if (
            sql in _BIG
            or "\0" in sql
            or any("\ud800" <= part <= "\udfff" for part in sql)
            or "repeat(" in sql
            or "pad(" in sql
            or "array_fill" in sql
        ):
            continue
        with suppress(SqlRefused, Unavailable):
            await quick.run(ACCOUNT, sql)
            ran.append(sql)
    assert everything(url) == before
    reached = [
        sql
        for sql in ran
        if "FROM public." in sql
        or "TABLE public." in sql
        or "/etc/" in sql
        or "authid" in sql
        or "shadow" in sql
    ]
    assert not reached
    assert not [
        sql
        for sql in ran
        if sql.startswith(("INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER"))
    ]


def everything(url: str) -> dict[str, Any]:
    """Return the number of rows of each stored table, and the tables, roles and settings that there are."""
    with psycopg.connect(url) as connection:
        tables = [
            row[0]
            for row in connection.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
            )
        ]
        counts = {
            name: connection.execute(f"SELECT count(*) FROM {name}".encode()).fetchall()
            for name in tables
        }
        others = "SELECT relname FROM pg_class WHERE relnamespace::regnamespace::text NOT LIKE 'pg_temp%' ORDER BY 1"
        settings = "SELECT setdatabase, setrole, setconfig FROM pg_db_role_setting ORDER BY 1, 2"
        return {
            **counts,
            "": [connection.execute(others).fetchall(), connection.execute(settings).fetchall()],
        }


async def test_a_session_leaves_nothing_for_the_next(store: PostgresSql) -> None:
    with suppress(SqlRefused):
        await store.run(ACCOUNT, "SELECT set_config('search_path', 'public', false)")
    rows = await store.run(
        ACCOUNT, "SELECT current_setting('search_path'), current_setting('transaction_read_only')"
    )
    assert json.loads(rows.json) == [["dataset", "on"]]


async def test_an_account_has_two_statements_under_way_at_most(store: PostgresSql) -> None:
    slow = unchecked(store, SqlLimits(seconds=0.5, waiting=2))
    under_way = [asyncio.create_task(slow.run(ACCOUNT, SLOW)) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(SqlBusy, match="of this account"):
        await slow.run(ACCOUNT, "SELECT 1")
    waiting = asyncio.create_task(slow.run("acct_2", "SELECT 1"))
    await asyncio.sleep(0)
    with pytest.raises(SqlBusy, match="Try again"):
        await slow.run("acct_3", "SELECT 1")
    assert (await waiting).count == 1
    for task in under_way:
        with pytest.raises(SqlRefused):
            await task


async def test_a_caller_who_goes_away_frees_the_connection(
    offering: Catalog, store: PostgresSql
) -> None:
    task = asyncio.create_task(store.run(ACCOUNT, SLOW))
    with psycopg.connect(offering.settings.database_url, autocommit=True) as connection:
        role = store._url.split("//")[1].split(":")[0]
        while not connection.execute(_CONNECTED, (role,)).fetchone():  # noqa: ASYNC110 - not announced
            await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(SqlLimits().seconds):
        assert (await store.run("acct_2", "SELECT 1")).count == 1


async def test_without_a_role_sql_is_not_offered(catalog: Catalog) -> None:
    with pytest.raises(Unavailable, match="does not offer SQL"):
        await catalog.call("RunSql", account_id=ACCOUNT, sql="SELECT 1")


async def test_a_role_that_reaches_stored_tables_is_not_used(
    offering: Catalog, databases: Databases
) -> None:
    url = offering.settings.database_url
    engine = database.open_engine(offering.settings, "test")
    try:
        catalogue = Database(engine, engine)
        assert await readable_url(catalogue, url) == ""
        other = databases.powerless(url)
        assert await readable_url(catalogue, other) == other
        role = other.split("//")[1].split(":")[0]
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"GRANT SELECT ON videos TO {role}".encode())
        assert await readable_url(catalogue, other) == ""
    finally:
        await engine.dispose()


async def test_the_error_of_too_many_statements_reaches_the_caller(offering: Catalog) -> None:
    calls = [offering.call("RunSql", account_id="acct_9", sql=SLOW) for _ in range(3)]
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert sum(isinstance(outcome, ResourceExhausted) for outcome in outcomes) == 1


@pytest.mark.parametrize("sql", sql_queries.STATEMENTS)
async def test_a_statement_that_callers_may_write_runs(store: PostgresSql, sql: str) -> None:
    statements.check(sql)
    rows = await store.run(ACCOUNT, sql)
    assert rows.plan.columns


async def test_days_and_numbers_beyond_pythons_come_back(offering: Catalog) -> None:
    sql = (
        "SELECT 'infinity'::date, '4713-01-01 BC'::date, date '20000-01-01', time '24:00', 'NaN'::numeric, "
        "'Infinity'::numeric, 1e40, timestamp '-infinity', 1.0e-20, 'infinity'::float8, timestamptz '20000-01-01 00:00Z'"
    )
    ((*values,),) = await rows_of(offering, sql)
    assert values == [
        *("infinity", "4713-01-01 BC", "20000-01-01", "24:00:00", None, None),
        *(
            "1" + "0" * 40,
            "-infinity",
            1e-20,
            None,
            "20000-01-01T00:00:00+00:00",
        ),
    ]


async def test_an_interval_has_its_months_and_years(offering: Catalog) -> None:
    rows = await rows_of(offering, "SELECT interval '1 year 2 months 3 days', interval '1 month'")
    assert rows == [["1 year 2 mons 3 days", "1 mon"]]


async def test_types_have_the_names_of_the_schema(offering: Catalog) -> None:
    sql = "SELECT id, domains, first_seen, 1::int2, 1.5, true, now(), 'a'::varchar(3) FROM sponsors LIMIT 1"
    reply = await offering.call("RunSql", account_id=ACCOUNT, sql=sql)
    assert [column.type for column in reply.columns] == [
        *("bigint", "text[]", "date", "smallint", "numeric", "boolean"),
        *("timestamp with time zone", "character varying(3)"),
    ]


async def test_a_row_that_is_too_large_alone_is_said_to_be(store: PostgresSql) -> None:
    rows = await store.run(ACCOUNT, "SELECT repeat('x', 300000)")
    assert (rows.json, rows.count) == (b"[]", 0)
    assert "first row alone" in (rows.cut_off or "")


async def test_a_result_without_rows_has_its_columns(store: PostgresSql) -> None:
    rows = await store.run(ACCOUNT, "SELECT id, name FROM sponsors WHERE false")
    assert rows.plan.columns == [("id", "bigint"), ("name", "text")]


async def test_a_result_has_a_hundred_columns_at_most(store: PostgresSql) -> None:
    with pytest.raises(SqlRefused, match="at most 100 columns"):
        await store.run(ACCOUNT, "SELECT " + ", ".join(["1"] * 101))


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT 1 FROM sponsors WHERE id = 'sp_12'", "Ids are numbers here"),
        ("SELECT sponsors.id FROM sponsors s", 'missing FROM-clause entry for table "sponsors"'),
        ("SELECT lower(id) FROM sponsors", "does not take (int) here. It is written lower(text)"),
        ("SELECT max(domains) FROM sponsors", "max(any); arrays are taken by cardinality"),
        ("SELECT name FROM sponsors LIMIT 1 + 1", "LIMIT is a whole number here"),
        ("SELECT '1'::json", "there are bigint"),
    ],
)
async def test_a_refusal_has_a_remedy(offering: Catalog, sql: str, words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await offering.call("RunSql", account_id="acct_remedy", sql=sql)
    assert words in caught.value.public_message


async def test_an_account_has_few_free_statements_a_minute(offering: Catalog) -> None:
    account = "acct_free"
    accepted = 0
    # On a busy machine one takes longer than a tenth of a second, and counts as several.
    with suppress(ResourceExhausted):
        while accepted < 30:
            await offering.call("RunSql", account_id=account, sql="SELECT 1", dry_run=True)
            accepted += 1
    assert 0 < accepted <= 21
    with pytest.raises(ResourceExhausted, match="cost nothing lately"):
        await offering.call("RunSql", account_id=account, sql="SELECT 1")
    await offering.call("RunSql", account_id="acct_other", sql="SELECT 1")


async def test_a_slot_is_held_until_the_server_process_is_gone(
    offering: Catalog, store: PostgresSql
) -> None:
    """A search of one text in another looks at no cancellation, and takes seconds."""
    searched = "SELECT strpos(repeat('ab', 140000), 'c' || repeat('ab', 70000))"
    hasty = unchecked(store, SqlLimits(seconds=0.1))
    role = store._url.split("//")[1].split(":")[0]
    query = "SELECT count(*) FROM pg_stat_activity WHERE usename = %s AND application_name = 'catalog sql'"
    with psycopg.connect(offering.settings.database_url, autocommit=True) as connection:
        with pytest.raises(SqlTooExpensive):
            await hasty.run(ACCOUNT, searched)
        assert connection.execute(query, (role,)).fetchone() == (1,), "it has ended too soon"
        waiting = asyncio.create_task(hasty.run("acct_2", "SELECT 1"))
        # The next statement's own connection is made when the first one's process is gone, and not before.
        max_connected = 0
        while not waiting.done():
            row = connection.execute(query, (role,)).fetchone()
            max_connected = max(max_connected, row[0] if row else 0)
            await asyncio.sleep(0.005)
        assert (await waiting).count == 1
    assert max_connected == 1


async def test_a_time_limit_is_reported_in_time_though_the_server_goes_on(
    store: PostgresSql,
) -> None:
    stuck = "SELECT strpos(repeat('ab', 200000), repeat('ab', 100000) || 'c')"
    hasty = unchecked(store, SqlLimits(seconds=0.2))
    started = monotonic()
    with suppress(SqlRefused):
        await hasty.run(ACCOUNT, stuck)
    assert monotonic() - started < 2
    await hasty.run(ACCOUNT, "SELECT 1")


async def test_a_service_that_stops_closes_the_connection_of_a_statement_that_goes_on(
    databases: Databases, postgres_url: str
) -> None:
    url = databases.migrated(MIGRATIONS)
    sql_url = databases.powerless(url)
    role = sql_url.split("//")[1].split(":")[0]
    settings = new_settings(url).model_copy(update={"sql_url": SecretStr(sql_url)})
    query = "SELECT count(*) FROM pg_stat_activity WHERE usename = %s AND query LIKE %s"
    async with running_catalog(settings) as running:
        statement = asyncio.create_task(running.call("RunSql", account_id=ACCOUNT, sql=SLOW))
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            while connection.execute(query, (role, "WITH a AS%")).fetchone() == (0,):  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.005)
        statement.cancel()
        with pytest.raises(asyncio.CancelledError):
            await statement
    objects: list[Any] = gc.get_objects()
    connections: list[Any] = [
        item for item in objects if issubclass(type(item), psycopg.AsyncConnection)
    ]
    assert not [item for item in connections if not item.closed and item.info.user == role]


@pytest.mark.parametrize(
    ("grant", "reason"),
    [
        ("GRANT SELECT (id) ON videos TO {role}", "reaches the table"),
        ("GRANT UPDATE (name) ON dataset.sponsors TO {role}", "reaches the table"),
        ("GRANT SELECT ON alembic_version TO {role}", "reaches the table"),
        ("GRANT USAGE ON SEQUENCE sponsors_id_seq TO {role}", "reaches the sequence"),
        ("GRANT CREATE ON SCHEMA public TO {role}", "may create in the schema public"),
        (
            "CREATE SCHEMA elsewhere; CREATE TABLE elsewhere.secrets (a int); GRANT SELECT ON elsewhere.secrets TO {role}",
            "reaches the table",
        ),
        (
            "CREATE FUNCTION public.f() RETURNS int SECURITY DEFINER LANGUAGE sql AS 'SELECT 1'",
            "its owner's rights",
        ),
    ],
)
async def test_a_role_with_more_than_the_dataset_is_not_used(
    databases: Databases, fresh_database: Callable[[], str], grant: str, reason: str
) -> None:
    url = fresh_database()
    settings = new_settings(url)
    engine = database.open_engine(settings, "test")
    try:
        catalogue = Database(engine, engine)
        other = databases.powerless(url)
        assert await readable_url(catalogue, other) == other
        role = other.split("//")[1].split(":")[0]
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(grant.format(role=role).encode())
        with capture_logs() as lines:
            assert await readable_url(catalogue, other) == ""
        assert reason in lines[0]["reason"]
    finally:
        await engine.dispose()


async def test_a_role_without_a_limit_of_temporary_files_is_not_used(
    databases: Databases, fresh_database: Callable[[], str], postgres_url: str
) -> None:
    url = fresh_database()
    engine = database.open_engine(new_settings(url), "test")
    try:
        other = databases.powerless(url)
        role = other.split("//")[1].split(":")[0]
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(f"ALTER ROLE {role} RESET temp_file_limit".encode())
        assert await readable_url(Database(engine, engine), other) == ""
    finally:
        await engine.dispose()
