"""Fill the videos of sponsors by content category and kind, and the sums of categories by facet.

No import may run by earlier code from here on: it would not bring them up to date (docs/operations.md, "Upgrade").

Revision ID: 0036
"""

from servicekit.migration.operations import fill_in_batches

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

# The groups of sponsor categories, the kinds with their bits and the steps of confidence as they are at this revision.
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
PAIRS = [
    ("", ""),
    *(
        (category, scope)
        for group, members in GROUPS.items()
        for category in (group, *members)
        for scope in sorted({"", category, group})
    ),
]
SCOPES = ", ".join(map(str, PAIRS))
COUNTED_SCOPES = ", ".join(map(str, [*PAIRS, *((group, f"={group}") for group in GROUPS)]))
PAID = "kind <> 'free_product'"
BIT = "CASE kind WHEN 'paid_sponsorship' THEN 1 WHEN 'promo_code' THEN 2 WHEN 'affiliate' THEN 4 ELSE 8 END"
STEP = "width_bucket(confidence, ARRAY[0.5, 0.6, 0.7, 0.8, 0.9]::float8[])"

_CONTENTS = """
INSERT INTO sponsor_contents (sponsor_id, content, kind, videos)
SELECT sponsor_id, content_category, kind, count(*)
FROM sponsorships WHERE content_category IS NOT NULL AND sponsor_id BETWEEN :first AND :last GROUP BY 1, 2, 3"""
_INTO = "INSERT INTO category_facets AS held (category, facet, videos, youtubers, sponsors)"
_ADD = """
ON CONFLICT (category, facet) DO UPDATE SET videos = held.videos + excluded.videos,
  youtubers = held.youtubers + excluded.youtubers, sponsors = held.sponsors + excluded.sponsors"""
_SPONSORS = f"""
{_INTO}
SELECT 'content:' || content, 'kinds:' || mask, 0, 0, count(*)
FROM (SELECT content_category AS content, bit_or({BIT}) AS mask FROM sponsorships
      WHERE content_category IS NOT NULL AND sponsor_id BETWEEN :first AND :last GROUP BY sponsor_id, 1) AS sponsor
GROUP BY 1, 2 {_ADD}"""  # noqa: S608 - names of ours
_VIDEOS = f"""
WITH claim AS (
  SELECT scope, video_id, kind, {STEP} AS step
  FROM sponsorships JOIN (VALUES {COUNTED_SCOPES}) AS named(category, scope)
    ON named.category = coalesce(sponsor_category, '')
  WHERE video_id BETWEEN :first AND :last
  UNION ALL
  SELECT 'content:' || content_category, video_id, kind, {STEP}
  FROM sponsorships WHERE content_category IS NOT NULL AND video_id BETWEEN :first AND :last
)
{_INTO}
SELECT scope, facet, count(*), 0, 0
FROM (SELECT scope, bit_or({BIT}) AS mask, max(step) FILTER (WHERE {PAID}) AS step
      FROM claim GROUP BY video_id, scope) AS video,
     LATERAL (VALUES ('kinds:' || mask), ('confidence:' || step)) AS of(facet)
WHERE facet IS NOT NULL GROUP BY 1, 2 {_ADD}"""  # noqa: S608 - names of ours
_YOUTUBERS = f"""
{_INTO}
SELECT scope, 'kinds:' || mask, 0, count(*), 0
FROM (SELECT scope, bit_or({BIT}) AS mask
      FROM sponsorships JOIN (VALUES {SCOPES}) AS named(category, scope)
        ON named.category = coalesce(sponsor_category, '')
      WHERE youtuber_id BETWEEN :first AND :last GROUP BY youtuber_id, scope) AS youtuber
GROUP BY 1, 2 {_ADD}"""  # noqa: S608 - names of ours


def upgrade() -> None:
    fill_in_batches(f"{revision} sponsor_contents", "sponsors", _CONTENTS, batch_rows=500)
    fill_in_batches(f"{revision} sponsors", "sponsors", _SPONSORS, batch_rows=500)
    fill_in_batches(f"{revision} videos", "videos", _VIDEOS, batch_rows=20_000)
    fill_in_batches(f"{revision} youtubers", "youtubers", _YOUTUBERS, batch_rows=1_000)


def downgrade() -> None:
    pass
