"""The check of a backup: it is restored into scratch databases, and what is there is held against its manifest.

Keys, unique and foreign ones, are checked by Postgres itself, which builds them from the rows: where they do not hold,
nothing is restored.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import psycopg

from cli.backups.archive import DatabasePart, Manifest
from cli.backups.encryption import NO_KEYS, BackupKeys
from cli.backups.locations import DatabaseLocations
from cli.backups.restore import Report, bring_up_to_date, fill_databases
from cli.backups.scratch import scratch_databases
from cli.backups.snapshots import rows_by_table
from devstack.schemas import is_up_to_date, revision_of
from devstack.services import DATABASES

_LEDGER: Final = "auth"
_STORED_DAYS: Final = 33
"""Single entries are stored for 35 days at least; of the first and last of them a part may be missing."""

_NOT_IN_FORCE: Final = """
    SELECT format('the index %s', indexrelid::regclass) FROM pg_index WHERE NOT (indisvalid AND indisready)
    UNION ALL
    SELECT format('the foreign key %s of %s', conname, conrelid::regclass)
    FROM pg_constraint WHERE contype = 'f' AND NOT convalidated
    ORDER BY 1
"""
_WRONG_DAYS: Final = """
    WITH entries AS (
        SELECT (admitted_at AT TIME ZONE 'UTC')::date AS day, account_id, tool, credential_id,
               sum(cost)::bigint AS requests
        FROM usage_entries GROUP BY 1, 2, 3, 4
    )
    SELECT day::text, coalesce(sum(entries.requests), 0)::bigint, coalesce(sum(sums.requests), 0)::bigint
    FROM entries FULL JOIN usage_daily AS sums USING (day, account_id, tool, credential_id)
    WHERE day >= %(first)s
    GROUP BY day
    HAVING bool_or(coalesce(entries.requests, 0) <> coalesce(sums.requests, 0))
    ORDER BY day
"""


@dataclass(frozen=True, slots=True)
class Verification:
    """What a check found."""

    made_at: str
    tables: int
    rows: int
    seconds: float
    problems: tuple[str, ...]


def verify_backup(
    source: Path, server: str | None, report: Report, keys: BackupKeys = NO_KEYS
) -> Verification:
    """Restore a backup into scratch databases, and compare what is there with what was backed up.

    Args:
        source: The file of the backup.
        server: A server for the scratch databases; None starts one.
        report: Is called with what is being done.
        keys: The private keys that read the backup.

    Raises:
        BackupError: It cannot be restored at all.
    """
    begun = time.monotonic()
    with scratch_databases(server, DATABASES) as urls:
        locations = DatabaseLocations(urls, None)
        manifest = fill_databases(source, locations, report, force=False, keys=keys).manifest
        report("Comparing it with its manifest")
        counts = {name: _count(url) for name, url in urls.items()}
        problems = _problems(manifest, urls, counts)
        bring_up_to_date(locations, report)
        problems += [
            f"{name} is not at the schema of this version after its migrations."
            for name, url in urls.items()
            if not is_up_to_date(url, name)
        ]
    tables = [rows for counted in counts.values() for rows in counted.values()]
    return Verification(
        manifest.created_at, len(tables), sum(tables), time.monotonic() - begun, tuple(problems)
    )


def _count(url: str) -> dict[str, int]:
    with psycopg.connect(url) as connection:
        return rows_by_table(connection)


def _problems(
    manifest: Manifest, urls: Mapping[str, str], counts: Mapping[str, Mapping[str, int]]
) -> list[str]:
    problems: list[str] = []
    for name, url in urls.items():
        part = manifest.databases[name]
        problems += _wrong_counts(name, part, counts[name])
        with psycopg.connect(url) as connection:
            revision = revision_of(connection)
            if revision != part.revision:
                problems.append(f"{name} is at schema {revision}, not {part.revision}.")
            rows = connection.execute(_NOT_IN_FORCE).fetchall()
            problems += [f"{name}: {subject} is not in force." for (subject,) in rows]
            if name == _LEDGER:
                problems += _wrong_days(connection, manifest.created_at)
    return problems


def _wrong_counts(name: str, part: DatabasePart, counts: Mapping[str, int]) -> list[str]:
    if part.rows is None:
        return []
    return [
        f"{name}: {table} has {counts.get(table, 'no')} rows, not {part.rows.get(table, 'any')}."
        for table in sorted({*part.rows, *counts})
        if counts.get(table) != part.rows.get(table)
    ]


def _wrong_days(connection: psycopg.Connection, created_at: str) -> list[str]:
    """Compare the ledger's sums of days with its entries, for the days of which all entries are stored."""
    first = datetime.fromisoformat(created_at).date() - timedelta(days=_STORED_DAYS)
    rows = connection.execute(_WRONG_DAYS, {"first": first}).fetchall()
    return [
        f"{_LEDGER}: of {day} the ledger has {entries} requests, and their sum is {requests}."
        for day, entries, requests in rows
    ]
