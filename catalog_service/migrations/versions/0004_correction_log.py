"""Name the log of corrections `correction_log`, as the rest of the service does.

Revision ID: 0004
"""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_RENAMES = (
    "ALTER TABLE correction_{before} RENAME TO correction_{after}",
    "ALTER INDEX correction_{before}_pkey RENAME TO correction_{after}_pkey",
    "ALTER TRIGGER correction_{before}_append_only ON correction_{after} "
    "RENAME TO correction_{after}_append_only",
)


def upgrade() -> None:
    for statement in _RENAMES:
        op.execute(statement.format(before="trail", after="log"))


def downgrade() -> None:
    for statement in _RENAMES:
        op.execute(statement.format(before="log", after="trail"))
