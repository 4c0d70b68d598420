"""Deletions and revocations that a database knows and an older backup does not.

They are repeated by SQL in the transaction that restores the database, so that there is no moment at which what was
deleted or revoked is back. The person was told, and a subscription was ended, the first time.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString

import psycopg
from psycopg import sql

from cli.backups.errors import BackupError

_KNOWN: Final = {
    "deleted": "SELECT DISTINCT account_id FROM audit_log WHERE event IN ('account_deleted', 'organisation_deleted')",
    "disabled": "SELECT id FROM accounts WHERE disabled_at IS NOT NULL",
    "keys": "SELECT id FROM api_keys WHERE revoked_at IS NOT NULL",
    "connections": "SELECT grant_id FROM oauth_grants WHERE revoked_at IS NOT NULL",
}
KINDS: Final = tuple(_KNOWN)
_REPEAT: Final[Mapping[str, LiteralString]] = {
    "deleted": (
        "DELETE FROM accounts WHERE id = ANY ({ids}) RETURNING 'account_deleted' AS event, id AS account_id, '' AS detail"
    ),
    "disabled": (
        "UPDATE accounts SET disabled_at = now() WHERE id = ANY ({ids}) AND disabled_at IS NULL "
        "RETURNING 'account_disabled' AS event, id AS account_id, '' AS detail"
    ),
    "keys": (
        "UPDATE api_keys SET revoked_at = now() WHERE id = ANY ({ids}) AND revoked_at IS NULL "
        "RETURNING 'key_revoked' AS event, account_id, id AS detail"
    ),
    "connections": (
        "UPDATE oauth_grants SET revoked_at = now(), revoked_because = 'restore' "
        "WHERE grant_id = ANY ({ids}) AND revoked_at IS NULL "
        "RETURNING 'grant_revoked' AS event, account_id, grant_id AS detail"
    ),
}
_STATEMENT: Final = """
WITH repeated AS ({change}),
logged AS (
    INSERT INTO audit_log (at, event, account_id, actor, detail)
    SELECT now(), event, account_id, 'operator restore', detail FROM repeated
)
SELECT 'repeated ' || {kind} || ' ' || count(*) FROM repeated;
"""
_COUNT: Final = re.compile(r"repeated (\w{1,20}) (\d{1,20})")


@dataclass(frozen=True, slots=True)
class Withdrawals:
    """Ids by what was withdrawn: accounts `deleted` or `disabled`, `keys`, `connections`."""

    ids: Mapping[str, Sequence[str]]

    def script(self) -> str:
        """Return the SQL that repeats them in a restored database and prints how many there were to repeat."""
        statements = [
            sql.SQL(_STATEMENT)
            .format(change=sql.SQL(_REPEAT[kind]).format(ids=list(ids)), kind=kind)
            .as_string(None)
            for kind, ids in self.ids.items()
            if ids
        ]
        return "\n".join(["SET search_path = public;", *statements])


def read_withdrawals(url: str) -> Withdrawals | None:
    """Return what the auth service's database knows, before it is replaced; None if it has no tables of it.

    Raises:
        BackupError: It cannot be read.
    """
    try:
        with psycopg.connect(url, connect_timeout=5) as connection:
            return Withdrawals(
                {
                    kind: [row[0] for row in connection.execute(query.encode())]
                    for kind, query in _KNOWN.items()
                }
            )
    except (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn):
        return None
    except psycopg.Error as error:
        reason = str(error).partition("\n")[0]
        raise BackupError(
            f"The deletions and revocations of the database that is replaced cannot be read: {reason}. "
            "--no-repeat-deletions restores without them."
        ) from error


def repeated_in(output: str) -> Mapping[str, int]:
    """Return how many were repeated, by kind, from what the script printed."""
    return {kind: int(number) for kind, number in _COUNT.findall(output)}
