"""Rollups by month that count different youtubers over any of their spans, and ranked lists.

Revision ID: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

# The groups of sponsor categories as they were at this revision.
GROUPS = {
    "tech": ("security", "software", "ai", "hosting", "electronics", "telecom"),
    "gaming": ("games", "gaming-gear"),
    "money": ("finance", "crypto"),
    "lifestyle": (
        "food", "health", "beauty", "fashion", "home", "travel", "automotive", "pets", "toys",
    ),
    "media": ("streaming", "audio-books"),
    "growth": ("education", "careers"),
    "commerce": ("retail", "services", "delivery"),
    "other": (),
}  # fmt: skip
SCOPES = ", ".join(
    f"('{category}', '{scope}')"
    for group, members in GROUPS.items()
    for category in (group, *members)
    for scope in sorted({category, group})
)
# Each sponsorship once for all, its category and its group.
IN_SCOPES = f"""
SELECT scope.scope, p.youtuber_id, date_trunc('month', p.published_on)::date AS month,
       coalesce(p.views, 0) AS views
FROM sponsorships AS p
JOIN (SELECT DISTINCT category, scope FROM (VALUES {SCOPES}) AS named(category, scope)
      UNION ALL SELECT NULL, '') AS scope
  ON scope.scope = '' OR scope.category = p.sponsor_category
