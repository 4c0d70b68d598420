"""Make the tables of saved lists of brands and creators.

Revision ID: 0024
"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "saved_lists",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("account_id", sa.Text(collation="C"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        _now("created_at"),
        _now("changed_at"),
        sa.CheckConstraint("type IN ('sponsor', 'youtuber')", name="saved_lists_type_check"),
        sa.CheckConstraint("length(name) BETWEEN 1 AND 60", name="saved_lists_name_check"),
        sa.PrimaryKeyConstraint("id", name="saved_lists_pkey"),
    )
    op.create_index(
        "saved_lists_account_idx",
        "saved_lists",
        ["account_id", sa.text("lower(name)")],
        unique=True,
    )
    op.create_table(
        "saved_list_entries",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("list_id", sa.BigInteger(), nullable=False),
        sa.Column("sponsor_id", sa.BigInteger()),
        sa.Column("youtuber_id", sa.BigInteger()),
        _now("added_at"),
        sa.CheckConstraint(
            "num_nonnulls(sponsor_id, youtuber_id) = 1", name="saved_list_entries_is_one_check"
        ),
        sa.PrimaryKeyConstraint("id", name="saved_list_entries_pkey"),
        sa.ForeignKeyConstraint(
            ["list_id"],
            ["saved_lists.id"],
            name="saved_list_entries_list_id_fkey",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["sponsor_id"], ["sponsors.id"], name="saved_list_entries_sponsor_id_fkey"
        ),
        sa.ForeignKeyConstraint(
            ["youtuber_id"], ["youtubers.id"], name="saved_list_entries_youtuber_id_fkey"
        ),
    )
    op.create_index(
        "saved_list_entries_list_idx",
        "saved_list_entries",
        ["list_id", "sponsor_id", "youtuber_id"],
        unique=True,
        postgresql_nulls_not_distinct=True,
    )
    op.create_index("saved_list_entries_sponsor_idx", "saved_list_entries", ["sponsor_id"])
    op.create_index("saved_list_entries_youtuber_idx", "saved_list_entries", ["youtuber_id"])


def _now(name: str) -> sa.Column[object]:
    return sa.Column(
        name, sa.DateTime(timezone=True), nullable=False, server_default=sa.text("now()")
    )


def downgrade() -> None:
    op.drop_table("saved_list_entries")
    op.drop_table("saved_lists")
