"""Aliases of joined channels and videos, hashes of titles, and the order of operators' decisions.

Revision ID: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_VIDEO_KEYS = ("sponsorship_reports", "sponsorship_corrections")
_FACTS = ("category", "country", "website")

# Before this revision corrections were applied behind all merges, and moved along with them.
_NUMBER_DECISIONS = (
    """
    UPDATE sponsor_merges AS m SET number = counted.number
    FROM (SELECT from_slug, row_number() OVER (ORDER BY merged_at, from_id) AS number
          FROM sponsor_merges) AS counted
    WHERE counted.from_slug = m.from_slug
    """,
    """
    UPDATE sponsorship_corrections AS c SET number = counted.number
    FROM (SELECT video_key, sponsor_id, row_number() OVER (ORDER BY corrected_at, report_id)
                 + (SELECT count(*) FROM sponsor_merges) AS number
          FROM sponsorship_corrections) AS counted
    WHERE counted.video_key = c.video_key AND counted.sponsor_id = c.sponsor_id
    """,
    """
    SELECT setval('decision_numbers', 1 + (SELECT count(*) FROM sponsor_merges)
                                        + (SELECT count(*) FROM sponsorship_corrections), false)
    """,
    "UPDATE sponsorship_corrections AS c SET slug = s.slug FROM sponsors AS s WHERE s.id = c.sponsor_id",
    "UPDATE sponsor_merges AS m SET into_slug = s.slug FROM sponsors AS s WHERE s.id = m.into_id",
    # What was added to a sponsor by merges is taken for its own, as nobody knows any more.
    """
    INSERT INTO merged_sponsors (sponsor_id, slug, name, aliases, domains, category, country, website)
    SELECT id, slug, name, aliases, domains, category, country, website FROM sponsors
    WHERE id IN (SELECT into_id FROM sponsor_merges)
    """,
)


def upgrade() -> None:
    op.add_column("videos", sa.Column("title_hash", sa.Text(collation="C"), nullable=True))
    op.create_index(
        "youtubers_last_video_idx", "youtubers", [sa.text("last_video DESC NULLS LAST")]
    )
    _create_aliases()
    for table in _VIDEO_KEYS:
        _refer_to_videos(table, onupdate="CASCADE")
    op.execute("CREATE SEQUENCE decision_numbers")
    for table in ("sponsorship_corrections", "sponsor_merges"):
        op.add_column(
            table,
            sa.Column(
                "number",
                sa.BigInteger(),
                server_default=sa.text("nextval('decision_numbers')"),
                nullable=False,
            ),
        )
    op.add_column("sponsorship_corrections", _slug("slug"))
    op.add_column("sponsor_merges", _slug("into_slug"))
    for name in _FACTS:
        op.add_column("sponsor_merges", sa.Column(name, sa.Text(), nullable=True))
    _create_merged_sponsors()
    for statement in _NUMBER_DECISIONS:
        op.execute(statement)
    op.alter_column("sponsorship_corrections", "slug", nullable=False)
    op.alter_column("sponsor_merges", "into_slug", nullable=False)
    op.create_unique_constraint("sponsor_merges_number_key", "sponsor_merges", ["number"])
    op.drop_constraint("sponsorship_corrections_pkey", "sponsorship_corrections")
    op.create_primary_key("sponsorship_corrections_pkey", "sponsorship_corrections", ["number"])
    op.create_index(
        "sponsorship_corrections_video_idx", "sponsorship_corrections", ["video_key", "number"]
    )


def downgrade() -> None:
    op.drop_index("sponsorship_corrections_video_idx", "sponsorship_corrections")
    # Only the last decision about a sponsor of a video was stored.
    op.execute(
        """
        DELETE FROM sponsorship_corrections AS c USING sponsorship_corrections AS later
        WHERE later.video_key = c.video_key AND later.sponsor_id = c.sponsor_id
          AND later.number > c.number
        """
    )
    op.drop_constraint("sponsorship_corrections_pkey", "sponsorship_corrections")
    op.create_primary_key(
        "sponsorship_corrections_pkey", "sponsorship_corrections", ["video_key", "sponsor_id"]
    )
    op.drop_table("merged_sponsors")
    for name in ("into_slug", "number", *_FACTS):
        op.drop_column("sponsor_merges", name)
    for name in ("slug", "number"):
        op.drop_column("sponsorship_corrections", name)
    op.execute("DROP SEQUENCE decision_numbers")
    for table in _VIDEO_KEYS:
        _refer_to_videos(table, onupdate=None)
    op.drop_table("video_aliases")
    op.drop_table("youtuber_aliases")
    op.drop_index("youtubers_last_video_idx", "youtubers")
    op.drop_column("videos", "title_hash")


def _slug(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.Text(collation="C"), nullable=True)


def _refer_to_videos(table: str, onupdate: str | None) -> None:
    name = f"{table}_video_key_fkey"
    op.drop_constraint(name, table)
    op.create_foreign_key(name, table, "videos", ["video_key"], ["key"], onupdate=onupdate)


def _create_aliases() -> None:
    op.create_table(
        "youtuber_aliases",
        sa.Column("key", sa.Text(collation="C"), nullable=False),
        sa.Column("former_id", sa.BigInteger(), nullable=False),
        sa.Column("youtuber_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["youtuber_id"], ["youtubers.id"], name=op.f("youtuber_aliases_youtuber_id_fkey")
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("youtuber_aliases_pkey")),
        sa.UniqueConstraint("former_id", name=op.f("youtuber_aliases_former_id_key")),
    )
    op.create_index("youtuber_aliases_youtuber_idx", "youtuber_aliases", ["youtuber_id"])
    op.create_table(
        "video_aliases",
        sa.Column("key", sa.Text(collation="C"), nullable=False),
        sa.Column("video_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["video_id"], ["videos.id"], name=op.f("video_aliases_video_id_fkey")
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("video_aliases_pkey")),
    )
    op.create_index("video_aliases_video_idx", "video_aliases", ["video_id"])


def _create_merged_sponsors() -> None:
    op.create_table(
        "merged_sponsors",
        sa.Column("sponsor_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("slug", sa.Text(collation="C"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("aliases", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("domains", sa.ARRAY(sa.Text()), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=True) for name in _FACTS),
        sa.ForeignKeyConstraint(
            ["sponsor_id"], ["sponsors.id"], name=op.f("merged_sponsors_sponsor_id_fkey")
        ),
        sa.PrimaryKeyConstraint("sponsor_id", name=op.f("merged_sponsors_pkey")),
        sa.UniqueConstraint("slug", name=op.f("merged_sponsors_slug_key")),
    )
