"""Tables of alerts."""

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from auth_service.storage.tables import metadata


def _reference(name: str, table: str, *, nullable: bool = False) -> Column[str]:
    target = ForeignKey(f"{table}.id", ondelete="CASCADE")
    return Column(name, Text, target, nullable=nullable)


alert_channels = Table(
    "alert_channels",
    metadata,
    Column("id", Text, primary_key=True),
    _reference("account_id", "accounts"),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("digest", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("confirmed_at", DateTime(timezone=True)),
    Column("failing_since", DateTime(timezone=True)),
    Column("disabled_at", DateTime(timezone=True)),
    Index("alert_channels_account", "account_id"),
)
"""`content` is the encrypted target and secrets: URLs of receivers are secrets, too."""

alert_watches = Table(
    "alert_watches",
    metadata,
    Column("id", Text, primary_key=True),
    _reference("account_id", "accounts"),
    Column("about", Text, nullable=False),
    Column("subject_id", Text, nullable=False),
    Column("subject_name", Text, nullable=False),
    Column("kinds", ARRAY(Text), nullable=False),
    _reference("channel_id", "alert_channels"),
    Column("created_at", DateTime(timezone=True), nullable=False),
    UniqueConstraint("account_id", "about", "subject_id", "channel_id", name="alert_watches_key"),
    Index("alert_watches_subject", "about", "subject_id"),
    Index("alert_watches_channel", "channel_id"),
)

alert_deliveries = Table(
    "alert_deliveries",
    metadata,
    Column("number", BigInteger, Identity(always=True), primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    _reference("channel_id", "alert_channels"),
    _reference("watch_id", "alert_watches", nullable=True),
    Column("event_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("event_at", DateTime(timezone=True), nullable=False),
    Column("data", JSONB, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("due_at", DateTime(timezone=True)),
    UniqueConstraint("watch_id", "event_id", name="alert_deliveries_key"),
    Index("alert_deliveries_due", "due_at", postgresql_where=text("state = 'pending'")),
    Index(
        "alert_deliveries_pending", "watch_id", "number", postgresql_where=text("state = 'pending'")
    ),
    Index("alert_deliveries_channel", "channel_id", "number"),
    Index("alert_deliveries_created", "created_at"),
)

"""`watch_id` is null for tests of a channel."""

alert_attempts = Table(
    "alert_attempts",
    metadata,
    Column("number", BigInteger, Identity(always=True), primary_key=True),
    Column(
        "delivery_number",
        BigInteger,
        ForeignKey("alert_deliveries.number", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("status", Integer),
    Column("response", Text, nullable=False),
    Column("error", Text, nullable=False),
    Column("milliseconds", Integer, nullable=False),
    Index("alert_attempts_delivery", "delivery_number", "number"),
)

alert_positions = Table(
    "alert_positions",
    metadata,
    Column("source", Text, primary_key=True),
    Column("position", BigInteger, nullable=False),
)
