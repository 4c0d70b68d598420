"""Fill the rollups by day.

No import may run by earlier code from here on: it would not bring them up to date (docs/operations.md, "Upgrade").

Revision ID: 0028
"""

from servicekit.migration.operations import fill_in_batches

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

# The groups of sponsor categories, the kinds and the reach of a cell as they are at this revision.
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
KINDS = ("paid_sponsorship", "promo_code", "affiliate", "free_product")
MAX_DAYS = 92
PAID = "kind <> 'free_product'"
SCOPES = ", ".join(
    str(pair)
    for pair in [
        ("", ""),
        *(
            (category, scope)
            for group, members in GROUPS.items()
            for category in (group, *members)
            for scope in sorted({"", category, group})
        ),
    ]
)
SUMS = (
    "videos",
    "views",
    "youtubers",
    *(f"{kind}_{name}" for kind in KINDS for name in ("videos", "sponsorships")),
)
OF_KINDS = ", ".join(
    f"count(*) FILTER (WHERE {kind} > 0), coalesce(sum({kind}), 0)" for kind in KINDS
)

_SPONSOR_DAYS = f"""
INSERT INTO sponsor_days (sponsor_id, day, videos, views, youtubers, free_products)
SELECT sponsor_id, published_on, count(*) FILTER (WHERE {PAID}),
       coalesce(sum(views) FILTER (WHERE {PAID}), 0),
       count(DISTINCT youtuber_id) FILTER (WHERE {PAID}), count(*) FILTER (WHERE NOT {PAID})
FROM sponsorships WHERE sponsor_id BETWEEN :first AND :last GROUP BY 1, 2"""  # noqa: S608 - names of ours
_SPONSOR_DAY_RETURNS = f"""
INSERT INTO sponsor_day_returns (sponsor_id, day, gap, youtubers)
SELECT sponsor_id, day, gap, count(*)
FROM (
  SELECT sponsor_id, day, day - lag(day) OVER (PARTITION BY sponsor_id, youtuber_id ORDER BY day) AS gap
  FROM (SELECT DISTINCT sponsor_id, youtuber_id, published_on AS day FROM sponsorships
        WHERE sponsor_id BETWEEN :first AND :last AND {PAID}) AS seen
) AS returned
WHERE gap < {MAX_DAYS} GROUP BY 1, 2, 3"""  # noqa: S608 - names of ours
_CATEGORY_DAYS = f"""
INSERT INTO category_days AS held (category, day, {", ".join(SUMS)})
SELECT scope, day, count(*) FILTER (WHERE paid > 0), coalesce(sum(views) FILTER (WHERE paid > 0), 0),
       0, {OF_KINDS}
FROM (
  SELECT scope, video_id, published_on AS day, max(coalesce(views, 0)) AS views,
         count(*) FILTER (WHERE {PAID}) AS paid,
         {", ".join(f"count(*) FILTER (WHERE kind = '{kind}') AS {kind}" for kind in KINDS)}
  FROM sponsorships
  JOIN (VALUES {SCOPES}) AS named(category, scope) ON named.category = coalesce(sponsor_category, '')
  WHERE video_id BETWEEN :first AND :last GROUP BY 1, 2, 3
) AS video
GROUP BY 1, 2
ON CONFLICT (category, day) DO UPDATE SET {", ".join(f"{name} = held.{name} + excluded.{name}" for name in SUMS)}"""  # noqa: S608 - names of ours
_SEEN = f"""
  SELECT scope, day, day - lag(day) OVER (PARTITION BY scope, youtuber_id ORDER BY day) AS gap
  FROM (SELECT DISTINCT scope, youtuber_id, published_on AS day
        FROM sponsorships
        JOIN (VALUES {SCOPES}) AS named(category, scope) ON named.category = coalesce(sponsor_category, '')
        WHERE youtuber_id BETWEEN :first AND :last AND {PAID}) AS seen"""  # noqa: S608 - names of ours
_CATEGORY_YOUTUBERS = f"""
INSERT INTO category_days AS held (category, day, {", ".join(SUMS)})
SELECT scope, day, {", ".join("count(*)" if name == "youtubers" else "0" for name in SUMS)}
FROM ({_SEEN}) AS seen GROUP BY 1, 2
ON CONFLICT (category, day) DO UPDATE SET youtubers = held.youtubers + excluded.youtubers"""  # noqa: S608 - names of ours
_CATEGORY_DAY_RETURNS = f"""
INSERT INTO category_day_returns AS held (category, day, gap, youtubers)
SELECT scope, day, gap, count(*) FROM ({_SEEN}) AS returned
WHERE gap < {MAX_DAYS} GROUP BY 1, 2, 3
ON CONFLICT (category, day, gap) DO UPDATE SET youtubers = held.youtubers + excluded.youtubers"""  # noqa: S608 - names of ours


def upgrade() -> None:
    fill_in_batches(f"{revision} sponsor_days", "sponsors", _SPONSOR_DAYS, batch_rows=500)
    fill_in_batches(
        f"{revision} sponsor_day_returns", "sponsors", _SPONSOR_DAY_RETURNS, batch_rows=500
    )
    fill_in_batches(f"{revision} category_days", "videos", _CATEGORY_DAYS, batch_rows=20_000)
    fill_in_batches(f"{revision} youtubers", "youtubers", _CATEGORY_YOUTUBERS, batch_rows=1_000)
    fill_in_batches(
        f"{revision} category_day_returns", "youtubers", _CATEGORY_DAY_RETURNS, batch_rows=1_000
    )


def downgrade() -> None:
    pass
