"""One function may discard old events of the audit log; it stays closed to everybody else.

The trigger lets a DELETE pass only inside `discard_audit_before`, and then only what is older than
90 days, so that not even who imitates the function can take away what has just happened. What is
discarded is itself an event. A role that serves without owning the tables needs nothing more than
INSERT and SELECT on the log and EXECUTE on the function. The setting is made inside the function's
body: a function's own SET clause of such a name is a superuser's to write.
"""

from alembic import op

revision = "0003"
down_revision = "0002"

_UP = (
    """
    CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' AND current_setting('sponsorgraph.discarding', true) = 'on' THEN
            RETURN NULL;
        END IF;
        RAISE EXCEPTION 'the audit log is only added to';
    END
    $$
    """,
    """
    CREATE FUNCTION refuse_young() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF OLD.at > now() - interval '90 days' THEN
            RAISE EXCEPTION 'the audit log is only added to: this event is younger than 90 days';
        END IF;
        RETURN OLD;
    END
    $$
    """,
    """
    CREATE TRIGGER audit_log_keeps_young BEFORE DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION refuse_young()
    """,
    "CREATE INDEX audit_log_at ON audit_log (at)",
    """
    CREATE FUNCTION discard_audit_before(moment timestamptz) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER AS $$
    DECLARE discarded bigint;
    BEGIN
        PERFORM set_config('sponsorgraph.discarding', 'on', true);
        DELETE FROM audit_log WHERE at < moment;
        GET DIAGNOSTICS discarded = ROW_COUNT;
        PERFORM set_config('sponsorgraph.discarding', 'off', true);
        IF discarded > 0 THEN
            INSERT INTO audit_log (at, event, actor, detail)
            VALUES (now(), 'audit_discarded', 'retention',
                discarded || ' events before ' || to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD'));
        END IF;
        RETURN discarded;
    END
    $$
    """,
    # A definer's function must not look its tables up where its caller says.
    """
    DO $$
    BEGIN
        EXECUTE format(
            'ALTER FUNCTION discard_audit_before(timestamptz) SET search_path = %I, pg_temp',
            current_schema());
    END
    $$
    """,
    "REVOKE ALL ON FUNCTION discard_audit_before(timestamptz) FROM PUBLIC",
)
_DOWN = (
    "DROP FUNCTION discard_audit_before(timestamptz)",
    "DROP INDEX audit_log_at",
    "DROP TRIGGER audit_log_keeps_young ON audit_log",
    "DROP FUNCTION refuse_young",
    """
    CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'the audit log is only added to';
    END
    $$
    """,
)


def upgrade() -> None:
    for statement in _UP:
        op.execute(statement)


def downgrade() -> None:
    for statement in _DOWN:
        op.execute(statement)
