"""Name the tables of the counter state and of deleted accounts as the rest of the service does."""

from alembic import op

revision = "0009"
down_revision = "0008"

_NAMES = (("counting", "counter_state"), ("departures", "deleted_accounts"))


def upgrade() -> None:
    for before, after in _NAMES:
        _rename(before, after)
    op.execute(
        "ALTER TABLE counter_state RENAME CONSTRAINT counting_is_only TO counter_state_is_only"
    )


def downgrade() -> None:
    op.execute(
        "ALTER TABLE counter_state RENAME CONSTRAINT counter_state_is_only TO counting_is_only"
    )
    for before, after in _NAMES:
        _rename(after, before)


def _rename(before: str, after: str) -> None:
    op.execute(f"ALTER TABLE {before} RENAME TO {after}")
    op.execute(f"ALTER INDEX {before}_pkey RENAME TO {after}_pkey")
