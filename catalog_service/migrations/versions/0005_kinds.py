"""Rollups that count different videos, and paid work apart from free products.

Revision ID: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# The groups of sponsor categories and the kinds as they were at this revision.
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
BITS = {"paid_sponsorship": 1, "promo_code": 2, "affiliate": 4, "free_product": 8}
PAID = "kind <> 'free_product'"
SCOPES = [
    ("", ""),
    *(
        (category, scope)
        for group, members in GROUPS.items()
        for category in (group, *members)
        for scope in sorted({"", category, group})
    ),
]
OWN_SCOPES = [(group, f"={group}") for group in GROUPS]
SETS = [
    (kind, name)
    for kind in BITS
    for name in ("all", *(("paid",) if kind != "free_product" else ()), kind)
]
CASES = " ".join(f"WHEN '{kind}' THEN {bit}" for kind, bit in BITS.items())


def _values(rows: list[tuple[str, str]]) -> str:
    return ", ".join(map(str, rows))


IN_SCOPES = f"""
SELECT scope.scope, p.youtuber_id, p.kind, date_trunc('month', p.published_on)::date AS month,
       coalesce(p.views, 0) AS views
FROM sponsorships AS p
JOIN (VALUES {_values(SCOPES)}) AS scope(category, scope)
  ON scope.category = coalesce(p.sponsor_category, '')
