"""Migrations since the last release do nothing unsafe to tables in use, and the CHANGELOG says what an operator does for them.

What is unsafe is `servicekit.migration.effects.Hazard`; docs/migrations.md says what to do instead. An exception stands in
`migrations_allowed.toml` with its reason.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from alembic.script import ScriptDirectory

from devstack.schemas import SERVICES, known_revisions, migrations_of
from servicekit.migration.effects import Hazard
from servicekit.migration.plan import statements_in_use
from servicekit.migration.recorder import statements_of
from servicekit.migration.schema_versions import readable_from
from tests.integration.servicekit.own_migrations import sql, write
from tests.released import ROOT, last_release

ALLOWED: Final = Path(__file__).parent / "migrations_allowed.toml"
_ROW: Final = re.compile(r"^\| (catalog|auth|imports) \| (\d{4}) \|", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Unsafe:
    """An unsafe statement on a table in use."""

    service: str
    revision: str
    hazard: str
    table: str
    sql: str


def unsafe(service: str, scripts: ScriptDirectory, after: str) -> list[Unsafe]:
    """Return the unsafe statements of the migrations after one."""
    declared = readable_from(scripts)
    newer = [script for script in scripts.walk_revisions(after, "head") if script.revision != after]
    found: list[Unsafe] = []
    for script, statements in statements_in_use(newer[::-1]):
        for statement, effects in statements:
            table = effects.tables[0].table if effects.tables else ""
            for hazard in effects.hazards:
                # What older code misses, it was declared to miss.
                if hazard is Hazard.REMOVAL and script.revision <= declared:
                    continue
                shown = " ".join(statement.split())
                found.append(Unsafe(service, script.revision, str(hazard), table, shown))
    return found


def entries() -> list[dict[str, Any]]:
    return tomllib.loads(ALLOWED.read_text()).get("allowed", [])


def is_allowed(statement: Unsafe) -> bool:
    return any(
        (entry["service"], entry["revision"], entry["hazard"])
        == (statement.service, statement.revision, statement.hazard)
        and statement.table in entry["tables"]
        for entry in entries()
    )


def new_revisions() -> set[tuple[str, str]]:
    """Return service and revision of each migration since the last release."""
    released = last_release().schemas
    return {
        (name, revision)
        for name in SERVICES
        for revision in known_revisions(name)
        if revision > released[name]
    }


def of_service(name: str) -> list[Unsafe]:
    scripts = ScriptDirectory(str(migrations_of(name)))
    return unsafe(name, scripts, last_release().schemas[name])


@pytest.mark.parametrize("name", SERVICES)
def test_no_migration_since_the_release_is_unsafe_without_a_reason(name: str) -> None:
    refused = [
        f"{item.service} {item.revision}: {item.hazard}: {item.sql[:150]}"
        for item in of_service(name)
        if not is_allowed(item)
    ]
    help_text = (
        "Unsafe on a table in use. docs/migrations.md says how to do it; an exception goes into "
        "tests/contract/migrations_allowed.toml with its reason:\n"
    )
    assert not refused, help_text + "\n".join(refused)


def test_each_exception_is_of_a_statement_that_is_there_and_has_a_reason() -> None:
    found = {
        (item.service, item.revision, item.hazard, item.table)
        for name in SERVICES
        for item in of_service(name)
    }
    for entry in entries():
        keys = {
            (entry["service"], entry["revision"], entry["hazard"], table)
            for table in entry["tables"]
        }
        assert keys <= found, f"no such statement any more: {sorted(keys - found)}"
        assert len(entry["reason"].split()) > 5


@pytest.mark.parametrize(
    ("statement", "hazard"),
    [
        ("ALTER TABLE things ADD COLUMN a text NOT NULL", Hazard.NO_DEFAULT),
        ("ALTER TABLE things ADD COLUMN a uuid DEFAULT gen_random_uuid()", Hazard.REWRITE),
        ("ALTER TABLE things ALTER COLUMN size TYPE bigint", Hazard.REWRITE),
        ("ALTER TABLE things ALTER COLUMN size SET NOT NULL", Hazard.BLOCKING_CHECK),
        ("ALTER TABLE things ADD CHECK (size > 0)", Hazard.BLOCKING_CHECK),
        ("ALTER TABLE things ADD CONSTRAINT u UNIQUE (size)", Hazard.BLOCKING_INDEX),
        ("CREATE INDEX i ON things (size)", Hazard.BLOCKING_INDEX),
        ("ALTER TABLE things RENAME COLUMN size TO extent", Hazard.REMOVAL),
        ("ALTER TABLE things DROP COLUMN size", Hazard.REMOVAL),
        ("DROP TABLE things", Hazard.REMOVAL),
        ("UPDATE things SET size = 1", Hazard.FILL),
        ("VACUUM things", Hazard.UNKNOWN),
    ],
)
def test_what_is_unsafe_is_refused(statement: str, hazard: Hazard, tmp_path: Path) -> None:
    folder = write(tmp_path, sql("CREATE TABLE things (size int)"), sql(statement))
    found = unsafe("things", ScriptDirectory(str(folder)), "0001")
    assert str(hazard) in [item.hazard for item in found]
    assert not any(is_allowed(item) for item in found)


@pytest.mark.parametrize(
    "body",
    [
        sql(
            "ALTER TABLE things ADD COLUMN a text",
            "ALTER TABLE things ADD COLUMN b int NOT NULL DEFAULT 0",
        ),
        sql("CREATE TABLE more (id int)", "CREATE INDEX i ON more (id)", "UPDATE more SET id = 1"),
        sql("ALTER TABLE things ADD CONSTRAINT c CHECK (size > 0) NOT VALID"),
        sql("ALTER TABLE things VALIDATE CONSTRAINT c"),
        "create_index_concurrently('i', 'things', '(size)')",
        "fill_in_batches('0002', 'things', 'UPDATE things SET size = 1 WHERE id BETWEEN :first AND :last')",
    ],
)
def test_what_is_safe_is_let_through(body: str, tmp_path: Path) -> None:
    folder = write(tmp_path, sql("CREATE TABLE things (id int, size int)"), body)
    assert unsafe("things", ScriptDirectory(str(folder)), "0001") == []


def test_a_removal_that_is_declared_is_let_through(tmp_path: Path) -> None:
    folder = write(tmp_path, sql("CREATE TABLE things (size int)"), sql("DROP TABLE things"))
    script = folder / "versions" / "0002_of_tests.py"
    script.write_text(
        script.read_text().replace("def upgrade", 'readable_from = "0002"\n\n\ndef upgrade')
    )
    assert unsafe("things", ScriptDirectory(str(folder)), "0001") == []


@pytest.mark.parametrize("name", SERVICES)
def test_what_commits_as_it_goes_is_alone_in_its_migration(name: str) -> None:
    """Otherwise what stands before it would be done twice when the migration is run again."""
    released = last_release().schemas[name]
    for script in ScriptDirectory(str(migrations_of(name))).walk_revisions(released, "head"):
        statements = [" ".join(sql.split()) for sql in statements_of(script)]
        commits = [
            sql
            for sql in statements
            if "CONCURRENTLY" in sql or {":first", ":last"} <= set(sql.split())
        ]
        if commits and script.revision != released:
            assert len(commits) == len(statements), script.path


def test_the_changelog_says_what_an_operator_does_for_each_migration_since_the_release() -> None:
    unreleased = (ROOT / "CHANGELOG.md").read_text().split("\n## ")[1]
    section = unreleased.partition("\n### Upgrading\n")[2].partition("\n### ")[0]
    assert section, "CHANGELOG.md has no section 'Upgrading' under 'Unreleased'"
    rows = set(_ROW.findall(section))
    missing = sorted(new_revisions() - rows)
    assert not missing, (
        f"no row '| DATABASE | REVISION | …' under 'Upgrading' in CHANGELOG.md: {missing}"
    )
    assert not rows - new_revisions(), f"released, or not there: {sorted(rows - new_revisions())}"
