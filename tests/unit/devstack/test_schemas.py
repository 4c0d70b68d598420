"""Schema revisions read without Alembic are those of Alembic."""

import pytest
from alembic.script import ScriptDirectory

from devstack import schemas


@pytest.mark.parametrize("database", schemas.SERVICES)
def test_the_names_of_the_files_have_the_revisions(database: str) -> None:
    scripts = ScriptDirectory(str(schemas.migrations_of(database)))
    newest_first = [revision.revision for revision in scripts.walk_revisions()]
    assert list(schemas.known_revisions(database)) == newest_first[::-1]
