"""The catalogue's tables, their indexes and what search needs.

Revision ID: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# Text as it is compared: without accents, in lower case, letters and digits only, in any script.
# `unaccent` counts as stable because its rules are a file, which changes with Postgres only.
NORMALISED = """
CREATE FUNCTION normalised(spelling text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(
  lower(unaccent('unaccent'::regdictionary, normalize(spelling, NFKC)) COLLATE pg_c_utf8),
  '[^[:alnum:]]+', '', 'g'
)
"""


def upgrade() -> None:
    op.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    op.execute("CREATE EXTENSION IF NOT EXISTS unaccent")
    op.execute(NORMALISED)
    _create_catalog_state()
    _create_sponsors()
    _create_youtubers()
    _create_sponsor_months()
    _create_sponsor_names()
    _create_sponsor_youtubers()
    _create_videos()
    _create_youtuber_names()
    _create_sponsorships()
    op.execute("INSERT INTO catalog_state (id) VALUES (1)")


def downgrade() -> None:
    for table in (
        "sponsorships",
        "youtuber_names",
        "videos",
        "sponsor_youtubers",
        "sponsor_names",
        "sponsor_months",
        "youtubers",
        "sponsors",
        "catalog_state",
    ):
        op.drop_table(table)
    op.execute("DROP FUNCTION normalised")


def _create_catalog_state() -> None:
    op.create_table(
        "catalog_state",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("first_sponsored", sa.Date(), nullable=True),
        sa.Column("last_sponsored", sa.Date(), nullable=True),
        sa.CheckConstraint("id = 1", name=op.f("catalog_state_single_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("catalog_state_pkey")),
    )


def _create_sponsors() -> None:
    op.create_table(
        "sponsors",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("slug", sa.Text(collation="C"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "name_key",
            sa.Text(collation="C"),
            sa.Computed("normalised(name)", persisted=True),
            nullable=False,
        ),
        sa.Column("aliases", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("domains", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("country", sa.Text(), nullable=True),
        sa.Column("website", sa.Text(), nullable=True),
        sa.Column("videos", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("youtubers", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("views", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("first_seen", sa.Date(), nullable=True),
        sa.Column("last_seen", sa.Date(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("sponsors_pkey")),
        sa.UniqueConstraint("slug", name=op.f("sponsors_slug_key")),
    )
    op.create_index("sponsors_category_idx", "sponsors", ["category", sa.text("videos DESC"), "id"])
    op.create_index(
        "sponsors_last_seen_idx", "sponsors", [sa.text("last_seen DESC NULLS LAST"), "id"]
    )
    op.create_index("sponsors_name_key_idx", "sponsors", ["name_key", "id"])
    op.create_index("sponsors_videos_idx", "sponsors", [sa.text("videos DESC"), "id"])
    op.create_index("sponsors_views_idx", "sponsors", [sa.text("views DESC"), "id"])
    op.create_index("sponsors_youtubers_idx", "sponsors", [sa.text("youtubers DESC"), "id"])


def _create_youtubers() -> None:
    op.create_table(
        "youtubers",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("key", sa.Text(collation="C"), nullable=False),
        sa.Column("channel_id", sa.Text(collation="C"), nullable=True),
        sa.Column("handle", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "name_key",
            sa.Text(collation="C"),
            sa.Computed("normalised(name)", persisted=True),
            nullable=False,
        ),
        sa.Column("subscribers", sa.BigInteger(), nullable=True),
        sa.Column("country", sa.Text(), nullable=True),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("imported_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_import", sa.DateTime(timezone=True), nullable=True),
        sa.Column("videos_scanned", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("first_video", sa.Date(), nullable=True),
        sa.Column("last_video", sa.Date(), nullable=True),
        sa.Column("sponsored_videos", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("sponsors", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("first_sponsored", sa.Date(), nullable=True),
        sa.Column("last_sponsored", sa.Date(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("youtubers_pkey")),
        sa.UniqueConstraint("channel_id", name=op.f("youtubers_channel_id_key")),
        sa.UniqueConstraint("key", name=op.f("youtubers_key_key")),
    )
    op.create_index(
        "youtubers_category_idx", "youtubers", ["category", sa.text("sponsored_videos DESC"), "id"]
    )
    op.create_index("youtubers_handle_idx", "youtubers", [sa.text("lower(handle)")])
    op.create_index(
        "youtubers_last_sponsored_idx",
        "youtubers",
        [sa.text("last_sponsored DESC NULLS LAST"), "id"],
    )
    op.create_index("youtubers_name_key_idx", "youtubers", ["name_key", "id"])
    op.create_index(
        "youtubers_sponsored_videos_idx", "youtubers", [sa.text("sponsored_videos DESC"), "id"]
    )
    op.create_index(
        "youtubers_subscribers_idx", "youtubers", [sa.text("subscribers DESC NULLS LAST"), "id"]
    )


def _create_sponsor_months() -> None:
    op.create_table(
        "sponsor_months",
        sa.Column("sponsor_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("content_category", sa.Text(), nullable=False),
        sa.Column("videos", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("views", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(
            ["sponsor_id"], ["sponsors.id"], name=op.f("sponsor_months_sponsor_id_fkey")
        ),
        sa.PrimaryKeyConstraint(
            "sponsor_id", "month", "content_category", name=op.f("sponsor_months_pkey")
        ),
    )


def _create_sponsor_names() -> None:
    op.create_table(
        "sponsor_names",
        sa.Column("name_key", sa.Text(collation="C"), nullable=False),
        sa.Column("sponsor_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("is_label", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["sponsor_id"], ["sponsors.id"], name=op.f("sponsor_names_sponsor_id_fkey")
        ),
        sa.PrimaryKeyConstraint("name_key", "sponsor_id", name=op.f("sponsor_names_pkey")),
    )
    op.create_index("sponsor_names_sponsor_id_idx", "sponsor_names", ["sponsor_id"])
    op.create_index(
        "sponsor_names_trigram_idx",
        "sponsor_names",
        ["name_key"],
        postgresql_using="gin",
        postgresql_ops={"name_key": "gin_trgm_ops"},
    )


def _create_sponsor_youtubers() -> None:
    op.create_table(
        "sponsor_youtubers",
        sa.Column("sponsor_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("youtuber_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("videos", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("views", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("first_seen", sa.Date(), nullable=False),
        sa.Column("last_seen", sa.Date(), nullable=False),
        sa.ForeignKeyConstraint(
            ["sponsor_id"], ["sponsors.id"], name=op.f("sponsor_youtubers_sponsor_id_fkey")
        ),
        sa.ForeignKeyConstraint(
            ["youtuber_id"], ["youtubers.id"], name=op.f("sponsor_youtubers_youtuber_id_fkey")
        ),
        sa.PrimaryKeyConstraint("sponsor_id", "youtuber_id", name=op.f("sponsor_youtubers_pkey")),
    )
    op.create_index(
        "sponsor_youtubers_youtuber_idx", "sponsor_youtubers", ["youtuber_id", "sponsor_id"]
    )


def _create_videos() -> None:
    op.create_table(
        "videos",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("key", sa.Text(collation="C"), nullable=False),
        sa.Column("video_id", sa.Text(collation="C"), nullable=True),
        sa.Column("youtuber_id", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("published_on", sa.Date(), nullable=False),
        sa.Column("views", sa.BigInteger(), nullable=True),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("duration_seconds", sa.Integer(), nullable=True),
        sa.Column("detector_version", sa.Text(), nullable=True),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["youtuber_id"], ["youtubers.id"], name=op.f("videos_youtuber_id_fkey")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("videos_pkey")),
        sa.UniqueConstraint("key", name=op.f("videos_key_key")),
        sa.UniqueConstraint("video_id", name=op.f("videos_video_id_key")),
    )
    op.create_index(
        "videos_youtuber_idx",
        "videos",
        ["youtuber_id", sa.text("published_on DESC"), sa.text("id DESC")],
    )


def _create_youtuber_names() -> None:
    op.create_table(
        "youtuber_names",
        sa.Column("name_key", sa.Text(collation="C"), nullable=False),
        sa.Column("youtuber_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["youtuber_id"], ["youtubers.id"], name=op.f("youtuber_names_youtuber_id_fkey")
        ),
        sa.PrimaryKeyConstraint("name_key", "youtuber_id", name=op.f("youtuber_names_pkey")),
    )
    op.create_index(
        "youtuber_names_trigram_idx",
        "youtuber_names",
        ["name_key"],
        postgresql_using="gin",
        postgresql_ops={"name_key": "gin_trgm_ops"},
    )
    op.create_index("youtuber_names_youtuber_id_idx", "youtuber_names", ["youtuber_id"])


def _create_sponsorships() -> None:
    op.create_table(
        "sponsorships",
        sa.Column("video_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("sponsor_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("youtuber_id", sa.BigInteger(), nullable=False),
        sa.Column("published_on", sa.Date(), nullable=False),
        sa.Column("views", sa.BigInteger(), nullable=True),
        sa.Column("content_category", sa.Text(), nullable=True),
        sa.Column("sponsor_category", sa.Text(), nullable=True),
        sa.Column("country", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Double[float](), nullable=False),
        sa.Column("code", sa.Text(), nullable=True),
        sa.Column("link", sa.Text(), nullable=True),
        sa.Column("excerpt", sa.Text(), nullable=True),
        sa.Column("excerpt_source", sa.Text(), nullable=True),
        sa.Column("excerpt_start", sa.Integer(), nullable=True),
        sa.Column("excerpt_end", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("detector_version", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "confidence BETWEEN 0 AND 1", name=op.f("sponsorships_confidence_check")
        ),
        sa.ForeignKeyConstraint(
            ["sponsor_id"], ["sponsors.id"], name=op.f("sponsorships_sponsor_id_fkey")
        ),
        sa.ForeignKeyConstraint(
            ["video_id"], ["videos.id"], name=op.f("sponsorships_video_id_fkey")
        ),
        sa.ForeignKeyConstraint(
            ["youtuber_id"], ["youtubers.id"], name=op.f("sponsorships_youtuber_id_fkey")
        ),
        sa.PrimaryKeyConstraint("video_id", "sponsor_id", name=op.f("sponsorships_pkey")),
    )
    op.create_index(
        "sponsorships_category_idx",
        "sponsorships",
        ["sponsor_category", "published_on"],
        postgresql_include=[
            "sponsor_id",
            "youtuber_id",
            "views",
            "content_category",
            "country",
            "confidence",
        ],
    )
    op.create_index(
        "sponsorships_published_idx",
        "sponsorships",
        ["published_on"],
        postgresql_include=[
            "sponsor_id",
            "youtuber_id",
            "views",
            "content_category",
            "country",
            "confidence",
        ],
    )
    op.create_index(
        "sponsorships_sponsor_idx",
        "sponsorships",
        ["sponsor_id", sa.text("published_on DESC"), sa.text("video_id DESC")],
        postgresql_include=[
            "youtuber_id",
            "views",
            "kind",
            "content_category",
            "country",
            "confidence",
        ],
    )
    op.create_index(
        "sponsorships_youtuber_idx",
        "sponsorships",
        ["youtuber_id", sa.text("published_on DESC"), sa.text("video_id DESC")],
        postgresql_include=["sponsor_id", "views", "kind", "sponsor_category", "confidence"],
    )
