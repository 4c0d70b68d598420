"""Tables of the site."""

from sqlalchemy import Column, DateTime, ForeignKey, LargeBinary, Table, Text
from sqlalchemy.dialects.postgresql import JSONB

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
    Column("expires_at", DateTime(timezone=True), nullable=False),
)

remembered_consents = Table(
    "remembered_consents",
    metadata,
    Column("account_id", Text, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("fingerprint", Text, primary_key=True),
    Column("given_at", DateTime(timezone=True), nullable=False),
)
