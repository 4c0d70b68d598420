"""Fill the words of stored titles; descriptions are not stored, and come with the next import.

Revision ID: 0023
"""

import json
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from catalog_service.domain.topics.languages import configuration_of
from catalog_service.domain.topics.words import words_of
from servicekit.migration.operations import fill_in_batches

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_TITLES = sa.text("""
SELECT id, title, language FROM videos
WHERE id BETWEEN :first AND :last AND title IS NOT NULL
""")
_FILL = """
INSERT INTO video_texts (video_id, config, words, has_description)
SELECT id, config, setweight(to_tsvector(CAST(config AS regconfig), title), 'A'), false
FROM json_to_recordset(CAST(:titles AS json)) AS stored(id bigint, config text, title text)
WHERE id BETWEEN :first AND :last
ON CONFLICT DO NOTHING"""


def upgrade() -> None:
    fill_in_batches(revision, "videos", _FILL, parameters=_titles)


def _titles(connection: sa.Connection, first: int, last: int) -> Mapping[str, Any]:
    titles = [
        {
            "id": row.id,
            "config": configuration_of(row.language),
            "title": " ".join(words_of(row.title)),
        }
        for row in connection.execute(_TITLES, {"first": first, "last": last})
    ]
    return {"titles": json.dumps(titles)}


def downgrade() -> None:
    pass
