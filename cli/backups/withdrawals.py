"""Deletions and revocations that a database knows and an older backup does not.

They are repeated by SQL in the transaction that restores the database, so that there is no moment at which what was
deleted or revoked is back. The person was told, and a subscription was ended, the first time.
"""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, LiteralString

import msgspec
import psycopg
from psycopg import sql

from cli.backups.errors import BackupError
from cli.backups.programs import connection_arguments, postgres_program

_KNOWN: Final = {
    "deleted": """
        SELECT DISTINCT account_id FROM audit_log AS logged
        WHERE event IN ('account_deleted', 'organisation_deleted') AND account_id IS NOT NULL
          AND NOT EXISTS (SELECT FROM accounts WHERE id = logged.account_id)
    """,
    "disabled": """
        SELECT id FROM accounts WHERE disabled_at IS NOT NULL
        UNION SELECT account_id FROM (
            SELECT DISTINCT ON (account_id) account_id, event FROM audit_log
            WHERE event IN ('account_disabled', 'account_enabled') ORDER BY account_id, id DESC
        ) AS logged
        WHERE event = 'account_disabled' AND NOT EXISTS (SELECT FROM accounts WHERE id = logged.account_id)
    """,
    "keys": """
        SELECT id FROM api_keys WHERE revoked_at IS NOT NULL
        UNION SELECT detail FROM audit_log AS logged
        WHERE event = 'key_revoked' AND NOT EXISTS (SELECT FROM api_keys WHERE id = logged.detail)
    """,
    "connections": """
        SELECT grant_id FROM oauth_grants WHERE revoked_at IS NOT NULL
        UNION SELECT split_part(detail, ':', 1) FROM audit_log AS logged
        WHERE event = 'grant_revoked'
          AND NOT EXISTS (SELECT FROM oauth_grants WHERE grant_id = split_part(logged.detail, ':', 1))
    """,
}
"""The log knows of rows that an earlier restore replaced by a state in which they were not yet made."""

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
_REMEMBER: Final[Mapping[str, LiteralString]] = {
    "deleted": """
        SELECT 'account_deleted', id, '' FROM withdrawn
        WHERE NOT EXISTS (SELECT FROM accounts WHERE accounts.id = withdrawn.id) AND NOT EXISTS (
            SELECT FROM audit_log WHERE event IN ('account_deleted', 'organisation_deleted') AND account_id = withdrawn.id
        )
    """,
    "disabled": """
        SELECT 'account_disabled', id, '' FROM withdrawn
        WHERE NOT EXISTS (SELECT FROM accounts WHERE accounts.id = withdrawn.id) AND coalesce((
            SELECT event FROM audit_log WHERE event IN ('account_disabled', 'account_enabled') AND account_id = withdrawn.id
            ORDER BY audit_log.id DESC LIMIT 1
        ), '') <> 'account_disabled'
    """,
    "keys": """
        SELECT 'key_revoked', NULL, id FROM withdrawn
        WHERE NOT EXISTS (SELECT FROM api_keys WHERE api_keys.id = withdrawn.id)
          AND NOT EXISTS (SELECT FROM audit_log WHERE event = 'key_revoked' AND detail = withdrawn.id)
    """,
    "connections": """
        SELECT 'grant_revoked', NULL, id FROM withdrawn
        WHERE NOT EXISTS (SELECT FROM oauth_grants WHERE grant_id = withdrawn.id) AND NOT EXISTS (
            SELECT FROM audit_log WHERE event = 'grant_revoked' AND split_part(detail, ':', 1) = withdrawn.id
        )
    """,
}
"""Those without a row in the restored database are logged all the same: the next restore may be of a newer backup that
has the row, and the log that knew of them is replaced by this one."""

