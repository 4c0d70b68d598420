"""The catalogue's tables.

Facts are in four; names and totals are computed from them, as are the rollups by month in
`rollups.tables`. Four more hold what callers report and operators decide, which wins over the facts as they come in.

A sponsorship repeats what its video, youtuber and sponsor say of day, views, country and categories,
so that one index serves a query about a period. The ingest keeps the repetitions equal.
"""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    Date,
    DateTime,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    Text,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB, TSVECTOR

metadata: Final = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "fk": "%(table_name)s_%(column_0_name)s_fkey",
        "uq": "%(table_name)s_%(column_0_name)s_key",
        "ck": "%(table_name)s_%(constraint_name)s_check",
    }
)
_key: Final = Text(collation="C")


def _id() -> Column[int]:
    return Column("id", BigInteger, Identity(always=True), primary_key=True)


def _count(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False, server_default=text("0"))


def _deletions() -> Column[Any]:
    """Return the column of a name and what leaving out one letter makes of it."""
    computed = Computed("one_deletions(name_key)", persisted=True)
    return Column("deletions", ARRAY(Text), computed, nullable=False)


def _reference(name: str, table: str) -> Column[int]:
    return Column(name, BigInteger, ForeignKey(f"{table}.id"), nullable=False)


sponsors: Final = Table(
    "sponsors",
    metadata,
    _id(),
    Column("slug", _key, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("name_key", _key, Computed("normalised(name)", persisted=True), nullable=False),
    Column("aliases", ARRAY(Text), nullable=False),
    Column("domains", ARRAY(Text), nullable=False),
    Column("category", Text),
    Column("country", Text),
    Column("website", Text),
    _count("videos"),
    _count("youtubers"),
    _count("views"),
    _count("paid_videos"),
    _count("paid_youtubers"),
    _count("paid_views"),
    Column("first_seen", Date),
    Column("last_seen", Date),
    Column("current_until", Date),
    Column("open_until", Date),
    Column("lapsed_until", Date),
    Index("sponsors_category_idx", "category", text("videos DESC"), "id"),
    Index("sponsors_videos_idx", text("videos DESC"), "id"),
    Index("sponsors_youtubers_idx", text("youtubers DESC"), "id"),
    Index("sponsors_views_idx", text("views DESC"), "id"),
    Index("sponsors_paid_videos_idx", text("paid_videos DESC"), "id"),
    Index("sponsors_paid_youtubers_idx", text("paid_youtubers DESC"), "id"),
    Index("sponsors_paid_views_idx", text("paid_views DESC"), "id"),
    Index("sponsors_last_seen_idx", text("last_seen DESC NULLS LAST"), "id"),
    Index("sponsors_name_order_idx", text('"left"(name_key, 100)'), "id"),
)
"""`current_until`, `open_until` and `lapsed_until` are the days of `rollups.sponsor_days`, by which a sponsor has its status."""

sponsor_names: Final = Table(
    "sponsor_names",
    metadata,
    Column("name_key", _key, primary_key=True),
    Column(
        "sponsor_id", BigInteger, ForeignKey("sponsors.id"), primary_key=True, autoincrement=False
    ),
    Column("is_label", Boolean, nullable=False),
    Column("is_domain", Boolean, nullable=False),
    _deletions(),
    Index("sponsor_names_sponsor_id_idx", "sponsor_id"),
    Index("sponsor_names_deletions_idx", "deletions", postgresql_using="gin"),
    Index("sponsor_names_suffixes_idx", text("name_suffixes(name_key)"), postgresql_using="gin"),
    Index(
        "sponsor_names_trigram_idx",
        "name_key",
        postgresql_using="gin",
        postgresql_ops={"name_key": "gin_trgm_ops"},
    ),
)

youtubers: Final = Table(
    "youtubers",
    metadata,
    _id(),
    Column("key", _key, nullable=False, unique=True),
    Column("channel_id", _key, unique=True),
    Column("handle", Text),
    Column("name", Text, nullable=False),
    Column("name_key", _key, Computed("normalised(name)", persisted=True), nullable=False),
    Column("subscribers", BigInteger),
    Column("country", Text),
    Column("category", Text),
    Column("source", Text),
    Column("imported_at", DateTime(timezone=True)),
    Column("last_import", DateTime(timezone=True)),
    _count("videos_scanned"),
    Column("first_video", Date),
    Column("last_video", Date),
    Column("latest_videos_since", Date),
    _count("sponsored_videos"),
    _count("sponsors"),
    _count("paid_sponsors"),
    Column("first_sponsored", Date),
    Column("last_sponsored", Date),
    Index("youtubers_handle_idx", text("lower(handle)")),
    Index("youtubers_name_key_idx", "name_key", "id"),
    Index("youtubers_name_order_idx", text('"left"(name_key, 100)'), "id"),
    Index("youtubers_subscribers_idx", text("subscribers DESC NULLS LAST"), "id"),
    Index("youtubers_sponsored_videos_idx", text("sponsored_videos DESC"), "id"),
    Index("youtubers_last_sponsored_idx", text("last_sponsored DESC NULLS LAST"), "id"),
    Index("youtubers_last_video_idx", text("last_video DESC NULLS LAST")),
    Index("youtubers_category_idx", "category", text("sponsored_videos DESC"), "id"),
    # Room for new totals beside the old, so that they leave the indexes alone.
    postgresql_with={"fillfactor": 70},
)

"""`latest_videos_since` is the day of the fifth newest video (`domain.relation_status.MIN_LATER_VIDEOS`); null if
there are fewer."""

youtuber_contents: Final = Table(
    "youtuber_contents",
    metadata,
    Column("youtuber_id", BigInteger, primary_key=True, autoincrement=False),
    Column("content", Text, primary_key=True),
    Column("videos", BigInteger, nullable=False),
    Column("first_video", Date, nullable=False),
    Column("last_video", Date, nullable=False),
    Index("youtuber_contents_content_idx", "content"),
    # Room for new counts beside the old.
    postgresql_with={"fillfactor": 70},
)
"""Videos looked at of a youtuber of all time by content category, and the days of the first and the last one."""

youtuber_names: Final = Table(
    "youtuber_names",
    metadata,
    Column("name_key", _key, primary_key=True),
    Column(
        "youtuber_id",
        BigInteger,
        ForeignKey("youtubers.id"),
        primary_key=True,
        autoincrement=False,
    ),
    _deletions(),
    Index("youtuber_names_youtuber_id_idx", "youtuber_id"),
    Index("youtuber_names_deletions_idx", "deletions", postgresql_using="gin"),
    Index("youtuber_names_suffixes_idx", text("name_suffixes(name_key)"), postgresql_using="gin"),
    Index(
        "youtuber_names_trigram_idx",
        "name_key",
        postgresql_using="gin",
        postgresql_ops={"name_key": "gin_trgm_ops"},
    ),
)

videos: Final = Table(
    "videos",
    metadata,
    _id(),
    Column("key", _key, nullable=False, unique=True),
    Column("video_id", _key, unique=True),
    _reference("youtuber_id", "youtubers"),
    Column("title", Text),
    Column("title_hash", _key),
    Column("published_on", Date, nullable=False),
    Column("views", BigInteger),
    Column("category", Text),
    Column("duration_seconds", Integer),
    Column("detector_version", Text),
    Column("digest", Text, nullable=False),
    Column("paid_promotion_disclosed", Boolean),
    Column("likes", BigInteger),
    Column("comments", BigInteger),
    Column("observed_on", Date),
    Column("language", Text),
    Column("broadcast", Text),
    Column("disclosure_words", Text),
    Column("format", Text, nullable=False, server_default=text("'unknown'")),
    Index("videos_youtuber_idx", "youtuber_id", text("published_on DESC"), text("id DESC")),
    Index("videos_published_idx", "published_on", postgresql_include=["youtuber_id", "category"]),
)

"""Views, likes and comments are those of the day `observed_on`; null where that is not known. `format` is by the rule of
`domain.video_formats`: another rule needs a migration that fills it again."""

video_snapshots: Final = Table(
    "video_snapshots",
    metadata,
    Column("video_id", BigInteger, ForeignKey("videos.id"), primary_key=True, autoincrement=False),
    Column("observed_on", Date, primary_key=True),
    Column("views", BigInteger),
    Column("likes", BigInteger),
    Column("comments", BigInteger),
)
"""Those that `domain.snapshots` keeps."""

video_texts: Final = Table(
    "video_texts",
    metadata,
    Column("video_id", BigInteger, ForeignKey("videos.id"), primary_key=True, autoincrement=False),
    Column("config", _key, nullable=False),
    Column("words", TSVECTOR, nullable=False),
    Column("has_description", Boolean, nullable=False),
    Index("video_texts_words_idx", "words", postgresql_using="gin"),
)
"""The words of titles (weight A) and descriptions (weight B), by the text search configuration of the video's language."""

sponsorships: Final = Table(
    "sponsorships",
    metadata,
    Column("video_id", BigInteger, ForeignKey("videos.id"), primary_key=True, autoincrement=False),
    Column(
        "sponsor_id", BigInteger, ForeignKey("sponsors.id"), primary_key=True, autoincrement=False
    ),
    _reference("youtuber_id", "youtubers"),
    Column("published_on", Date, nullable=False),
    Column("views", BigInteger),
    Column("content_category", Text),
    Column("sponsor_category", Text),
    Column("country", Text),
    Column("kind", Text, nullable=False),
    Column("confidence", Double, nullable=False),
    Column("code", Text),
    Column("link", Text),
    Column("excerpt", Text),
    Column("excerpt_source", Text),
    Column("excerpt_start", Integer),
    Column("excerpt_end", Integer),
    Column("excerpt_hash", Text),
    Column("reason", Text, nullable=False),
    Column("detector_version", Text, nullable=False),
    Column("segment_start", Integer),
    Column("segment_end", Integer),
    Column("segment_source", Text),
    Column("reader", Text),
    CheckConstraint("confidence BETWEEN 0 AND 1", name="confidence"),
    Index(
        "sponsorships_sponsor_idx",
        "sponsor_id",
        text("published_on DESC"),
        text("video_id DESC"),
        postgresql_include=[
            "youtuber_id", "views", "kind", "content_category", "country", "confidence",
        ],
    ),
    Index(
        "sponsorships_youtubers_idx",
        "youtuber_id",
        text("published_on DESC"),
        text("video_id DESC"),
        postgresql_include=[
            "sponsor_id", "views", "kind", "sponsor_category", "confidence", "code",
            "content_category", "country",
        ],
    ),
    Index(
        "sponsorships_category_idx",
        "sponsor_category",
        "published_on",
        postgresql_include=[
            "sponsor_id", "youtuber_id", "views", "content_category", "country", "confidence",
            "kind", "video_id",
        ],
    ),
    *(
        Index(
            f"sponsorships_unknown_{name}_idx",
            "published_on",
            "video_id",
            postgresql_where=text(f"{name} IS NULL"),
        )
        for name in ("content_category", "country", "sponsor_category")
    ),
    Index(
        "sponsorships_published_idx",
        "published_on",
        postgresql_include=[
            "sponsor_id", "youtuber_id", "views", "content_category", "country", "confidence",
            "kind", "video_id",
        ],
    ),
)  # fmt: skip

Index(
    "sponsorships_code_idx",
    func.upper(sponsorships.c.code).label("folded_code"),
    postgresql_ops={"folded_code": "text_pattern_ops"},
    postgresql_where=text("code IS NOT NULL"),
)

sponsor_youtubers: Final = Table(
    "sponsor_youtubers",
    metadata,
    Column(
        "sponsor_id", BigInteger, ForeignKey("sponsors.id"), primary_key=True, autoincrement=False
    ),
    Column(
        "youtuber_id",
        BigInteger,
        ForeignKey("youtubers.id"),
        primary_key=True,
        autoincrement=False,
    ),
    _count("videos"),
    _count("views"),
    Column("first_seen", Date, nullable=False),
    Column("last_seen", Date, nullable=False),
    Column("kinds", SmallInteger, nullable=False),
    Index(
        "sponsor_youtubers_youtuber_idx",
        "youtuber_id",
        "sponsor_id",
        postgresql_include=["kinds"],
    ),
    Index(
        "sponsor_youtubers_videos_idx",
        "sponsor_id",
        text("videos DESC"),
        "youtuber_id",
        postgresql_include=["kinds"],
    ),
    Index("sponsor_youtubers_views_idx", "sponsor_id", text("views DESC"), "youtuber_id"),
    Index("sponsor_youtubers_seen_idx", "sponsor_id", text("last_seen DESC"), "youtuber_id"),
)
"""`kinds` is a mask of the kinds of sponsorship that the two have had (`domain.kinds.BITS`)."""

catalog_state: Final = Table(
    "catalog_state",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    _count("version"),
    Column("change_id", Uuid),
    Column("first_sponsored", Date),
    Column("last_sponsored", Date),
    Column("first_video", Date),
    Column("last_video", Date),
    _count("youtubers"),
    _count("sponsored_youtubers"),
    _count("videos"),
    _count("sponsored_videos"),
    CheckConstraint("id = 1", name="single"),
)


def _decision_number(**more: Any) -> Column[int]:
    """Return the column that numbers corrections and merges in the order of their decision."""
    default = text("nextval('decision_numbers')")
    return Column("number", BigInteger, nullable=False, server_default=default, **more)


youtuber_aliases: Final = Table(
    "youtuber_aliases",
    metadata,
    Column("key", _key, primary_key=True),
    Column("former_id", BigInteger, nullable=False, unique=True),
    _reference("youtuber_id", "youtubers"),
    Index("youtuber_aliases_youtuber_idx", "youtuber_id"),
)
"""Former keys and ids of youtubers that turned out to be others."""

video_aliases: Final = Table(
    "video_aliases",
    metadata,
    Column("key", _key, primary_key=True),
    _reference("video_id", "videos"),
    Index("video_aliases_video_idx", "video_id"),
)
"""Former keys of videos."""


def _now(name: str) -> Column[datetime]:
    return Column(name, DateTime(timezone=True), nullable=False, server_default=text("now()"))


sponsorship_reports: Final = Table(
    "sponsorship_reports",
    metadata,
    _id(),
    Column("account_id", _key, nullable=False),
    Column("video_key", _key, ForeignKey("videos.key", onupdate="CASCADE"), nullable=False),
    Column("sponsor_id", BigInteger, ForeignKey("sponsors.id")),
    Column("kind", Text, nullable=False),
    Column("brand", Text),
    Column("proposed_kind", Text),
    Column("note", Text),
    _now("created_at"),
    Column("state", Text, nullable=False, server_default=text("'open'")),
    Column("decided_at", DateTime(timezone=True)),
    Column("decided_by", Text),
    Column("decision_note", Text),
    Column("applied", Boolean, nullable=False, server_default=text("false")),
    Column("reported_slug", _key),
    CheckConstraint("kind IN ('wrong', 'missing', 'wrong_kind')", name="kind"),
    CheckConstraint("state IN ('open', 'accepted', 'rejected')", name="state"),
    CheckConstraint("length(note) <= 500", name="note"),
    CheckConstraint("(state = 'open') = (decided_at IS NULL)", name="decided"),
    Index("sponsorship_reports_account_idx", "account_id", "state"),
    Index("sponsorship_reports_state_idx", "state", "id"),
    Index("sponsorship_reports_sponsor_idx", "sponsor_id"),
)

sponsorship_corrections: Final = Table(
    "sponsorship_corrections",
    metadata,
    _decision_number(primary_key=True),
    Column("video_key", _key, ForeignKey("videos.key", onupdate="CASCADE"), nullable=False),
    _reference("sponsor_id", "sponsors"),
    Column("slug", _key, nullable=False),
    Column("action", Text, nullable=False),
    Column("kind", Text),
    Column("corrected_by", Text, nullable=False),
    _now("corrected_at"),
    _reference("report_id", "sponsorship_reports"),
    CheckConstraint("action IN ('hidden', 'kind', 'added')", name="action"),
    CheckConstraint("(action = 'hidden') = (kind IS NULL)", name="kind"),
    Index("sponsorship_corrections_video_idx", "video_key", "number"),
    Index("sponsorship_corrections_sponsor_idx", "sponsor_id"),
)
"""`slug` is the sponsor's at the time of the decision; `sponsor_id` is the one that it belongs to now."""

sponsor_merges: Final = Table(
    "sponsor_merges",
    metadata,
    Column("from_slug", _key, primary_key=True),
    Column("from_id", BigInteger, nullable=False, unique=True),
    _reference("into_id", "sponsors"),
    Column("into_slug", _key, nullable=False),
    _decision_number(unique=True),
    Column("name", Text, nullable=False),
    Column("aliases", ARRAY(Text), nullable=False),
    Column("domains", ARRAY(Text), nullable=False),
    Column("category", Text),
    Column("country", Text),
    Column("website", Text),
    Column("note", Text),
    Column("merged_by", Text, nullable=False),
    _now("merged_at"),
    Index("sponsor_merges_into_idx", "into_id"),
)
"""`into_slug` is the sponsor that it was merged into, `into_id` the one that this belongs to now."""

merged_sponsors: Final = Table(
    "merged_sponsors",
    metadata,
    Column(
        "sponsor_id", BigInteger, ForeignKey("sponsors.id"), primary_key=True, autoincrement=False
    ),
    Column("slug", _key, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("aliases", ARRAY(Text), nullable=False),
    Column("domains", ARRAY(Text), nullable=False),
    Column("category", Text),
    Column("country", Text),
    Column("website", Text),
)
"""The facts about sponsors that others were merged into, without what these contribute."""

correction_log: Final = Table(
    "correction_log",
    metadata,
    _id(),
    _now("at"),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("report_id", BigInteger),
    Column("video_key", _key),
    Column("sponsor_slug", _key),
    Column("detail", JSONB, nullable=False),
)
"""Append-only: a trigger refuses everything else. It names things and refers to none, so that it
outlives them."""

saved_lists: Final = Table(
    "saved_lists",
    metadata,
    _id(),
    Column("account_id", _key, nullable=False),
    Column("name", Text, nullable=False),
    Column("type", Text, nullable=False),
    _now("created_at"),
    _now("changed_at"),
    CheckConstraint("type IN ('sponsor', 'youtuber')", name="type"),
    CheckConstraint("length(name) BETWEEN 1 AND 60", name="name"),
    Index("saved_lists_account_idx", "account_id", text("lower(name)"), unique=True),
)

saved_list_entries: Final = Table(
    "saved_list_entries",
    metadata,
    _id(),
    Column("list_id", BigInteger, ForeignKey("saved_lists.id", ondelete="CASCADE"), nullable=False),
    Column("sponsor_id", BigInteger, ForeignKey("sponsors.id")),
    Column("youtuber_id", BigInteger, ForeignKey("youtubers.id")),
    _now("added_at"),
    CheckConstraint("num_nonnulls(sponsor_id, youtuber_id) = 1", name="is_one"),
    Index(
        "saved_list_entries_list_idx",
        "list_id",
        "sponsor_id",
        "youtuber_id",
        unique=True,
        postgresql_nulls_not_distinct=True,
    ),
    Index("saved_list_entries_sponsor_idx", "sponsor_id"),
    Index("saved_list_entries_youtuber_idx", "youtuber_id"),
)
"""Entries of a list in the order in which they were added; those of brands have a sponsor, those of creators a youtuber."""

catalog_events: Final = Table(
    "catalog_events",
    metadata,
    Column("position", BigInteger, Identity(always=True), primary_key=True),
    Column("id", _key, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    _now("at"),
    Column("sponsor_id", BigInteger, nullable=False),
    Column("youtuber_id", BigInteger, nullable=False),
    Column("category", Text),
    Column("data", JSONB, nullable=False),
    Index("catalog_events_at_idx", "at"),
)
"""What the ingest found that somebody may watch for. Positions grow with commits, as one transaction writes at a time;
`id` is made of what the event says, so that the same is the same after a restore."""
