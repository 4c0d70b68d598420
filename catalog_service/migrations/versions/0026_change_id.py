"""Name each state of the catalogue by an id of its own, beside its number.

A number alone returns after a restore, or with a standby that lacked the last change when it was promoted.

Revision ID: 0026
"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("catalog_state", sa.Column("change_id", sa.Uuid(), nullable=True))


def downgrade() -> None:
    op.drop_column("catalog_state", "change_id")
