"""A plan as text for a person, and as values for JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from servicekit.migration.plan import Plan, PlannedMigration, PlannedStatement, PlannedTable

NOTHING_TO_DO: Final = 0
SOMETHING_TO_DO: Final = 3
"""Exit statuses of `migrate --plan`."""

_SQL_COLUMNS: Final = 160


def exit_status(*plans: Plan) -> int:
    """Return the status that a command with these plans ends with."""
    return SOMETHING_TO_DO if any(plan.migrations for plan in plans) else NOTHING_TO_DO


def values(plan: Plan) -> dict[str, Any]:
    """Return what JSON has of a plan."""
    return asdict(plan) | {"seconds": sum(migration.seconds for migration in plan.migrations)}


def lines(name: str, plan: Plan, *, with_sql: bool = True) -> Iterator[str]:
    """Yield the lines of a plan."""
    if not plan.migrations:
        yield f"{name}: schema {plan.current}, nothing to migrate. {plan.remark}".rstrip()
        return
    count = len(plan.migrations)
    yield f"{name}: schema {plan.current or 'none'} to {plan.target}, {count} migration{'s' if count > 1 else ''}"
    yield f"  {_reading(plan)}"
    for migration in plan.migrations:
        yield from _migration(migration, with_sql=with_sql)


def _reading(plan: Plan) -> str:
    if plan.version_before_works is None:
        return "The database was never migrated."
    if plan.version_before_works:
        return f"Code of schema {plan.current} works on the result (readable from {plan.readable_from})."
    return (
        f"Code of schema {plan.current} does NOT work on the result (readable from {plan.readable_from}): "
        "stop its services first."
    )


def _migration(migration: PlannedMigration, *, with_sql: bool) -> Iterator[str]:
    yield ""
    yield f"  {migration.revision}  {migration.sentence}"
    if not any(statement.tables or statement.hazards for statement in migration.statements):
        yield "        touches no table that is in use"
    for statement in migration.statements:
        if with_sql:
            yield f"      {_short(statement)}"
        for table in statement.tables:
            yield f"        {_table(table)}"
        for hazard in statement.hazards:
            yield f"        ! {hazard}"


def _short(statement: PlannedStatement) -> str:
    text = " ".join(statement.sql.split())
    return text if len(text) <= _SQL_COLUMNS else f"{text[: _SQL_COLUMNS - 1]}…"


def _table(table: PlannedTable) -> str:
    parts = [f"{table.table}: {table.lock}"]
    parts.append(f"holds up {table.holds_up}" if table.holds_up else "holds nobody up")
    if table.work != "nothing":
        parts.append(table.work)
    parts.append(f"{table.size.rows:,} rows, {_bytes(table.size.bytes)}")
    parts.append(_duration(table.seconds))
    return ", ".join(parts)


def _bytes(count: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count / 1000:.0f} kB"


def _duration(seconds: float) -> str:
    """Return an order of magnitude: more is not known."""
    bounds: Mapping[float, str] = {1: "an instant", 60: "seconds", 3600: "minutes"}
    return next((text for bound, text in bounds.items() if seconds < bound), "hours")
