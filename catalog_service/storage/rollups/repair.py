"""Rollups computed again while the catalogue is read and written.

What a rollup should be is computed in a snapshot, a range at a time, and compared with what it is there. The difference
is added under the lock of the ingest, a batch at a time: as imports only add to sums, the difference is the same whatever was
imported since. Two rebuilds would add it twice: one holds a lock of its own until it ends. The videos of youtubers by
content category, which have days that do not add up, are counted again under the lock instead.
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg import IsolationLevel

from catalog_service.storage.connections import WRITER_LOCK
from catalog_service.storage.rollups import youtuber_contents
from catalog_service.storage.rollups.growth import grow
from catalog_service.storage.rollups.recomputation import ROLLUPS
from catalog_service.storage.rollups.recomputation.model import Rollup

_RANGES: Final = {"sponsors": 1_000, "videos": 50_000, "youtubers": 2_000}
"""Numbers in a range, by table."""

_BATCH: Final = 10_000
"""Differences that are added at once."""

_REBUILD_LOCK: Final = 0x5B0_0111
"""The advisory lock of the one session that repairs rollups."""

Report = Callable[[str, int, int], None]
"""Takes the name of a rollup, the ranges that are done and how many there are."""


@dataclass(frozen=True, slots=True)
class Drift:
    """A rollup that was wrong, and the number of its wrong rows."""

    table: str
    rows: int


class RebuildRunningError(Exception):
    """Another session repairs the rollups of this catalogue."""


def rebuild(url: str, report: Report, *, repairs: bool = True) -> Sequence[Drift]:
    """Compare all rollups with the sponsorships and videos, and correct the wrong ones.

    Args:
        url: Of the catalogue's database.
        report: Called after each range.
        repairs: Whether wrong rows are corrected.

    Raises:
        RebuildRunningError: Rollups are to be changed, and another session does that.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        if repairs and not _is_locked(connection):
            raise RebuildRunningError
        connection.isolation_level = IsolationLevel.REPEATABLE_READ
        found = [_rebuild(connection, rollup, report, repairs=repairs) for rollup in ROLLUPS]
        found.append(_recount(connection, report, repairs=repairs))
    return [drift for drift in found if drift.rows]


def _rebuild(
    connection: psycopg.Connection[Any], rollup: Rollup, report: Report, *, repairs: bool
) -> Drift:
    with connection.transaction():
        _compute(connection, rollup, report)
        rows = _compare(connection, rollup)
        labels = _count_wrong_labels(connection, rollup) if rollup.label else 0
    if repairs:
        for first in range(1, rows + 1, _BATCH):
            _add(connection, rollup, first)
        for _ in range(0, labels, _BATCH):
            _label(connection, rollup)
    for table in ("pg_temp.difference", "pg_temp.expected"):
        connection.execute(f"DROP TABLE {table}".encode())
    return Drift(rollup.table, rows + labels)


def _recount(connection: psycopg.Connection[Any], report: Report, *, repairs: bool) -> Drift:
    """Compare the videos of youtubers by content category with the videos; count those that are off again."""
    step = _RANGES["youtubers"]
    starts = range(1, _last(connection, "youtubers") + 1, step)
    wrong = {*connection.execute(youtuber_contents.ORPHANS.encode()).fetchall()}
    _count_again(connection, wrong, repairs=repairs)
    report(youtuber_contents.TABLE, 0, len(starts))
    for done, first in enumerate(starts, 1):
        values = {"first": first, "last": first + step - 1}
        found = {*connection.execute(youtuber_contents.DIFFERENCES.encode(), values).fetchall()}
        _count_again(connection, found, repairs=repairs)
        wrong |= found
        report(youtuber_contents.TABLE, done, len(starts))
    return Drift(youtuber_contents.TABLE, len(wrong))


def _count_again(
    connection: psycopg.Connection[Any], keys: AbstractSet[tuple[int, str]], *, repairs: bool
) -> None:
    """Count the videos of the youtubers of some rows again, if that is to be done."""
    if keys and repairs:
        numbers = {"numbers": sorted({number for number, _ in keys})}
        _change(connection, *youtuber_contents.RECOUNT, values=numbers)


def _is_locked(connection: psycopg.Connection[Any]) -> bool:
    """Take the lock of the rebuild until the connection ends, unless another session has it."""
    row = connection.execute("SELECT pg_try_advisory_lock(%s)", (_REBUILD_LOCK,)).fetchone()
    return bool(row and row[0])


