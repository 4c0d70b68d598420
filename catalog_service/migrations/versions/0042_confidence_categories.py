"""Fill the different videos of categories by twentieths of confidence, and delete those by tenths from .5.

No import may run by earlier code from here on: it would not bring them up to date (docs/operations.md, "Upgrade").

Revision ID: 0042
"""

from alembic import op

from servicekit.migration.operations import fill_in_batches

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

# The groups of sponsor categories, the kinds and the steps of confidence as they are at this revision.
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
COUNTED_SCOPES = ", ".join(
    str(pair)
    for pair in [
        ("", ""),
        *(
            (category, scope)
            for group, members in GROUPS.items()
            for category in (group, *members)
            for scope in sorted({"", category, group})
        ),
        *((group, f"={group}") for group in GROUPS),
    ]
)
PAID = "kind <> 'free_product'"
STEP = f"width_bucket(confidence, ARRAY{[percent / 100 for percent in range(5, 101, 5)]}::float8[]) * 5"


_CATEGORY_VIDEOS = f"""
WITH outdated AS (
  DELETE FROM category_facets WHERE facet LIKE 'confidence:%'
), claim AS (
  SELECT scope, video_id, {STEP} AS step
  FROM sponsorships JOIN (VALUES {COUNTED_SCOPES}) AS named(category, scope)
    ON named.category = coalesce(sponsor_category, '')
  WHERE video_id BETWEEN :first AND :last AND {PAID}
  UNION ALL
  SELECT 'content:' || content_category, video_id, {STEP}
  FROM sponsorships WHERE content_category IS NOT NULL AND video_id BETWEEN :first AND :last AND {PAID}
)
INSERT INTO category_facets AS held (category, facet, videos, youtubers, sponsors)
SELECT scope, 'confidence_step:' || step, count(*), 0, 0
FROM (SELECT scope, max(step) AS step FROM claim GROUP BY video_id, scope) AS video
GROUP BY 1, 2
ON CONFLICT (category, facet) DO UPDATE SET videos = held.videos + excluded.videos"""  # noqa: S608 - names of ours


def upgrade() -> None:
    fill_in_batches(revision, "videos", _CATEGORY_VIDEOS, batch_rows=20_000)


def downgrade() -> None:
    op.execute("DELETE FROM category_facets WHERE facet LIKE 'confidence_step:%'")
