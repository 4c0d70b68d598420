"""Reports of callers, decisions of operators, merged sponsors, and the trail of it all.

Revision ID: 0002
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

REFUSE = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$
"""
APPEND_ONLY = """
CREATE TRIGGER correction_trail_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON correction_trail
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
"""


def upgrade() -> None:
    _create_reports()
    _create_corrections()
    _create_merges()
    _create_trail()


def downgrade() -> None:
    for table in (
        "correction_trail",
        "sponsor_merges",
        "sponsorship_corrections",
        "sponsorship_reports",
    ):
        op.drop_table(table)
    op.execute("DROP FUNCTION refuse_change")


def _moment(name: str) -> sa.Column[object]:
    return sa.Column(
        name, sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
    )


def _create_reports() -> None:
    op.create_table(
        "sponsorship_reports",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("account_id", sa.Text(collation="C"), nullable=False),
        sa.Column("video_key", sa.Text(collation="C"), nullable=False),
        sa.Column("sponsor_id", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("brand", sa.Text(), nullable=True),
        sa.Column("proposed_kind", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        _moment("created_at"),
        sa.Column("state", sa.Text(), server_default=sa.text("'open'"), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("decision_note", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('wrong', 'missing', 'wrong_kind')",
            name=op.f("sponsorship_reports_kind_check"),
        ),
        sa.CheckConstraint(
            "state IN ('open', 'accepted', 'rejected')",
            name=op.f("sponsorship_reports_state_check"),
        ),
        sa.CheckConstraint("length(note) <= 500", name=op.f("sponsorship_reports_note_check")),
        sa.CheckConstraint(
            "(state = 'open') = (decided_at IS NULL)",
            name=op.f("sponsorship_reports_decided_check"),
        ),
        sa.ForeignKeyConstraint(
            ["sponsor_id"], ["sponsors.id"], name=op.f("sponsorship_reports_sponsor_id_fkey")
        ),
        sa.ForeignKeyConstraint(
            ["video_key"], ["videos.key"], name=op.f("sponsorship_reports_video_key_fkey")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("sponsorship_reports_pkey")),
    )
    op.create_index(
        "sponsorship_reports_account_idx", "sponsorship_reports", ["account_id", "state"]
    )
    op.create_index("sponsorship_reports_state_idx", "sponsorship_reports", ["state", "id"])
    op.create_index("sponsorship_reports_sponsor_idx", "sponsorship_reports", ["sponsor_id"])


def _create_corrections() -> None:
    op.create_table(
        "sponsorship_corrections",
        sa.Column("video_key", sa.Text(collation="C"), nullable=False),
        sa.Column("sponsor_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=True),
        sa.Column("corrected_by", sa.Text(), nullable=False),
        _moment("corrected_at"),
        sa.Column("report_id", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "action IN ('hidden', 'kind', 'added')",
            name=op.f("sponsorship_corrections_action_check"),
        ),
        sa.CheckConstraint(
            "(action = 'hidden') = (kind IS NULL)", name=op.f("sponsorship_corrections_kind_check")
        ),
        sa.ForeignKeyConstraint(
            ["report_id"],
            ["sponsorship_reports.id"],
            name=op.f("sponsorship_corrections_report_id_fkey"),
        ),
        sa.ForeignKeyConstraint(
            ["sponsor_id"], ["sponsors.id"], name=op.f("sponsorship_corrections_sponsor_id_fkey")
        ),
        sa.ForeignKeyConstraint(
            ["video_key"], ["videos.key"], name=op.f("sponsorship_corrections_video_key_fkey")
        ),
        sa.PrimaryKeyConstraint(
            "video_key", "sponsor_id", name=op.f("sponsorship_corrections_pkey")
        ),
    )
    op.create_index(
        "sponsorship_corrections_sponsor_idx", "sponsorship_corrections", ["sponsor_id"]
    )


def _create_merges() -> None:
    op.create_table(
        "sponsor_merges",
        sa.Column("from_slug", sa.Text(collation="C"), nullable=False),
        sa.Column("from_id", sa.BigInteger(), nullable=False),
        sa.Column("into_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("aliases", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("domains", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("merged_by", sa.Text(), nullable=False),
        _moment("merged_at"),
        sa.ForeignKeyConstraint(
            ["into_id"], ["sponsors.id"], name=op.f("sponsor_merges_into_id_fkey")
        ),
        sa.PrimaryKeyConstraint("from_slug", name=op.f("sponsor_merges_pkey")),
        sa.UniqueConstraint("from_id", name=op.f("sponsor_merges_from_id_key")),
    )
    op.create_index("sponsor_merges_into_idx", "sponsor_merges", ["into_id"])


def _create_trail() -> None:
    op.create_table(
        "correction_trail",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        _moment("at"),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("report_id", sa.BigInteger(), nullable=True),
        sa.Column("video_key", sa.Text(collation="C"), nullable=True),
        sa.Column("sponsor_slug", sa.Text(collation="C"), nullable=True),
        sa.Column("detail", postgresql.JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("correction_trail_pkey")),
    )
    op.execute(REFUSE)
    op.execute(APPEND_ONLY)
