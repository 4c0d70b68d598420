"""Rollups by day, for periods that cut a month in two.

Revision ID: 0027
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

# The kinds as they are at this revision.
KINDS = ("paid_sponsorship", "promo_code", "affiliate", "free_product")


def upgrade() -> None:
    op.create_table(
        "sponsor_days",
        _key("sponsor_id", sa.BigInteger()),
        _key("day", sa.Date()),
        _count("videos"),
        _count("views"),
        _count("youtubers"),
        _count("free_products"),
        sa.PrimaryKeyConstraint("sponsor_id", "day", name=op.f("sponsor_days_pkey")),
    )
    op.create_table(
        "sponsor_day_returns",
        _key("sponsor_id", sa.BigInteger()),
        _key("day", sa.Date()),
        _key("gap", sa.SmallInteger()),
        sa.Column("youtubers", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("sponsor_id", "day", "gap", name=op.f("sponsor_day_returns_pkey")),
    )
    op.create_table(
        "category_days",
        _key("category", sa.Text()),
        _key("day", sa.Date()),
        _count("videos"),
        _count("views"),
        _count("youtubers"),
        *(_count(f"{kind}_{name}") for kind in KINDS for name in ("videos", "sponsorships")),
        sa.PrimaryKeyConstraint("category", "day", name=op.f("category_days_pkey")),
        postgresql_with={"fillfactor": 70},
    )
    op.create_table(
        "category_day_returns",
        _key("category", sa.Text()),
        _key("day", sa.Date()),
        _key("gap", sa.SmallInteger()),
        sa.Column("youtubers", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("category", "day", "gap", name=op.f("category_day_returns_pkey")),
        postgresql_with={"fillfactor": 70},
    )


def downgrade() -> None:
    for table in ("category_day_returns", "category_days", "sponsor_day_returns", "sponsor_days"):
        op.drop_table(table)


def _key(name: str, type_: sa.types.TypeEngine[Any]) -> sa.Column[Any]:
    return sa.Column(name, type_, autoincrement=False, nullable=False)


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)
