"""Tables of the authorization server."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from auth_service.storage.tables import metadata


def membership(table: str) -> ForeignKeyConstraint:
    """Return the constraint by which what a member approved for an organisation ends with the membership."""
    return ForeignKeyConstraint(
        ["account_id", "member_id"],
        ["memberships.organisation_id", "memberships.account_id"],
        name=f"{table}_membership",
        ondelete="CASCADE",
    )


clients = Table(
    "oauth_clients",
    metadata,
    Column("client_id", Text, primary_key=True),
    Column("source", Text, nullable=False),
    Column("metadata", JSONB, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("secret_sha256", LargeBinary),
    Column("jwks", Text),
    Column("account_id", Text, ForeignKey("accounts.id", ondelete="CASCADE")),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("last_used_at", DateTime(timezone=True)),
    Index(
        "oauth_clients_public_fingerprint",
        "fingerprint",
        unique=True,
        postgresql_where=text("source = 'registration' AND secret_sha256 IS NULL"),
    ),
)

codes = Table(
    "oauth_codes",
    metadata,
    Column("code_sha256", LargeBinary, primary_key=True),
    Column("client_id", Text, nullable=False),
    Column("account_id", Text, ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("scopes", ARRAY(Text), nullable=False),
    Column("resource", Text, nullable=False),
    Column("redirect_uri", Text, nullable=False),
    Column("challenge", Text, nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False, index=True),
    Column("thumbprint", Text),
    Column("used_at", DateTime(timezone=True)),
    Column("grant_id", Text),
    Column("member_id", Text),
    membership("oauth_codes"),
)

pushed_requests = Table(
    "oauth_pushed_requests",
    metadata,
    Column("uri_sha256", LargeBinary, primary_key=True),
    Column("client_id", Text, nullable=False),
    Column("parameters", JSONB, nullable=False),
    Column("is_opened", Boolean, nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False, index=True),
)

grants = Table(
    "oauth_grants",
    metadata,
    Column("grant_id", Text, primary_key=True),
    Column("client_id", Text, nullable=False, index=True),
    Column(
        "account_id",
        Text,
        ForeignKey("accounts.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("scopes", ARRAY(Text), nullable=False),
    Column("resource", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    Column("generation", Integer, nullable=False),
    Column("last_used_at", DateTime(timezone=True)),
    Column("revoked_at", DateTime(timezone=True)),
    Column("revoked_because", Text),
    Column("consent_required_at", DateTime(timezone=True)),
    Column("member_id", Text),
    membership("oauth_grants"),
)

refresh_tokens = Table(
    "oauth_refresh_tokens",
    metadata,
    Column("token_sha256", LargeBinary, primary_key=True),
    Column(
        "grant_id",
        Text,
        ForeignKey("oauth_grants.grant_id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("generation", Integer, nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False, index=True),
    Column("used_at", DateTime(timezone=True)),
    Column("thumbprint", Text),
)

devices = Table(
    "oauth_devices",
    metadata,
    Column("device_sha256", LargeBinary, primary_key=True),
    Column("user_code", Text, nullable=False, unique=True),
    Column("client_id", Text, nullable=False),
    Column("scopes", ARRAY(Text), nullable=False),
    Column("resource", Text, nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False, index=True),
    Column("last_polled_at", DateTime(timezone=True)),
    Column("account_id", Text, ForeignKey("accounts.id", ondelete="CASCADE")),
    Column("approved", Boolean),
    Column("finished_at", DateTime(timezone=True)),
    Column("member_id", Text),
    membership("oauth_devices"),
)

assertions = Table(
    "oauth_assertions",
    metadata,
    Column("client_id", Text, primary_key=True),
    Column("jti_sha256", LargeBinary, primary_key=True),
    Column("expires_at", DateTime(timezone=True), nullable=False, index=True),
)

signing_keys = Table(
    "oauth_signing_keys",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=True),
    Column("kid", Text, nullable=False, unique=True),
    Column("sealed_jwk", LargeBinary, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("active_from", DateTime(timezone=True)),
    Column("retired_at", DateTime(timezone=True)),
)
