"""Runs the migrations of a service, and tries again those that did not get a lock in time."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from alembic import command
from alembic.config import Config
from psycopg.errors import DeadlockDetected, LockNotAvailable
from sqlalchemy.exc import OperationalError

from servicekit.migration.environment import LOCK_WAIT, REPORT
from servicekit.migration.lock_holders import lock_holders

_FIRST_PAUSE_SECONDS: Final = 1.0
_MAX_PAUSE_SECONDS: Final = 15.0

Report = Callable[[str], None]


class MigrationLockError(Exception):
    """A migration did not get a lock in all of its attempts; the message says who has it, and what to do."""


@dataclass(frozen=True, slots=True)
class LockWait:
    """How long locks are tried for, and how the time between two attempts is spent.

    Attributes:
        seconds: From the first lock that was not had, until the run is given up.
        sleep: What waits between two attempts.
    """

    seconds: float
    sleep: Callable[[float], None] = time.sleep


def upgrade(config: Config, url: str, report: Report, wait: LockWait) -> None:
    """Upgrade a database to the newest revision.

    Each migration is a transaction of its own, so that an attempt goes on where the one before ended.

    Raises:
        MigrationLockError: A lock could not be had within the wait.
    """
    config.attributes[REPORT] = report
    config.attributes[LOCK_WAIT] = wait.seconds
    deadline: float | None = None
    pause = _FIRST_PAUSE_SECONDS
    while True:
        try:
            command.upgrade(config, "head")
        except OperationalError as error:
            if not isinstance(error.orig, LockNotAvailable | DeadlockDetected):
                raise
            now = time.monotonic()
            deadline = now + wait.seconds if deadline is None else deadline
            holders = lock_holders(url, error.statement or "")
            if now + pause > deadline:
                raise MigrationLockError(_given_up(wait.seconds, holders)) from None
            report(f"A migration did not get its lock{holders}. It is tried again in {pause:g} s.")
            wait.sleep(pause)
            pause = min(pause * 2, _MAX_PAUSE_SECONDS)
        else:
            return


def _given_up(seconds: float, holders: str) -> str:
    return (
        f"A migration did not get its lock within {seconds:g} s{holders}. What it had begun is undone; the migrations before it "
        "stay. The services can go on as they are. Run it again when that transaction has ended, or end it by "
        "`SELECT pg_terminate_backend(PROCESS)`."
    )
