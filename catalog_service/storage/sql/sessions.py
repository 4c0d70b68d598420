"""Connections of callers' SQL: one for each statement, with the limits that hold it, and certainty about its end."""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, Final

import psycopg

from catalog_service.domain.sql import dataset
from catalog_service.storage.sql import results
from catalog_service.storage.sql.slots import RETRY_SECONDS
from servicekit.errors import Unavailable
from servicekit.observability import logs

log = logs.get(__name__)

_OPTIONS: Final = {
    "default_transaction_read_only": "on",
    "search_path": dataset.SCHEMA,
    "work_mem": "2MB",
    "hash_mem_multiplier": "1",
    # Sorts go to disk beyond work_mem; hash tables do not where most rows are of one value, or the estimate is wrong.
    "enable_hashagg": "off",
    "enable_hashjoin": "off",
    "max_parallel_workers_per_gather": "0",
    "cursor_tuple_fraction": "1",
    "jit": "off",
    # The grammar that checks statements reads them so.
    "standard_conforming_strings": "on",
    "client_encoding": "UTF8",
    # The planner tries all orders of as many tables, and is not cancelled meanwhile.
    "geqo": "on",
    "geqo_threshold": "8",
    "join_collapse_limit": "6",
    "from_collapse_limit": "6",
    "random_page_cost": "1.1",
    "lock_timeout": "500ms",
    "timezone": "UTC",
    "datestyle": "ISO",
    "intervalstyle": "postgres",
    "plan_cache_mode": "force_custom_plan",
    "client_connection_check_interval": "1s",
    "idle_in_transaction_session_timeout": "10s",
}
_REPORTED: Final = "default_transaction_read_only"
"""The option whose value the server tells by itself."""

_CONNECT_SECONDS: Final = 3
_CANCEL_SECONDS: Final = 2.0
_RUNNING: Final = (psycopg.pq.TransactionStatus.ACTIVE, psycopg.pq.TransactionStatus.UNKNOWN)
_FIRST_POLL: Final = 0.05
_LONGEST_POLL: Final = 1.0
_IS_THERE: Final = "SELECT FROM pg_stat_activity WHERE pid = %s AND usename = current_user"


async def connect(url: str, seconds: float) -> psycopg.AsyncConnection[Any]:
    """Return a new connection whose statements are limited.

    Raises:
        Unavailable: The server does not respond, or does not take the limits.
    """
    options = {**_OPTIONS, "statement_timeout": f"{round(seconds * 1000)}ms"}
    try:
        connection = await psycopg.AsyncConnection.connect(
            url,
            options=" ".join(f"-c {name}={value}" for name, value in options.items()),
            application_name="catalog sql",
            connect_timeout=_CONNECT_SECONDS,
            prepare_threshold=None,
        )
    except psycopg.Error as error:
        log.warning("sql_connection_failed", error=str(error).strip())
        raise Unavailable(
            "The catalogue's database does not answer SQL now. Try again in a few seconds.",
            retry_after=RETRY_SECONDS,
        ) from error
    if connection.info.parameter_status(_REPORTED) != _OPTIONS[_REPORTED]:
        # A pooler in between has left the options out, and with them every limit.
        await connection.close()
        log.error("sql_not_limited", missing=_REPORTED)
        raise Unavailable(
            "This deployment's database does not take the limits of SQL, so that it is not offered."
        )
    results.register_loaders(connection)
    return connection


async def limit(connection: psycopg.AsyncConnection[Any], seconds: float) -> None:
    """Limit the next statements of a connection to another time."""
    await connection.execute(f"SET statement_timeout = {round(seconds * 1000)}".encode())


async def close(connection: psycopg.AsyncConnection[Any], url: str) -> Awaitable[None] | None:
    """Close a connection; return what the end of its statement is waited for by, if one may still run."""
    process = connection.info.backend_pid
    is_running = connection.info.transaction_status in _RUNNING
    await connection.close()
    return _wait_for_end(url, process) if is_running else None


async def end(
    task: asyncio.Future[Any], connection: psycopg.AsyncConnection[Any], url: str
) -> None:
    """Cancel a statement, and wait until its server process is gone: closing the connection does not end it.

    The connection is closed also where this is itself cancelled, as when the service stops.
    """
    process = connection.info.backend_pid
    # The driver asks the server to cancel, and waits for that.
    task.cancel()
    task.add_done_callback(_take_result)
    try:
        await asyncio.wait({task}, timeout=_CANCEL_SECONDS)
    finally:
        with suppress(psycopg.Error):
            await connection.close()
    await _wait_for_end(url, process)


def _take_result(task: asyncio.Future[Any]) -> None:
    # Its caller has an answer already; asyncio would report an error that nobody took.
    if not task.cancelled():
        task.exception()


async def _wait_for_end(url: str, process: int) -> None:
    pause = _FIRST_POLL
    is_logged = False
    while await _is_there(url, process):
        await asyncio.sleep(pause)
        if pause == _LONGEST_POLL and not is_logged:
            log.warning("sql_statement_goes_on", process=process)
            is_logged = True
        pause = min(pause * 2, _LONGEST_POLL)


async def _is_there(url: str, process: int) -> bool:
    """Return whether a server process of the role is still there; a server that does not say so may have it."""
    try:
        async with await psycopg.AsyncConnection.connect(
            url,
            connect_timeout=_CONNECT_SECONDS,
            autocommit=True,
            application_name="catalog sql watch",
        ) as connection:
            found = await connection.execute(_IS_THERE, (process,))
            return found.rowcount > 0
    except psycopg.Error as error:
        log.warning("sql_statement_not_seen", process=process, error=str(error).strip())
        return True
