"""Tables of second factors, passkeys and changes of address."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    ForeignKey,
    LargeBinary,
    Table,
    Text,
)

from auth_service.storage.tables import metadata


def _account(*, primary_key: bool = False) -> Column[str]:
    key = ForeignKey("accounts.id", ondelete="CASCADE")
    return Column("account_id", Text, key, primary_key=primary_key, nullable=False)


totp_secrets = Table(
    "totp_secrets",
    metadata,
    _account(primary_key=True),
    Column("encrypted_secret", LargeBinary, nullable=False),
    Column("enabled_at", DateTime(timezone=True), nullable=False),
    Column("last_step", BigInteger, nullable=False),
)

recovery_codes = Table(
    "recovery_codes",
    metadata,
    _account(primary_key=True),
    Column("code_sha256", LargeBinary, primary_key=True),
)

pending_logins = Table(
    "pending_logins",
    metadata,
    Column("secret_sha256", LargeBinary, primary_key=True),
    _account(),
    Column("browser_sha256", LargeBinary, nullable=False),
    Column("by", Text, nullable=False),
    Column("following", Text, nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False, index=True),
)

passkeys = Table(
    "passkeys",
    metadata,
    Column("passkey_id", Text, primary_key=True),
    _account(),
    Column("credential_id", LargeBinary, nullable=False, unique=True),
    Column("public_key", LargeBinary, nullable=False),
    Column("sign_count", BigInteger, nullable=False),
    Column("name", Text, nullable=False),
    Column("is_synced", Boolean, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("last_used_at", DateTime(timezone=True)),
)

used_challenges = Table(
    "used_challenges",
    metadata,
    Column("challenge_sha256", LargeBinary, primary_key=True),
    Column("expires_at", DateTime(timezone=True), nullable=False, index=True),
)

email_changes = Table(
    "email_changes",
    metadata,
    _account(primary_key=True),
    Column("new_email", Text, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("new_token_sha256", LargeBinary, nullable=False, unique=True),
    Column("old_token_sha256", LargeBinary, nullable=False, unique=True),
    Column("new_confirmed_at", DateTime(timezone=True)),
    Column("old_confirmed_at", DateTime(timezone=True)),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False, index=True),
)
