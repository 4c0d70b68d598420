"""Tables of the site."""

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    ForeignKey,
    Identity,
    Integer,
    LargeBinary,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from auth_service.storage.tables import metadata


def _account() -> Column[str]:
    return Column("account_id", Text, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False)


web_sessions = Table(
    "web_sessions",
    metadata,
    Column("session_sha256", LargeBinary, primary_key=True),
    Column("session_id", Text, nullable=False, unique=True),
    _account(),
    Column("user_agent", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("last_seen_at", DateTime(timezone=True), nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    Column("acting_for", Text, ForeignKey("organisations.account_id", ondelete="SET NULL")),
    Column("address", Text, nullable=False, server_default=""),
)

mail_tokens = Table(
    "mail_tokens",
    metadata,
    Column("token_sha256", LargeBinary, primary_key=True),
    _account(),
    Column("purpose", Text, nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False),
)

pending_consents = Table(
    "pending_consents",
    metadata,
    Column("nonce_sha256", LargeBinary, primary_key=True),
    Column(
        "session_id",
        Text,
        ForeignKey("web_sessions.session_id", ondelete="CASCADE"),
        nullable=False,
    ),
    _account(),
    Column("parameters", JSONB, nullable=False),
    Column("scopes", ARRAY(Text), nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False),
)

sign_ups = Table(
    "sign_ups",
    metadata,
    Column("sign_up_id", Text, primary_key=True),
    Column("email", Text, nullable=False, index=True),
    Column("password_hash", Text, nullable=False),
    Column("browser_sha256", LargeBinary, nullable=False),
    Column("token_sha256", LargeBinary, unique=True),
    Column("following", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False, index=True),
)

deferred_work = Table(
    "deferred_work",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("kind", Text, nullable=False),
    Column("payload", JSONB, nullable=False),
    Column("due_at", DateTime(timezone=True), nullable=False, index=True),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
)

mail_outbox = Table(
    "mail_outbox",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("content", LargeBinary, nullable=False),
    Column("due_at", DateTime(timezone=True), nullable=False, index=True),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
)

remembered_consents = Table(
    "remembered_consents",
    metadata,
    Column("account_id", Text, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("fingerprint", Text, primary_key=True),
    Column("given_at", DateTime(timezone=True), nullable=False),
)
