"""The function of a name's suffixes, by which names are found that have words inside.

Revision ID: 0037
"""

from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

# What is left of a word from each letter on, as lexemes: one of them begins with whatever is inside the word. Of suffixes
# longer than 40 letters the first 40; those of fewer than three letters are never searched.
SUFFIXES = """
CREATE FUNCTION name_suffixes(word text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN array_to_tsvector(
  ARRAY(SELECT substr(word, place, 40) FROM generate_series(1, length(word) - 2) AS place)
)
"""


def upgrade() -> None:
    op.execute(SUFFIXES)


def downgrade() -> None:
    op.execute("DROP FUNCTION name_suffixes")
