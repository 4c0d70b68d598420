"""The revisions of a service's migrations, read without Alembic, which takes longer to load than that is worth."""

from pathlib import Path
from typing import Final

READABLE_FROM: Final = "readable from "
"""What the comment of `alembic_version` begins with, before the oldest revision whose code can read the schema."""


def known_revisions(migrations: Path) -> tuple[str, ...]:
    """Return the revisions of a folder of migrations, oldest first: each file is named by its revision."""
    files = (migrations / "versions").glob("[0-9]*_*.py")
    return tuple(sorted(file.name.partition("_")[0] for file in files))
