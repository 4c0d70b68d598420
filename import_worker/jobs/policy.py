"""The policy of attempts, and the age at which findings are renewed."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from import_worker.domain.imports import Backoff

LONGEST_WAIT_SECONDS: Final = 2 * 86_400.0
"""For which work is put off, however long a source states."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The operator's choices.

    Attributes:
        max_attempts: Failures in a row without progress after which an import is given up.
        backoff: Waits between them.
        reread: Age from which on a stored video is read from the source again, without an account that asked for it.
        refresh: Time after which a followed channel is imported again; zero for never.
        follow: Time after which the feed of a followed channel is checked; zero for never.
        redetects: Whether stored videos of another detector version are read again without being asked.
        chance: Gives random numbers from 0 to 1.
    """

    max_attempts: int
    backoff: Backoff
    reread: timedelta
    refresh: timedelta
    chance: Callable[[], float]
    redetects: bool = True
    follow: timedelta = timedelta()
