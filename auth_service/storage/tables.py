"""Tables of accounts, keys, ledger and audit log."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    false,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY

metadata = MetaData()

accounts = Table(
    "accounts",
    metadata,
    Column("id", Text, primary_key=True),
    Column("email", Text, nullable=False, unique=True),
    Column("plan_id", Text, nullable=False),
    Column("plan_by_operator", Boolean, nullable=False, server_default=false()),
    Column("password_hash", Text),
    Column("is_operator", Boolean, nullable=False, server_default=false()),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("email_confirmed_at", DateTime(timezone=True)),
    Column("disabled_at", DateTime(timezone=True)),
)

account_limits = Table(
    "account_limits",
    metadata,
    Column("account_id", Text, ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("monthly_requests", BigInteger),
    Column("burst_requests", Integer),
    Column("burst_refill_per_second", Double),
    Column("concurrent_streams", Integer),
    Column("expires_at", DateTime(timezone=True)),
    Column("reason", Text, nullable=False),
)

deleted_accounts = Table(
    "deleted_accounts",
    metadata,
    Column("address_hmac", LargeBinary, primary_key=True),
    Column("account_id", Text, nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column(
        "account_id",
        Text,
        ForeignKey("accounts.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("sha256", LargeBinary, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("masked", Text, nullable=False),
    Column("scopes", ARRAY(Text), nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("expires_at", DateTime(timezone=True)),
    Column("last_used_at", DateTime(timezone=True)),
    Column("revoked_at", DateTime(timezone=True)),
    Column("created_by", Text, ForeignKey("accounts.id", ondelete="SET NULL")),
)

usage_entries = Table(
    "usage_entries",
    metadata,
    Column("entry_id", Text, primary_key=True),
    Column("account_id", Text, nullable=False),
    Column("credential_id", Text, nullable=False),
    Column("tool", Text, nullable=False),
    Column("admitted_at", DateTime(timezone=True), nullable=False, index=True),
    Column("cost", Integer, nullable=False),
    CheckConstraint(
        r"CASE WHEN right(entry_id, 7) = '\:refund' THEN -cost ELSE cost END BETWEEN 1 AND 100",
        name="usage_entries_cost",
    ),
)

usage_daily = Table(
    "usage_daily",
    metadata,
    Column("account_id", Text, primary_key=True),
    Column("day", Date, primary_key=True),
    Column("tool", Text, primary_key=True),
    Column("credential_id", Text, primary_key=True),
    Column("requests", BigInteger, nullable=False),
)

calls_daily = Table(
    "calls_daily",
    metadata,
    Column("account_id", Text, primary_key=True),
    Column("day", Date, primary_key=True),
    Column("tool", Text, primary_key=True),
    Column("credential_id", Text, primary_key=True),
    Column("calls", BigInteger, nullable=False),
    Column("errors", BigInteger, nullable=False),
    Column("latencies", ARRAY(BigInteger), nullable=False),
)

call_batches = Table(
    "call_batches",
    metadata,
    Column("batch_id", Text, primary_key=True),
    Column("expires_at", DateTime(timezone=True), nullable=False),
)

counter_state = Table(
    "counter_state",
    metadata,
    Column("is_only", Boolean, primary_key=True, server_default=true()),
    Column("epoch", Text, nullable=False),
    Column("bypassed", Boolean, nullable=False, server_default=false()),
    Column("counted_by", Text, nullable=False, server_default=""),
    Column("is_open", Boolean, nullable=False, server_default=false()),
    Column("timeline", Text, nullable=False, server_default=""),
    CheckConstraint("is_only", name="counter_state_is_only"),
)

gateway_leases = Table(
    "gateway_leases",
    metadata,
    Column("gateway_id", Text, primary_key=True),
    Column("renewed_at", DateTime(timezone=True), nullable=False),
    Column("epoch", Text, nullable=False),
    Column("valkey", Text, nullable=False),
)

audit_log = Table(
    "audit_log",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("event", Text, nullable=False),
    Column("account_id", Text),
    Column("actor", Text, nullable=False),
    Column("detail", Text, nullable=False, server_default=text("''")),
    Column("reason", Text, nullable=False, server_default=text("''")),
    Index("audit_log_account", "account_id", "id"),
    Index("audit_log_at", "at"),
)
