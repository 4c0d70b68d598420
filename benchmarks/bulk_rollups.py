"""Fill the rollups of a catalogue from all of its sponsorships, several tables at a time.

Videos, sponsors and youtubers are summed up a range of their numbers at a time, so that what is grouped stays in memory.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Final

import psycopg

from catalog_service.storage.rollups.recomputation.model import Part, Rollup

_VIDEOS_A_RANGE: Final = 500_000
_SPONSORSHIPS_A_RANGE: Final = 1_000_000
"""Of sponsors and youtubers, on average."""

_SETTINGS: Final = (
    "SET session_replication_role = replica; SET synchronous_commit = off; "
    "SET maintenance_work_mem = '512MB'; SET work_mem = '256MB'"
)


@contextmanager
def session(url: str) -> Generator[psycopg.Connection]:
    """Connect to fill: foreign keys are not checked, and what a crash would lose is made again."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_SETTINGS.encode())
        yield connection


def fill(url: str, rollup: Rollup) -> None:
    """Make all rows of a rollup anew; those with a label need `sponsors` to be there."""
    with session(url) as connection:
        connection.execute(f"TRUNCATE {rollup.table}".encode())
        if "sponsor_id" in rollup.keys:
            _fill_by_sponsor(connection, rollup)
        else:
            _fill_from_parts(connection, rollup)


def _fill_by_sponsor(connection: psycopg.Connection, rollup: Rollup) -> None:
    """Fill a rollup whose ranges have no keys in common."""
    for part in rollup.parts:
        for first, last in _ranges(connection, part):
            selected = part.select % {"first": first, "last": last}
            columns = ", ".join((*rollup.keys, *rollup.sums))
            connection.execute(_summed(rollup, f"({selected}) AS part({columns})").encode())


def _fill_from_parts(connection: psycopg.Connection, rollup: Rollup) -> None:
    columns = ", ".join((*rollup.keys, *rollup.sums))
    connection.execute(
        f"CREATE TEMPORARY TABLE part AS SELECT {columns} FROM {rollup.table} WHERE false".encode()  # noqa: S608 - names of ours
    )
    for part in rollup.parts:
        for first, last in _ranges(connection, part):
            selected = part.select % {"first": first, "last": last}
            connection.execute(f"INSERT INTO part ({columns}) {selected}".encode())
    connection.execute(_summed(rollup, "part").encode())


def _ranges(connection: psycopg.Connection, part: Part) -> Iterator[tuple[int, int]]:
    found = connection.execute(
        f"SELECT (SELECT coalesce(max(id), 0) FROM {part.table}), (SELECT count(*) FROM sponsorships)".encode()  # noqa: S608 - names of ours
    ).fetchone()
    highest, sponsorships = found or (0, 0)
    size = _VIDEOS_A_RANGE
    if part.table != "videos":
        size = -(-(highest + 1) // (1 + sponsorships // _SPONSORSHIPS_A_RANGE))
    for first in range(0, highest + 1, size):
        yield first, first + size - 1


def _summed(rollup: Rollup, parts: str) -> str:
    """Return the statement that adds up the parts; with a label, that of the sponsor."""
    columns = ", ".join((*rollup.keys, *rollup.sums))
    sums = ", ".join(f"sum({name})" for name in rollup.sums)
    keys = ", ".join(rollup.keys)
    found = f"SELECT {keys}, {sums} FROM {parts} GROUP BY {keys}"  # noqa: S608 - names of ours
    if rollup.label is None:
        return f"INSERT INTO {rollup.table} ({columns}) {found}"
    return (
        f"INSERT INTO {rollup.table} ({columns}, {rollup.label}) SELECT found.*, s.category "  # noqa: S608 - names of ours
        f"FROM ({found}) AS found JOIN sponsors AS s ON s.id = found.sponsor_id"
    )
