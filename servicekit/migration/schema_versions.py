"""Which code can read a schema: said by migrations in the database, found there by older code.

A migration that takes something away from the code before it declares `readable_from`, the oldest revision whose code still works
on the result; one that only adds declares nothing. The newest declaration is the comment of the table `alembic_version`.
"""

from dataclasses import dataclass
from typing import Any, Final

from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from servicekit.migration.revisions import READABLE_FROM

_FIND: Final = text("""
    SELECT version_num, obj_description('alembic_version'::regclass, 'pg_class') FROM alembic_version
""")
_EXISTS: Final = text("SELECT to_regclass('alembic_version') IS NOT NULL")


class SchemaTooNewError(Exception):
    """The database has a schema that this code cannot read."""


@dataclass(frozen=True, slots=True)
class SchemaVersion:
    """The revision of a database, and the oldest one whose code can read it, where that is written down."""

    revision: str
    readable_from: str | None


def find(connection: Connection) -> SchemaVersion | None:
    """Return the schema version of a database, or None where none was migrated."""
    if not connection.scalar(_EXISTS):
        return None
    row = connection.execute(_FIND).first()
    if row is None:
        return None
    comment = row[1] or ""
    readable_from = (
        comment.removeprefix(READABLE_FROM) if comment.startswith(READABLE_FROM) else None
    )
    return SchemaVersion(row[0], readable_from)


def readable_from(scripts: ScriptDirectory) -> str:
    """Return the newest declaration of the migrations, the first revision where there is none."""
    newest_first = list(scripts.walk_revisions())
    for script in newest_first:
        declared: Any = getattr(script.module, "readable_from", None)
        if declared is not None:
            return str(declared)
    return newest_first[-1].revision


def is_newer_and_readable(found: SchemaVersion | None, scripts: ScriptDirectory) -> bool:
    """Return whether newer code has migrated the database, and left it readable for this code.

    Raises:
        SchemaTooNewError: Newer code has migrated it, and this code cannot read it or does not know.
    """
    known = {script.revision for script in scripts.walk_revisions()}
    if found is None or found.revision in known:
        return False
    if found.readable_from in known:
        return True
    needed = (
        f"at least the version of schema {found.readable_from}"
        if found.readable_from
        else "its own"
    )
    raise SchemaTooNewError(
        f"The database has schema {found.revision}, and this version knows none after {max(known)}. "
        f"It can be read by {needed}: start that, or restore a backup of before the upgrade."
    )


def write(connection: Connection, scripts: ScriptDirectory) -> None:
    """Write down which code can read the schema that these migrations make."""
    found, declared = find(connection), readable_from(scripts)
    if found is not None and found.readable_from != declared:
        connection.execute(text(f"COMMENT ON TABLE alembic_version IS '{READABLE_FROM}{declared}'"))
