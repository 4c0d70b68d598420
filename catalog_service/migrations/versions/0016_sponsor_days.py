"""Store until which days a sponsor's relations are known, by which it is active, lapsed or unknown.

Revision ID: 0016
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_COLUMNS = ("current_until", "open_until", "lapsed_until")


def upgrade() -> None:
    for name in _COLUMNS:
        op.add_column("sponsors", sa.Column(name, sa.Date(), nullable=True))


def downgrade() -> None:
    for name in _COLUMNS:
        op.drop_column("sponsors", name)
