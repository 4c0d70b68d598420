"""Migrations of tests' own, with the environment that the services have."""

from pathlib import Path
from textwrap import indent
from typing import Final

_ENVIRONMENT: Final = """
from sqlalchemy import MetaData

from servicekit.migration import environment

environment.run(MetaData(), lock_key="1907")
"""
_SCRIPT: Final = '''"""Migration {number}."""

from alembic import op

from servicekit.migration.operations import create_index_concurrently, fill_in_batches

revision = "{revision}"
down_revision = {before}


def upgrade() -> None:
{body}
'''


def sql(*statements: str) -> str:
    """Return the body of a migration that executes these."""
    return "\n".join(f"op.execute({statement!r})" for statement in statements)


def write(folder: Path, *bodies: str) -> Path:
    """Write a migration for each body, beside those that are there; return the folder of migrations."""
    versions = folder / "versions"
    versions.mkdir(parents=True, exist_ok=True)
    (folder / "env.py").write_text(_ENVIRONMENT)
    for number, body in enumerate(bodies, len(list(versions.glob("*.py"))) + 1):
        before = f'"{number - 1:04}"' if number > 1 else None
        text = _SCRIPT.format(
            number=number, revision=f"{number:04}", before=before, body=indent(body, "    ")
        )
        (versions / f"{number:04}_of_tests.py").write_text(text)
    return folder
