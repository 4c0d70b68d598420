"""Sums by facet: one content category, country, least confidence or choice of kinds.

Revision ID: 0029
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sponsor_facets",
        _key("sponsor_id", sa.BigInteger()),
        _key("facet", sa.Text()),
        _count("videos"),
        _count("youtubers"),
        _count("views"),
        _count("free_products"),
        sa.PrimaryKeyConstraint("sponsor_id", "facet", name=op.f("sponsor_facets_pkey")),
        postgresql_with={"fillfactor": 70},
    )
    for metric, counted in (("videos", "videos"), ("youtubers", "youtubers"), ("views", "videos")):
        op.create_index(
            f"sponsor_facets_{metric}_idx",
            "sponsor_facets",
            ["facet", sa.text(f"{metric} DESC"), "sponsor_id"],
            postgresql_where=sa.text(f"{counted} > 0"),
        )
    op.create_table(
        "facet_totals",
        _key("facet", sa.Text()),
        _key("kinds", sa.Text()),
        _count("videos"),
        _count("sponsorships"),
        _count("youtubers"),
        _count("views"),
        sa.PrimaryKeyConstraint("facet", "kinds", name=op.f("facet_totals_pkey")),
        postgresql_with={"fillfactor": 70},
    )


def downgrade() -> None:
    op.drop_table("facet_totals")
    op.drop_table("sponsor_facets")


def _key(name: str, type_: sa.types.TypeEngine[Any]) -> sa.Column[Any]:
    return sa.Column(name, type_, autoincrement=False, nullable=False)


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)
