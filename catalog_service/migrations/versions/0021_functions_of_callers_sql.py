"""Take functions that run SQL, write to the log or sleep from all roles but their owner, where that may be done.

Functions belong to the server's superuser. Another role's migration leaves them as they are: docs/operations.md has the statements
for a superuser, and `deploy/compose` runs them. What callers' SQL is held by does not rest on this.

Revision ID: 0021
"""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_CHANGE = """
DO $$
DECLARE
  found regprocedure;
BEGIN
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    RETURN;
  END IF;
  FOR found IN
    SELECT oid FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace
      AND proname ~ '^(ts_stat|(query|cursor|table|schema|database)_to_xml.*|pg_logical_emit_message|pg_sleep.*)$'
      OR oid = 'pg_catalog.ts_rewrite(tsquery, text)'::regprocedure
  LOOP
    EXECUTE format('{change}', found);
  END LOOP;
END $$"""


def upgrade() -> None:
    op.execute(_CHANGE.replace("{change}", "REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC"))


def downgrade() -> None:
    op.execute(_CHANGE.replace("{change}", "GRANT EXECUTE ON FUNCTION %s TO PUBLIC"))
