"""An older version on a database that a newer one has migrated, and back again."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import psycopg
import pytest
from alembic.script import ScriptDirectory

from devstack.schemas import SERVICES, known_revisions, migrations_of
from servicekit.migration.command import migrate
from servicekit.migration.schema_versions import SchemaTooNewError, readable_from

_NEWER: Final = """
from alembic import op

revision = "9999"
down_revision = "{before}"
{declaration}


def upgrade() -> None:
    op.execute("CREATE TABLE of_a_newer_version (id int)")
"""
_TAKES_AWAY: Final = re.compile(
    r"drop_\w+\(|alter_column|\bDROP\b|\bRENAME\b|SET NOT NULL|(?-i:\bTYPE\b)", re.IGNORECASE
)
_PREFIXES: Final = {"catalog": "CATALOG", "auth": "AUTH", "imports": "IMPORT"}


def newer_version(folder: Path, name: str, declaration: str = "") -> Path:
    """Return migrations of a version that has one more."""
    target = folder / f"newer-{len(list(folder.iterdir()))}"
    shutil.copytree(migrations_of(name), target)
    text = _NEWER.format(before=known_revisions(name)[-1], declaration=declaration)
    (target / "versions" / "9999_newer.py").write_text(text)
    return target


def migrate_by_the_command(name: str, url: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m SERVICE migrate`."""
    secrets = ("GRPC_TOKEN", "CURSOR_SECRET", "TOKEN_SECRET", "OPERATOR_TOKEN")
    prefix = _PREFIXES[name]
    environment = os.environ | {f"{prefix}_{secret}": "t" * 32 for secret in secrets}
    environment |= {f"{prefix}_DATABASE_URL": url, f"{prefix}_VALKEY_URL": "redis://127.0.0.1:1/0"}
    return subprocess.run(
        [sys.executable, "-m", SERVICES[name], "migrate"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def revision(url: str) -> str:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    assert row
    return row[0]


@pytest.mark.parametrize("name", SERVICES)
def test_the_version_before_ends_well_on_a_newer_schema_that_it_can_read(
    name: str, fresh_database: Callable[[], str], tmp_path: Path
) -> None:
    url = fresh_database()
    newer = newer_version(tmp_path, name)
    migrate(url, migrations_of(name))
    migrate(url, newer)
    done = migrate_by_the_command(name, url)
    assert done.returncode == 0, done.stderr
    assert "schema 9999 of a newer version, which this version can read" in done.stderr
    assert revision(url) == "9999"
    migrate(url, newer)
    assert revision(url) == "9999"


def test_a_newer_schema_that_takes_something_away_is_refused_with_what_to_do(
    fresh_database: Callable[[], str], tmp_path: Path
) -> None:
    url = fresh_database()
    migrate(url, migrations_of("auth"))
    migrate(url, newer_version(tmp_path, "auth", 'readable_from = "9999"'))
    with pytest.raises(
        SchemaTooNewError, match=r"schema 9999.*restore a backup of before the upgrade"
    ):
        migrate(url, migrations_of("auth"))
    done = migrate_by_the_command("auth", url)
    assert done.returncode == 78
    assert "Traceback" not in done.stderr


def test_a_newer_schema_of_which_nothing_is_written_down_is_refused(
    fresh_database: Callable[[], str], tmp_path: Path
) -> None:
    url = fresh_database()
    migrate(url, newer_version(tmp_path, "auth"))
    with psycopg.connect(url) as connection:
        connection.execute("COMMENT ON TABLE alembic_version IS NULL")
    with pytest.raises(SchemaTooNewError):
        migrate(url, migrations_of("auth"))


@pytest.mark.parametrize("name", SERVICES)
def test_a_migration_that_takes_something_away_declares_who_can_read_the_result(name: str) -> None:
    scripts = ScriptDirectory(str(migrations_of(name)))
    for script in scripts.walk_revisions():
        if script.revision == readable_from(scripts):
            break  # what is before the newest declaration needs none
        if hasattr(script.module, "readable_from"):
            continue
        upgrade = Path(script.path).read_text().partition("def downgrade")[0]
        assert not _TAKES_AWAY.search(upgrade), f"{script.path} needs readable_from"
