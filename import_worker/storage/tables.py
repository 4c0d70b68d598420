"""Tables of imports, of their requests, and of the videos that they read."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    ForeignKey,
    Identity,
    Integer,
    MetaData,
    Table,
    Text,
    false,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY

metadata = MetaData()

_ZERO = text("0")

imports = Table(
    "imports",
    metadata,
    Column("id", Text, primary_key=True),
    Column("channel_id", Text, nullable=False),
    Column("reference", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("since", DateTime(timezone=True)),
    Column("max_videos", Integer),
    Column("state", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("page", Text),
    Column("walked", Integer, nullable=False, server_default=_ZERO),
    Column("walk_ended", Boolean, nullable=False, server_default=false()),
    Column("videos_seen", Integer, nullable=False, server_default=_ZERO),
    Column("videos_total", Integer),
    Column("sponsorships", Integer, nullable=False, server_default=_ZERO),
    Column("videos_removed", Integer, nullable=False, server_default=_ZERO),
    Column("run", Integer, nullable=False, server_default=_ZERO),
    Column("attempts", Integer, nullable=False, server_default=_ZERO),
    Column("restarts", Integer, nullable=False, server_default=_ZERO),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("started_at", DateTime(timezone=True)),
    Column("finished_at", DateTime(timezone=True)),
    Column("retry_at", DateTime(timezone=True)),
    Column("cancel_requested_at", DateTime(timezone=True)),
    Column("dead_reason", Text),
)

import_requests = Table(
    "import_requests",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("account_id", Text, nullable=False),
    Column("import_id", Text, ForeignKey("imports.id", ondelete="CASCADE"), nullable=False),
    Column("idempotency_key", Text),
    Column("joined", Boolean, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("cancelled_at", DateTime(timezone=True)),
    Column("max_followed", Integer, nullable=False, server_default=text("1000")),
)

import_brands = Table(
    "import_brands",
    metadata,
    Column("import_id", Text, ForeignKey("imports.id", ondelete="CASCADE"), primary_key=True),
    Column("slug", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("videos", Integer, nullable=False),
)

import_videos = Table(
    "import_videos",
    metadata,
    Column("import_id", Text, ForeignKey("imports.id", ondelete="CASCADE"), primary_key=True),
    Column("video_id", Text, primary_key=True),
)

imported_videos = Table(
    "imported_videos",
    metadata,
    Column("video_id", Text, primary_key=True),
    Column("channel_id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("published_at", DateTime(timezone=True), nullable=False),
    Column("category", Integer),
    Column("duration", Integer),
    Column("views", BigInteger),
    Column("language", Text),
    Column("declares_placement", Boolean),
    Column("text_sha256", Text, nullable=False),
    Column("detector_version", Text, nullable=False),
    Column("found", Text, nullable=False),
    Column("brand_slugs", ARRAY(Text), nullable=False),
    Column("brand_names", ARRAY(Text), nullable=False),
    Column("read_at", DateTime(timezone=True), nullable=False),
    Column("sponsor_segments", Text),
    Column("sponsorships", Text),
    Column("likes", BigInteger),
    Column("comments", BigInteger),
    Column("broadcast", Text),
)

detection_runs = Table(
    "detection_runs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("dry_run", Boolean, nullable=False),
    Column("only_outdated", Boolean, nullable=False),
    Column("automatic", Boolean, nullable=False),
    Column("state", Text, nullable=False),
    Column("detector_version", Text),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("finished_at", DateTime(timezone=True)),
)

detection_run_channels = Table(
    "detection_run_channels",
    metadata,
    Column("run_id", Text, ForeignKey("detection_runs.id", ondelete="CASCADE"), primary_key=True),
    Column("channel_id", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("videos_total", Integer, nullable=False),
    Column("videos_done", Integer, nullable=False, server_default=_ZERO),
    Column("videos_incomparable", Integer, nullable=False, server_default=_ZERO),
    Column("after_video", Text, nullable=False, server_default=text("''")),
    Column("failure", Text),
)

detection_run_changes = Table(
    "detection_run_changes",
    metadata,
    Column("run_id", Text, ForeignKey("detection_runs.id", ondelete="CASCADE"), primary_key=True),
    Column("video_id", Text, primary_key=True),
    Column("slug", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("change", Text, nullable=False),
)

imported_channels = Table(
    "imported_channels",
    metadata,
    Column("channel_id", Text, primary_key=True),
    Column("reference", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("account_id", Text),
    Column("last_import_at", DateTime(timezone=True), nullable=False),
    Column("next_refresh_at", DateTime(timezone=True)),
    Column("next_check_at", DateTime(timezone=True)),
    Column("last_check_at", DateTime(timezone=True)),
    Column("check_problem", Text),
)

follows = Table(
    "follows",
    metadata,
    Column("account_id", Text, primary_key=True),
    Column(
        "channel_id",
        Text,
        ForeignKey("imported_channels.channel_id", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("paused", Boolean, nullable=False, server_default=false()),
)

reader_responses = Table(
    "reader_responses",
    metadata,
    Column("key", Text, primary_key=True),
    Column("model", Text, nullable=False),
    Column("mentions", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
)

reader_requests = Table(
    "reader_requests",
    metadata,
    Column("channel_id", Text, primary_key=True),
    Column("day", Date, primary_key=True),
    Column("requests", Integer, nullable=False),
)

bulk_imports = Table(
    "bulk_imports",
    metadata,
    Column("id", Text, primary_key=True),
    Column("account_id", Text, nullable=False),
    Column("idempotency_key", Text),
    Column("since", DateTime(timezone=True)),
    Column("max_videos", Integer),
    Column("max_concurrent", Integer, nullable=False),
    Column("max_followed", Integer, nullable=False, server_default=text("1000")),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("cancelled_at", DateTime(timezone=True)),
    Column("finished_at", DateTime(timezone=True)),
    Column("retry_at", DateTime(timezone=True)),
)

bulk_import_channels = Table(
    "bulk_import_channels",
    metadata,
    Column(
        "bulk_import_id", Text, ForeignKey("bulk_imports.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("position", Integer, primary_key=True),
    Column("reference", Text, nullable=False),
    Column("channel_id", Text),
    Column("title", Text),
    Column("import_id", Text, ForeignKey("imports.id", ondelete="SET NULL")),
    Column("attempts", Integer, nullable=False, server_default=_ZERO),
    Column("failure", Text),
)
