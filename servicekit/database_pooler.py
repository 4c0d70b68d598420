"""Whether a pooler stands before the database, and does all that the services need of it.

PgBouncer tells nobody but its administrators what it is. But it shows: the process that a connection was told of at its start is
not the one that runs its statements, and in transaction mode that process changes while others keep theirs busy. A statement
that was prepared in one transaction must then be there in the next one, which PgBouncer does since 1.21.
"""

import secrets
import threading
from collections.abc import Callable
from contextlib import ExitStack
from enum import Enum
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from servicekit import database_parameters
from servicekit.process.start import StartError
from servicekit.settings import DatabaseSettings

_CONNECT_SECONDS: Final = 3
_WAIT_SECONDS: Final = 3.0
_MAX_HOLDERS: Final = 4
_NO_STATEMENTS: Final = (
    "The pooler that {variable} leads to loses prepared statements between transactions: the services need PgBouncer 1.21 or newer, "
    "with max_prepared_statements above 0 (deploy/engines/pgbouncer.ini)."
)
_NO_DIRECT_URL: Final = (
    "{variable} leads to a pooler in transaction mode. "
    "Name Postgres itself in {direct}, for what needs a session, and migrate."
)
_DIRECT_IS_POOLED: Final = "{direct} leads to a pooler in transaction mode: it has to name Postgres itself, for what needs a session."
_LOSES_OPTIONS: Final = (
    "The pooler that {variable} leads to does not pass on the parameters that a connection starts with ({names}). "
    "Name Postgres itself in {direct}, and migrate: then the service's role has them."
)
_ROLE_LACKS: Final = "the role {role} lacks parameters in its database ({names}): migrations have not run with these settings"
_OLD_CONNECTIONS: Final = (
    "the pooler has connections that are older than the role's parameters ({names}): "
    "RECONNECT on PgBouncer's console closes them"
)
_TOO_FEW: Final = "the pooler gives out fewer than two connections to the database at once"


class PoolerError(StartError):
    """What stands before the database does not do what the service needs."""


class Pooling(Enum):
    """What a connection is."""

    DIRECT = "a process of Postgres"
    SESSION = "a process of Postgres that a pooler keeps for it"
    TRANSACTION = "another process for each transaction"


class StatementsLostError(Exception):
    """A prepared statement was not there in the next transaction."""


class TooFewConnectionsError(Exception):
    """A second transaction waits for the end of the first one."""


def pooling_of(url: str, check: Callable[[psycopg.Connection[Any]], None]) -> Pooling:
    """Return what connections to a URL are; `check` is called with some of them.

    Raises:
        StatementsLostError: Its transactions have other processes, which lack what was prepared.
        TooFewConnectionsError: There are no two at once, so that it cannot be known.
        psycopg.OperationalError: It does not respond.
    """
    token = secrets.token_hex(8)  # others prepare statements of the same name
    query = f"SELECT pg_backend_pid(), '{token}'".encode()
    with _connect(url, autocommit=True) as first, ExitStack() as stack:
        check(first)
        process = _process(first, query, token)
        if process == first.info.backend_pid:
            return Pooling.DIRECT
        # The process that is free is given to whoever comes next.
        for _ in range(_MAX_HOLDERS):
            holder = stack.enter_context(_connect(url))
            check(holder)
            holder.execute("SELECT", prepare=False)
            if _process_beside(first, holder, query, token) != process:
                return Pooling.TRANSACTION
    return Pooling.SESSION


def problem(settings: DatabaseSettings) -> str | None:
    """Return why the service cannot use its database's URL yet, None if it can.

    Raises:
        PoolerError: It never will by waiting.
    """
    variables = {
        "variable": settings.variable("database_url"),
        "direct": settings.variable("database_direct_url"),
    }
    try:
        return _pooled(settings, variables) if settings.is_pooled else _direct(settings, variables)
    except StatementsLostError:
        raise PoolerError(_NO_STATEMENTS.format(**variables)) from None
    except TooFewConnectionsError:
        return _TOO_FEW


def _direct(settings: DatabaseSettings, variables: dict[str, str]) -> None:
    """Check that no pooler in transaction mode stands before it, and that parameters arrive through another one."""
    wanted = database_parameters.role_parameters(settings)
    options = database_parameters.startup_options(settings, wanted)["options"]
    try:
        pooling = pooling_of(settings.database_url, _ignore)
        if pooling is Pooling.DIRECT:
            return
        if pooling is Pooling.TRANSACTION:
            raise PoolerError(_NO_DIRECT_URL.format(**variables))
        with _connect(settings.database_url, options=options) as connection:
            names = ", ".join(database_parameters.differing(connection, wanted))
        if names:
            raise PoolerError(_LOSES_OPTIONS.format(names=names, **variables))
    except psycopg.OperationalError as error:
        if "startup parameter" not in str(error):
            raise
        names = ", ".join(wanted)
        raise PoolerError(_LOSES_OPTIONS.format(names=names, **variables)) from None


def _pooled(settings: DatabaseSettings, variables: dict[str, str]) -> str | None:
    """Check the pooler, Postgres behind it, and the parameters of the role."""
    wanted = database_parameters.role_parameters(settings)
    role = str(conninfo_to_dict(settings.database_url).get("user") or "")
    with _connect(settings.session_url) as connection:
        if names := database_parameters.missing_from_role(connection, role, wanted):
            return _ROLE_LACKS.format(role=role, names=", ".join(names))
    try:
        if pooling_of(settings.session_url, _ignore) is Pooling.TRANSACTION:
            raise PoolerError(_DIRECT_IS_POOLED.format(**variables))
    except StatementsLostError:
        raise PoolerError(_DIRECT_IS_POOLED.format(**variables)) from None
    old: set[str] = set()

    def check(connection: psycopg.Connection[Any]) -> None:
        old.update(database_parameters.differing(connection, wanted))

    pooling_of(settings.database_url, check)
    return _OLD_CONNECTIONS.format(names=", ".join(sorted(old))) if old else None


def _connect(url: str, **options: Any) -> psycopg.Connection[Any]:
    return psycopg.connect(url, connect_timeout=_CONNECT_SECONDS, **options)


def _process_beside(
    first: psycopg.Connection[Any], holder: psycopg.Connection[Any], query: bytes, token: str
) -> int:
    """Return the process that runs a statement while the holder's transaction keeps another one."""
    is_freed = threading.Event()

    def free() -> None:
        is_freed.set()
        holder.close()

    timer = threading.Timer(_WAIT_SECONDS, free)
    timer.start()
    try:
        process = _process(first, query, token)
    finally:
        timer.cancel()
    if is_freed.is_set():
        raise TooFewConnectionsError
    return process


def _process(connection: psycopg.Connection[Any], query: bytes, token: str) -> int:
    """Return the process of Postgres that runs a prepared statement."""
    try:
        row = connection.execute(query, prepare=True).fetchone()
    except psycopg.Error as error:
        if connection.closed or error.sqlstate is None:
            raise
        raise StatementsLostError from error
    if row is None or len(row) != 2 or row[1] != token:
        raise StatementsLostError
    return int(row[0])


def _ignore(_connection: psycopg.Connection[Any]) -> None:
    """Check nothing."""
