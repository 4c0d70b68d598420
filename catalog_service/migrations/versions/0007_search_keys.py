"""Names are found one typing error away, and in Latin letters; evidence has a hash.

Revision ID: 0007
"""

import json

import sqlalchemy as sa
from alembic import op

from catalog_service.domain.transliteration import latin

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# The word and each of the words that leaving out one letter makes of it. Two words that are one typing
# error apart have one of them in common. Short ones are too many, long ones are found by trigrams.
DELETIONS = """
CREATE FUNCTION one_deletions(word text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN length(word) BETWEEN 3 AND 40 THEN
  word || (SELECT array_agg(DISTINCT left(word, gap - 1) || substr(word, gap + 1))
           FROM generate_series(1, length(word)) AS gap)
  ELSE '{}'::text[] END
"""
# What somebody may have meant whose fingers slipped: two neighbouring letters exchanged back, and one
# of two equal neighbours left out.
SLIPS = """
CREATE FUNCTION typing_slips(word text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN length(word) BETWEEN 3 AND 40 THEN
  ARRAY(SELECT DISTINCT CASE
          WHEN substr(word, spot, 1) = substr(word, spot + 1, 1)
          THEN left(word, spot - 1) || substr(word, spot + 1)
          ELSE left(word, spot - 1) || substr(word, spot + 1, 1) || substr(word, spot, 1)
               || substr(word, spot + 2) END
        FROM generate_series(1, length(word) - 1) AS spot)
  ELSE '{}'::text[] END
"""
HASHES = """
UPDATE sponsorships SET excerpt_hash = encode(sha256(convert_to(excerpt, 'UTF8')), 'hex')
WHERE excerpt IS NOT NULL
"""


def upgrade() -> None:
    op.execute("CREATE EXTENSION IF NOT EXISTS fuzzystrmatch")
    op.execute(DELETIONS)
    op.execute(SLIPS)
    for table in ("sponsor_names", "youtuber_names"):
        op.add_column(
            table,
            sa.Column(
                "deletions",
                sa.ARRAY(sa.Text()),
                sa.Computed("one_deletions(name_key)", persisted=True),
                nullable=False,
            ),
        )
    _transliterate(
        "SELECT id, unnest(name || aliases) AS name FROM sponsors",
        "INSERT INTO sponsor_names (name_key, sponsor_id, is_label) "
        "SELECT normalised(spelling), id, false",
    )
    _transliterate(
        "SELECT id, name FROM youtubers",
        "INSERT INTO youtuber_names (name_key, youtuber_id) SELECT normalised(spelling), id",
    )
    for table in ("sponsor_names", "youtuber_names"):
        op.create_index(f"{table}_deletions_idx", table, ["deletions"], postgresql_using="gin")
    op.add_column("sponsorships", sa.Column("excerpt_hash", sa.Text(), nullable=True))
    op.execute(HASHES)


def downgrade() -> None:
    op.drop_column("sponsorships", "excerpt_hash")
    for table in ("sponsor_names", "youtuber_names"):
        op.drop_index(f"{table}_deletions_idx", table)
        op.drop_column(table, "deletions")
    op.execute("DROP FUNCTION typing_slips")
    op.execute("DROP FUNCTION one_deletions")


def _transliterate(names: str, insertion: str) -> None:
    connection = op.get_bind()
    spellings = [
        {"id": row.id, "spelling": spelling}
        for row in connection.execute(sa.text(names))
        if (spelling := latin(row.name))
    ]
    statement = (
        f"{insertion} FROM json_to_recordset(:spellings) AS latin(id bigint, spelling text) "
        "WHERE normalised(spelling) <> '' ON CONFLICT DO NOTHING"
    )
    connection.execute(sa.text(statement), {"spellings": json.dumps(spellings)})