_STATEMENT: Final = """
WITH withdrawn AS (SELECT unnest({ids}::text[]) AS id),
repeated AS ({change}),
logged AS (
    INSERT INTO audit_log (at, event, account_id, actor, detail)
    SELECT now(), event, account_id, 'operator restore', detail
    FROM (SELECT event, account_id, detail FROM repeated UNION ALL {remember}) AS events
)
SELECT 'repeated ' || {kind} || ' ' || count(*) FROM repeated;
"""
_HAS_ADDRESSES: Final = "SELECT to_regclass('deleted_accounts') IS NOT NULL"
_KNOWN_ADDRESSES: Final = """
    SELECT encode(address_hmac, 'hex'), account_id, expires_at::text FROM deleted_accounts WHERE expires_at > now()
"""
_REMEMBER_ADDRESSES: Final = """
SELECT to_regclass('deleted_accounts') IS NOT NULL AS has_addresses \\gset
\\if :has_addresses
INSERT INTO deleted_accounts (address_hmac, account_id, expires_at)
SELECT decode(digest, 'hex'), account_id, until::timestamptz
FROM unnest({digests}::text[], {account_ids}::text[], {until}::text[]) AS known (digest, account_id, until)
ON CONFLICT DO NOTHING;
\\endif
"""
"""Without them, a person who deleted an account would begin the month anew by another. Backups of old versions lack the table."""

_COUNT: Final = re.compile(r"repeated (\w{1,20}) (\d{1,20})")


@dataclass(frozen=True, slots=True)
class Withdrawals:
    """What was withdrawn.

    Attributes:
        ids: By kind: accounts `deleted` or `disabled`, `keys`, `connections`.
        addresses: Of deleted accounts: keyed hash of the address in hexadecimal, id, and until when it counts.
    """

    ids: Mapping[str, Sequence[str]]
    addresses: Sequence[tuple[str, str, str]] = ()

    def script(self) -> str:
        """Return the SQL that repeats them in a restored database and prints how many there were to repeat."""
        parts = [
            sql.SQL(_STATEMENT).format(
                change=sql.SQL(_REPEAT[kind]).format(ids=list(ids)),
                remember=sql.SQL(_REMEMBER[kind]),
                ids=list(ids),
                kind=kind,
            )
            for kind, ids in self.ids.items()
            if ids
        ]
        if self.addresses:
            digests, account_ids, until = map(list, zip(*self.addresses, strict=True))
            parts.append(
                sql.SQL(_REMEMBER_ADDRESSES).format(
                    digests=digests, account_ids=account_ids, until=until
                )
            )
        return "\n".join(["SET search_path = public;", *(part.as_string(None) for part in parts)])


def read_withdrawals(url: str) -> Withdrawals | None:
    """Return what the auth service's database knows, before it is replaced; None if it has no tables of it.

    Raises:
        BackupError: It cannot be read.
    """
    try:
        with psycopg.connect(url, connect_timeout=5) as connection:
            ids = {
                kind: [row[0] for row in connection.execute(query.encode())]
                for kind, query in _KNOWN.items()
            }
            has_addresses = connection.execute(_HAS_ADDRESSES).fetchone() == (True,)
            addresses = connection.execute(_KNOWN_ADDRESSES).fetchall() if has_addresses else []
            return Withdrawals(ids, addresses)
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


def repeat_withdrawals(url: str, known: Withdrawals) -> Mapping[str, int]:
    """Repeat them in a database that was restored by other means, in one transaction; return how many, by kind.

    Raises:
        BackupError: They were not repeated, none of them.
    """
    arguments, environment = connection_arguments(url)
    done = subprocess.run(
        [
            postgres_program("psql"), "--no-psqlrc", "--quiet", "--single-transaction",
            "--set=ON_ERROR_STOP=1", "--file=-", *arguments,
        ],
        env=environment,
        input=known.script(),
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        raise BackupError(
            f"Deletions and revocations were not repeated: {done.stderr.strip() or 'no reason was told'}"
        )
    return repeated_in(done.stdout)


def save_withdrawals(known: Withdrawals | None, file: Path) -> None:
    """Write what is known to a new file, which its owner alone can read.

    Raises:
        BackupError: The file is there already: it may be all that knows of them.
    """
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise BackupError(f"{file} is there already and is left as it is.") from error
    with os.fdopen(descriptor, "wb") as content:
        content.write(msgspec.json.encode(known))
        content.flush()
        os.fsync(content.fileno())


def load_withdrawals(file: Path) -> Withdrawals | None:
    """Return what `save_withdrawals` wrote.

    Raises:
        BackupError: The file is none of its.
    """
    try:
        known = msgspec.json.decode(file.read_bytes(), type=Withdrawals | None)
    except msgspec.DecodeError as error:
        raise BackupError(f"{file} is no file of `backup read-withdrawals`: {error}") from error
    if known is not None and not known.ids.keys() <= _KNOWN.keys():
        raise BackupError(f"{file} is of a newer version: repeat what is in it by that one.")
    return known