def _compute(connection: psycopg.Connection[Any], rollup: Rollup, report: Report) -> None:
    """Fill the table `expected` with what the sponsorships say, in several rows by key."""
    columns = ", ".join((*rollup.keys, *rollup.sums))
    connection.execute(
        f"CREATE TEMP TABLE expected AS SELECT {columns} FROM {rollup.table} WHERE false".encode()  # noqa: S608 - names of ours
    )
    ranges = [
        (part, first, first + _RANGES[part.table] - 1)
        for part in rollup.parts
        for first in range(1, _last(connection, part.table) + 1, _RANGES[part.table])
    ]
    report(rollup.table, 0, len(ranges))
    for done, (part, first, last) in enumerate(ranges, 1):
        insert = f"INSERT INTO expected ({columns}) {part.select}"
        connection.execute(insert.encode(), {"first": first, "last": last})
        report(rollup.table, done, len(ranges))


def _last(connection: psycopg.Connection[Any], table: str) -> int:
    query = f"SELECT coalesce(max(id), 0) FROM {table}"  # noqa: S608 - names of ours
    row = connection.execute(query.encode()).fetchone()
    return row[0] if row else 0


def _compare(connection: psycopg.Connection[Any], rollup: Rollup) -> int:
    """Fill the table `difference` with what the rollup lacks, numbered from 1; return its length."""
    keys, sums = ", ".join(rollup.keys), ", ".join(rollup.sums)
    less = ", ".join(f"-{name}" for name in rollup.sums)
    added = ", ".join(f"sum({name})::bigint AS {name}" for name in rollup.sums)
    differs = " OR ".join(f"sum({name}) <> 0" for name in rollup.sums)
    connection.execute(
        f"""
        CREATE TEMP TABLE difference AS
        SELECT row_number() OVER () AS number, {keys}, {added}
        FROM (SELECT {keys}, {sums} FROM expected
              UNION ALL SELECT {keys}, {less} FROM {rollup.table}) AS one
        GROUP BY {keys} HAVING {differs}""".encode()  # noqa: S608 - names of ours
    )
    row = connection.execute("SELECT count(*) FROM difference").fetchone()
    return row[0] if row else 0


def _add(connection: psycopg.Connection[Any], rollup: Rollup, first: int) -> None:
    names = ", ".join((*rollup.keys, *rollup.sums))
    label, sponsors = "", ""
    if "sponsor_id" in rollup.keys:
        # One that is merged since has no rollups any more.
        label = f", s.category AS {rollup.label}" if rollup.label else ""
        sponsors = "JOIN sponsors AS s ON s.id = sponsor_id"
    named = ", ".join(f"difference.{name}" for name in names.split(", "))
    source = (
        f"grown AS (SELECT {named}{label} FROM difference {sponsors} "  # noqa: S608 - names of ours
        f"WHERE number BETWEEN {first} AND {first + _BATCH - 1})"
    )
    merge = grow(rollup.table, " ".join(rollup.keys), " ".join(rollup.sums), source, rollup.label)
    _change(connection, f"WITH one AS (SELECT 1){merge} SELECT 1")


def _wrong_labels(rollup: Rollup) -> str:
    """Return the statement that selects the rows whose label is not the sponsor's."""
    return (
        f"SELECT r.ctid AS row, s.category FROM {rollup.table} AS r JOIN sponsors AS s ON s.id = r.sponsor_id "  # noqa: S608 - names of ours
        f"WHERE r.{rollup.label} IS DISTINCT FROM s.category"
    )


def _count_wrong_labels(connection: psycopg.Connection[Any], rollup: Rollup) -> int:
    query = f"SELECT count(*) FROM ({_wrong_labels(rollup)}) AS wrong"  # noqa: S608 - names of ours
    row = connection.execute(query.encode()).fetchone()
    return row[0] if row else 0


def _label(connection: psycopg.Connection[Any], rollup: Rollup) -> None:
    _change(
        connection,
        f"UPDATE {rollup.table} AS r SET {rollup.label} = wrong.category "  # noqa: S608 - names of ours
        f"FROM ({_wrong_labels(rollup)} LIMIT {_BATCH}) AS wrong WHERE r.ctid = wrong.row",
    )


def _change(
    connection: psycopg.Connection[Any],
    *statements: str,
    values: Mapping[str, Any] | None = None,
) -> None:
    """Run statements under the lock of the ingest, and say that answers of before are old."""
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (WRITER_LOCK,))
        for statement in statements:
            connection.execute(statement.encode(), values)
        connection.execute(
            "UPDATE catalog_state SET version = version + 1, change_id = gen_random_uuid()"
        )
