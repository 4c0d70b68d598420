"""Videos of sponsors by content category and kind, and sums of categories by facet.

Revision ID: 0035
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sponsor_contents",
        _key("sponsor_id", sa.BigInteger()),
        _key("content", sa.Text()),
        _key("kind", sa.Text()),
        _count("videos"),
        sa.PrimaryKeyConstraint(
            "sponsor_id", "content", "kind", name=op.f("sponsor_contents_pkey")
        ),
        postgresql_with={"fillfactor": 70},
    )
    op.create_table(
        "category_facets",
        _key("category", sa.Text()),
        _key("facet", sa.Text()),
        _count("videos"),
        _count("youtubers"),
        _count("sponsors"),
        sa.PrimaryKeyConstraint("category", "facet", name=op.f("category_facets_pkey")),
        postgresql_with={"fillfactor": 70},
    )


def downgrade() -> None:
    op.drop_table("category_facets")
    op.drop_table("sponsor_contents")


def _key(name: str, type_: sa.types.TypeEngine[Any]) -> sa.Column[Any]:
    return sa.Column(name, type_, autoincrement=False, nullable=False)


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)
