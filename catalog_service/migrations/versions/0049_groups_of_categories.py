"""Callers' SQL sees the group that a brand's category is in.

Revision ID: 0049
"""

from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None

# The groups of sponsor categories as they are at this revision. A category in another group needs the views made anew.
GROUPS = {
    "tech": ("security", "software", "ai", "hosting", "electronics", "telecom"),
    "gaming": ("games", "gaming-gear"),
    "money": ("finance", "crypto"),
    "lifestyle": (
        "food", "health", "beauty", "fashion", "home", "travel", "automotive", "pets", "toys", "sports-outdoors", "instruments",
    ),
    "media": ("streaming", "audio-books", "events"),
    "growth": ("education", "careers"),
    "commerce": ("retail", "services", "delivery"),
}  # fmt: skip


def _group_of(column: str) -> str:
    """Return the expression of a category's group; of a category that is in none it is the category itself."""
    cases = " ".join(
        f"WHEN {column} IN ({', '.join(repr(member) for member in members)}) THEN '{group}'"
        for group, members in GROUPS.items()
    )
    return f"CASE {cases} ELSE {column} END"


_SPONSORS = """
SELECT id, slug, name, domains, aliases, category, country, videos AS video_count, youtubers AS youtuber_count,
  views AS view_count, paid_videos AS paid_video_count, paid_youtubers AS paid_youtuber_count, paid_views AS paid_view_count,
  first_seen, last_seen{group}
FROM sponsors"""
_SPONSORSHIPS = """
SELECT video_id, sponsor_id, youtuber_id, published_on, views, kind, confidence, sponsor_category, content_category, country,
  code, link, excerpt, excerpt_source, excerpt_start{group}
FROM sponsorships"""
_MONTHS = """
SELECT sponsor_id, month, sponsor_category, videos AS video_count, views AS view_count, paid_videos AS paid_video_count,
  paid_views AS paid_view_count{group}
FROM sponsor_months"""
_VIEWS = (
    ("sponsors", _SPONSORS, f", {_group_of('category')} AS category_group"),
    ("sponsorships", _SPONSORSHIPS, f", {_group_of('sponsor_category')} AS sponsor_group"),
    ("months", _MONTHS, f", {_group_of('sponsor_category')} AS sponsor_group"),
)


def upgrade() -> None:
    for name, columns, group in _VIEWS:
        op.execute(f"CREATE OR REPLACE VIEW dataset.{name} AS {columns.format(group=group)}")


def downgrade() -> None:
    for name, columns, _ in _VIEWS:
        op.execute(f"DROP VIEW dataset.{name}")
        op.execute(f"CREATE VIEW dataset.{name} AS {columns.format(group='')}")