"""  # noqa: S608 - names of ours
FILL = (
    f"""
    UPDATE sponsor_youtubers SET kinds = seen.kinds
    FROM (SELECT sponsor_id, youtuber_id, bit_or(CASE kind {CASES} END) AS kinds
          FROM sponsorships GROUP BY 1, 2) AS seen
    WHERE (sponsor_youtubers.sponsor_id, sponsor_youtubers.youtuber_id)
        = (seen.sponsor_id, seen.youtuber_id)
    """,  # noqa: S608 - names of ours
    f"""
    UPDATE sponsors SET paid_videos = paid.videos, paid_youtubers = paid.youtubers,
                        paid_views = paid.views
    FROM (SELECT sponsor_id, count(*) AS videos, count(DISTINCT youtuber_id) AS youtubers,
                 coalesce(sum(views), 0) AS views
          FROM sponsorships WHERE {PAID} GROUP BY 1) AS paid
    WHERE sponsors.id = paid.sponsor_id
    """,  # noqa: S608 - names of ours
    f"""
    UPDATE youtubers SET paid_sponsors = paid.sponsors
    FROM (SELECT youtuber_id, count(DISTINCT sponsor_id) AS sponsors
          FROM sponsorships WHERE {PAID} GROUP BY 1) AS paid
    WHERE youtubers.id = paid.youtuber_id
    """,  # noqa: S608 - names of ours
    f"""
    INSERT INTO sponsor_months
      (sponsor_id, month, sponsor_category, videos, views, paid_videos, paid_views)
    SELECT p.sponsor_id, date_trunc('month', p.published_on)::date, s.category, count(*),
           coalesce(sum(p.views), 0), count(*) FILTER (WHERE {PAID}),
           coalesce(sum(p.views) FILTER (WHERE {PAID}), 0)
    FROM sponsorships AS p JOIN sponsors AS s ON s.id = p.sponsor_id GROUP BY 1, 2, 3
    """,  # noqa: S608 - names of ours
    f"""
    WITH month AS (
      SELECT sponsor_id, youtuber_id, kind, date_trunc('month', published_on)::date AS month
      FROM sponsorships
    ), seen AS (
      SELECT sponsor_id, month, lag(month) OVER earlier AS previous,
             lag(month, 2) OVER earlier AS one_before
      FROM month WINDOW earlier AS (PARTITION BY sponsor_id, youtuber_id ORDER BY month)
    ), paid AS (
      SELECT sponsor_id, month, lag(month) OVER earlier AS previous
      FROM (SELECT DISTINCT sponsor_id, youtuber_id, month FROM month WHERE {PAID}) AS different
      WINDOW earlier AS (PARTITION BY sponsor_id, youtuber_id ORDER BY month)
    )
    INSERT INTO sponsor_returns (sponsor_id, month, since, youtubers, repeats, paid_youtubers)
    SELECT sponsor_id, month, coalesce(since, '-infinity'), sum(youtubers), sum(repeats),
           sum(paid_youtubers)
    FROM (
      SELECT sponsor_id, month, previous AS since, 1 AS youtubers, 0 AS repeats,
             0 AS paid_youtubers
      FROM seen WHERE previous IS DISTINCT FROM month
      UNION ALL
      SELECT sponsor_id, month, one_before, 0, 1, 0
      FROM seen WHERE previous IS NOT NULL AND one_before IS DISTINCT FROM month
      UNION ALL
      SELECT sponsor_id, month, previous, 0, 0, 1 FROM paid
    ) AS cells
    GROUP BY 1, 2, 3
    """,  # noqa: S608 - names of ours
    f"""
    WITH claim AS (
      SELECT scope.scope, video_id, kind, published_on, coalesce(views, 0) AS views
      FROM sponsorships
      JOIN (VALUES {_values([*SCOPES, *OWN_SCOPES])}) AS scope(category, scope)
        ON scope.category = coalesce(sponsor_category, '')
      UNION ALL
      SELECT 'content:' || content_category, video_id, kind, published_on, coalesce(views, 0)
      FROM sponsorships WHERE content_category IS NOT NULL
    )
    INSERT INTO category_months (category, kinds, month, videos, sponsorships, views)
    SELECT scope, kinds, month, count(*), sum(sponsorships), sum(views)
    FROM (
      SELECT scope, kinds, date_trunc('month', published_on)::date AS month, video_id,
             count(*) AS sponsorships, max(views) AS views
      FROM claim JOIN (VALUES {_values(SETS)}) AS named(kind, kinds) USING (kind)
      GROUP BY 1, 2, 3, 4
    ) AS video
    GROUP BY 1, 2, 3
    """,  # noqa: S608 - names of ours
    f"""
    WITH counted AS ({IN_SCOPES}), seen AS (
      SELECT scope, youtuber_id, month, false AS is_paid FROM counted GROUP BY 1, 2, 3
      UNION ALL
      SELECT scope, youtuber_id, month, true FROM counted WHERE {PAID} GROUP BY 1, 2, 3
    )
    INSERT INTO category_returns (category, month, since, youtubers, paid_youtubers)
    SELECT scope, month, coalesce(since, '-infinity'), count(*) FILTER (WHERE NOT is_paid),
           count(*) FILTER (WHERE is_paid)
    FROM (SELECT scope, month, is_paid, lag(month) OVER (
                   PARTITION BY scope, youtuber_id, is_paid ORDER BY month) AS since
          FROM seen) AS cells
    GROUP BY 1, 2, 3
    """,  # noqa: S608 - names of ours
)
_COUNTS = {
    "sponsors": ("paid_videos", "paid_youtubers", "paid_views"),
    "youtubers": ("paid_sponsors",),
}
_SUMS = {
    "sponsor_months": ("paid_videos", "paid_views"),
    "sponsor_returns": ("paid_youtubers",),
    "category_returns": ("paid_youtubers",),
}
_COVERED = ["sponsor_id", "youtuber_id", "views", "content_category", "country", "confidence"]
_CHANGED_INDEXES = {
    "sponsor_months": ("sponsor_months_category_idx", "sponsor_months_videos_idx"),
    "sponsor_youtubers": ("sponsor_youtubers_youtuber_idx", "sponsor_youtubers_videos_idx"),
    "sponsorships": ("sponsorships_category_idx", "sponsorships_published_idx"),
}


def upgrade() -> None:
    _drop_indexes()
    op.drop_table("category_months")
    for table, names in _COUNTS.items():
        for name in names:
            op.add_column(
                table,
                sa.Column(name, sa.BigInteger(), server_default=sa.text("0"), nullable=False),
            )
    op.add_column(
        "sponsor_youtubers",
        sa.Column("kinds", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
    )
    op.alter_column("sponsor_youtubers", "kinds", server_default=None)
    op.execute("TRUNCATE sponsor_months, sponsor_returns, category_returns")
    for table, names in _SUMS.items():
        kind = sa.BigInteger() if table == "sponsor_months" else sa.Integer()
        for name in names:
            op.add_column(table, sa.Column(name, kind, nullable=False))
    op.create_table(
        "category_months",
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("kinds", sa.Text(), nullable=False),
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("videos", sa.BigInteger(), nullable=False),
        sa.Column("sponsorships", sa.BigInteger(), nullable=False),
        sa.Column("views", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("category", "kinds", "month", name=op.f("category_months_pkey")),
    )
    for statement in FILL:
        op.execute(statement)
    _create_indexes("paid_videos", {"postgresql_include": ["kinds"]}, "kind", "video_id")
    for name in _COUNTS["sponsors"]:
        op.create_index(f"sponsors_{name}_idx", "sponsors", [sa.text(f"{name} DESC"), "id"])


def downgrade() -> None:
    for name in _COUNTS["sponsors"]:
        op.drop_index(f"sponsors_{name}_idx", "sponsors")
    _drop_indexes()
    op.drop_table("category_months")
    op.create_table(
        "category_months",
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("videos", sa.BigInteger(), nullable=False),
        sa.Column("views", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("category", "month", name=op.f("category_months_pkey")),
    )
    op.execute(
        "INSERT INTO category_months (category, month, videos, views) "  # noqa: S608 - names of ours
        f"SELECT scope, month, count(*), sum(views) FROM ({IN_SCOPES}) AS counted GROUP BY 1, 2"
    )
    op.execute("DELETE FROM sponsor_returns WHERE youtubers = 0 AND repeats = 0")
    op.execute("DELETE FROM category_returns WHERE youtubers = 0")
    for table, names in (_COUNTS | _SUMS).items():
        for name in names:
            op.drop_column(table, name)
    op.drop_column("sponsor_youtubers", "kinds")
    _create_indexes("videos", {})


def _drop_indexes() -> None:
    for table, names in _CHANGED_INDEXES.items():
        for name in names:
            op.drop_index(name, table)


def _create_indexes(listed_by: str, of_relations: dict[str, list[str]], *covered: str) -> None:
    """After the rows, as an index is made faster of many than row by row."""
    order = sa.text(f"{listed_by} DESC")
    op.create_index(
        "sponsor_months_category_idx",
        "sponsor_months",
        ["sponsor_category", "month", order, "sponsor_id"],
    )
    op.create_index("sponsor_months_videos_idx", "sponsor_months", ["month", order, "sponsor_id"])
    op.create_index(
        "sponsor_youtubers_youtuber_idx",
        "sponsor_youtubers",
        ["youtuber_id", "sponsor_id"],
        **of_relations,  # pyright: ignore[reportArgumentType]
    )
    op.create_index(
        "sponsor_youtubers_videos_idx",
        "sponsor_youtubers",
        ["sponsor_id", sa.text("videos DESC"), "youtuber_id"],
        **of_relations,  # pyright: ignore[reportArgumentType]
    )
    for name, columns in (
        ("sponsorships_category_idx", ["sponsor_category", "published_on"]),
        ("sponsorships_published_idx", ["published_on"]),
    ):
        op.create_index(name, "sponsorships", columns, postgresql_include=[*_COVERED, *covered])
