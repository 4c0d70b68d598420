"""Customers of the payment provider, processed events, and plans that operators gave.

Whoever has a plan other than Free had it from an operator: there was no other way.
"""

from alembic import op

revision = "0011"
down_revision = "0010"

_UP = (
    "ALTER TABLE accounts ADD COLUMN plan_by_operator boolean NOT NULL DEFAULT false",
    "UPDATE accounts SET plan_by_operator = true WHERE plan_id <> 'free'",
    """
    CREATE TABLE billing_customers (
        customer_id text PRIMARY KEY,
        account_id text UNIQUE REFERENCES accounts (id) ON DELETE SET NULL,
        status text NOT NULL DEFAULT '',
        subscribed_plan_id text,
        plan_id text,
        next_plan_id text,
        period_end timestamptz,
        grace_until timestamptz,
        ticket bigint NOT NULL DEFAULT 0,
        applied_ticket bigint NOT NULL DEFAULT 0,
        check_at timestamptz NOT NULL,
        is_ending boolean NOT NULL DEFAULT false
    )
    """,
    "CREATE INDEX ix_billing_customers_check_at ON billing_customers (check_at)",
    """
    CREATE TABLE billing_events (
        event_id text PRIMARY KEY,
        kind text NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX ix_billing_events_expires_at ON billing_events (expires_at)",
)


def upgrade() -> None:
    for statement in _UP:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP TABLE billing_events")
    op.execute("DROP TABLE billing_customers")
    op.execute("ALTER TABLE accounts DROP COLUMN plan_by_operator")
