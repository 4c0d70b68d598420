"""The functions of names in PL/pgSQL, which plans what is inside once, not at each call.

Revision ID: 0045
"""

from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

# Each gives what the function of the same name in SQL gave; of deletions and slips only the order differs, which nothing rests on.
DELETIONS = """
CREATE OR REPLACE FUNCTION one_deletions(word text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  found text[] := '{}';
BEGIN
  IF length(word) BETWEEN 3 AND 40 THEN
    found := ARRAY[word];
    FOR gap IN 1 .. length(word) LOOP
      -- Of equal letters in a row any one leaves the same word.
      IF substr(word, gap, 1) <> substr(word, gap + 1, 1) THEN
        found := array_append(found, left(word, gap - 1) || substr(word, gap + 1));
      END IF;
    END LOOP;
  END IF;
  RETURN found;
END $$
"""
SLIPS = """
CREATE OR REPLACE FUNCTION typing_slips(word text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  found text[] := '{}';
  slip text;
BEGIN
  IF length(word) BETWEEN 3 AND 40 THEN
    FOR spot IN 1 .. length(word) - 1 LOOP
      IF substr(word, spot, 1) = substr(word, spot + 1, 1) THEN
        slip := left(word, spot - 1) || substr(word, spot + 1);
      ELSE
        slip := left(word, spot - 1) || substr(word, spot + 1, 1) || substr(word, spot, 1) || substr(word, spot + 2);
      END IF;
      IF slip <> ALL (found) THEN
        found := array_append(found, slip);
      END IF;
    END LOOP;
  END IF;
  RETURN found;
END $$
"""
SUFFIXES = """
CREATE OR REPLACE FUNCTION name_suffixes(word text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  found text[] := '{}';
BEGIN
  FOR place IN 1 .. length(word) - 2 LOOP
    found := array_append(found, substr(word, place, 40));
  END LOOP;
  RETURN array_to_tsvector(found);
END $$
"""
DELETIONS_IN_SQL = """
CREATE OR REPLACE FUNCTION one_deletions(word text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN length(word) BETWEEN 3 AND 40 THEN
  word || (SELECT array_agg(DISTINCT left(word, gap - 1) || substr(word, gap + 1))
           FROM generate_series(1, length(word)) AS gap)
  ELSE '{}'::text[] END
"""
SLIPS_IN_SQL = """
CREATE OR REPLACE FUNCTION typing_slips(word text) RETURNS text[]
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
SUFFIXES_IN_SQL = """
CREATE OR REPLACE FUNCTION name_suffixes(word text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN array_to_tsvector(
  ARRAY(SELECT substr(word, place, 40) FROM generate_series(1, length(word) - 2) AS place)
)
"""


def upgrade() -> None:
    for function in (DELETIONS, SLIPS, SUFFIXES):
        op.execute(function)


def downgrade() -> None:
    for function in (DELETIONS_IN_SQL, SLIPS_IN_SQL, SUFFIXES_IN_SQL):
        op.execute(function)
