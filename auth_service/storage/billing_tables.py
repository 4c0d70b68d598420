"""Tables of billing."""

from sqlalchemy import BigInteger, Boolean, Column, DateTime, ForeignKey, Table, Text, false, text

from auth_service.storage.tables import metadata

billing_customers = Table(
    "billing_customers",
    metadata,
    Column("customer_id", Text, primary_key=True),
    # It outlives its account until its subscriptions are ended, however the account was deleted.
    Column("account_id", Text, ForeignKey("accounts.id", ondelete="SET NULL"), unique=True),
    Column("status", Text, nullable=False, server_default=text("''")),
    Column("subscribed_plan_id", Text),
    Column("plan_id", Text),
    Column("next_plan_id", Text),
    Column("period_end", DateTime(timezone=True)),
    Column("grace_until", DateTime(timezone=True)),
    Column("price_id", Text),
    Column("ticket", BigInteger, nullable=False, server_default=text("0")),
    Column("applied_ticket", BigInteger, nullable=False, server_default=text("0")),
    Column("check_at", DateTime(timezone=True), nullable=False, index=True),
    Column("is_ending", Boolean, nullable=False, server_default=false()),
)

billing_events = Table(
    "billing_events",
    metadata,
    Column("event_id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False, index=True),
)