"""  # noqa: S608 - names of ours
FILL = (
    """
    INSERT INTO sponsor_months (sponsor_id, month, sponsor_category, videos, views)
    SELECT p.sponsor_id, date_trunc('month', p.published_on)::date, s.category, count(*),
           coalesce(sum(p.views), 0)
    FROM sponsorships AS p JOIN sponsors AS s ON s.id = p.sponsor_id GROUP BY 1, 2, 3
    """,
    """
    INSERT INTO sponsor_parts (sponsor_id, part, value, month, videos)
    SELECT sponsor_id, part, coalesce(value, ''), date_trunc('month', published_on)::date, count(*)
    FROM sponsorships,
         LATERAL (VALUES ('content', content_category), ('country', country), ('kind', kind))
           AS parts(part, value)
    GROUP BY 1, 2, 3, 4
    """,
    """
    WITH seen AS (
      SELECT sponsor_id, month, lag(month) OVER earlier AS previous,
             lag(month, 2) OVER earlier AS one_before
      FROM (SELECT sponsor_id, youtuber_id, date_trunc('month', published_on)::date AS month
            FROM sponsorships) AS videos
      WINDOW earlier AS (PARTITION BY sponsor_id, youtuber_id ORDER BY month)
    )
    INSERT INTO sponsor_returns (sponsor_id, month, since, youtubers, repeats)
    SELECT sponsor_id, month, coalesce(since, '-infinity'), sum(youtubers), sum(repeats)
    FROM (
      SELECT sponsor_id, month, previous AS since, 1 AS youtubers, 0 AS repeats
      FROM seen WHERE previous IS DISTINCT FROM month
      UNION ALL
      SELECT sponsor_id, month, one_before, 0, 1
      FROM seen WHERE previous IS NOT NULL AND one_before IS DISTINCT FROM month
    ) AS cells
    GROUP BY 1, 2, 3
    """,
    f"""
    INSERT INTO category_months (category, month, videos, views)
    SELECT scope, month, count(*), sum(views) FROM ({IN_SCOPES}) AS counted GROUP BY 1, 2
    """,  # noqa: S608 - names of ours
    f"""
    INSERT INTO category_returns (category, month, since, youtubers)
    SELECT scope, month, coalesce(since, '-infinity'), count(*)
    FROM (
      SELECT scope, month,
             lag(month) OVER (PARTITION BY scope, youtuber_id ORDER BY month) AS since
      FROM (SELECT DISTINCT scope, youtuber_id, month FROM ({IN_SCOPES}) AS counted) AS seen
    ) AS cells
    GROUP BY 1, 2, 3
    """,  # noqa: S608 - names of ours
)


def upgrade() -> None:
    op.drop_table("sponsor_months")
    _create_sponsor_months()
    _create_sponsor_parts()
    _create_sponsor_returns()
    _create_category_months()
    _create_category_returns()
    for statement in FILL:
        op.execute(statement)
    _index()
    _index_youtubers("code")
    op.execute("ALTER TABLE youtubers SET (fillfactor = 70)")


def downgrade() -> None:
    op.execute("ALTER TABLE youtubers RESET (fillfactor)")
    _index_youtubers()
    op.drop_index("sponsor_youtubers_videos_idx", "sponsor_youtubers")
    for table in (
        "category_returns",
        "category_months",
        "sponsor_returns",
        "sponsor_parts",
        "sponsor_months",
    ):
        op.drop_table(table)
    op.create_table(
        "sponsor_months",
        _sponsor(),
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("content_category", sa.Text(), nullable=False),
        sa.Column("videos", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("views", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        *_keys("sponsor_months", "month", "content_category"),
    )
    op.execute(
        """
        INSERT INTO sponsor_months (sponsor_id, month, content_category, videos, views)
        SELECT sponsor_id, date_trunc('month', published_on)::date, coalesce(content_category, ''),
               count(*), coalesce(sum(views), 0)
        FROM sponsorships GROUP BY 1, 2, 3
        """
    )


def _sponsor() -> sa.Column[int]:
    return sa.Column("sponsor_id", sa.BigInteger(), autoincrement=False, nullable=False)


def _keys(table: str, *columns: str) -> tuple[sa.Constraint, sa.Constraint]:
    """Foreign and primary key of a table by sponsor and what else is named."""
    return (
        sa.ForeignKeyConstraint(
            ["sponsor_id"], ["sponsors.id"], name=op.f(f"{table}_sponsor_id_fkey")
        ),
        sa.PrimaryKeyConstraint("sponsor_id", *columns, name=op.f(f"{table}_pkey")),
    )


def _create_sponsor_months() -> None:
    op.create_table(
        "sponsor_months",
        _sponsor(),
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("sponsor_category", sa.Text(), nullable=True),
        sa.Column("videos", sa.BigInteger(), nullable=False),
        sa.Column("views", sa.BigInteger(), nullable=False),
        *_keys("sponsor_months", "month"),
    )


def _create_sponsor_parts() -> None:
    op.create_table(
        "sponsor_parts",
        _sponsor(),
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("videos", sa.BigInteger(), nullable=False),
        *_keys("sponsor_parts", "part", "value", "month"),
    )


def _create_sponsor_returns() -> None:
    op.create_table(
        "sponsor_returns",
        _sponsor(),
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("since", sa.Date(), nullable=False),
        sa.Column("youtubers", sa.Integer(), nullable=False),
        sa.Column("repeats", sa.Integer(), nullable=False),
        *_keys("sponsor_returns", "month", "since"),
    )


def _create_category_months() -> None:
    op.create_table(
        "category_months",
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("videos", sa.BigInteger(), nullable=False),
        sa.Column("views", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("category", "month", name=op.f("category_months_pkey")),
    )


def _create_category_returns() -> None:
    op.create_table(
        "category_returns",
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("since", sa.Date(), nullable=False),
        sa.Column("youtubers", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("category", "month", "since", name=op.f("category_returns_pkey")),
    )


def _index() -> None:
    """After the rows, as an index is made faster of many than row by row."""
    op.create_index(
        "sponsor_months_category_idx",
        "sponsor_months",
        ["sponsor_category", "month", sa.text("videos DESC"), "sponsor_id"],
    )
    op.create_index(
        "sponsor_months_videos_idx",
        "sponsor_months",
        ["month", sa.text("videos DESC"), "sponsor_id"],
    )
    op.create_index(
        "sponsor_youtubers_videos_idx",
        "sponsor_youtubers",
        ["sponsor_id", sa.text("videos DESC"), "youtuber_id"],
    )


def _index_youtubers(*more: str) -> None:
    """With the code, all that is told of a sponsor and a youtuber is in the index."""
    op.drop_index("sponsorships_youtuber_idx", "sponsorships")
    op.create_index(
        "sponsorships_youtuber_idx",
        "sponsorships",
        ["youtuber_id", sa.text("published_on DESC"), sa.text("video_id DESC")],
        postgresql_include=[
            "sponsor_id", "views", "kind", "sponsor_category", "confidence", *more,
        ],
    )  # fmt: skip
