"""A limit of the statements that cost an account nothing: dry runs, refused and failed ones."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from catalog_service.domain.sql.errors import SqlBusy

_SIZE: Final = 20.0
_PER_SECOND: Final = 20 / 60
_PER_SECOND_OF_WORK: Final = 10
_MAX_ACCOUNTS: Final = 10_000


@dataclass(slots=True)
class Stopwatch:
    """The seconds of a statement's work, which begins when it need wait for no other one any more.

    Args:
        clock: Seconds of a clock that never goes back.
    """

    clock: Callable[[], float]
    _began: float | None = None

    def begin(self) -> None:
        self._began = self.clock()

    @property
    def seconds(self) -> float:
        """Seconds of work until now; 0 before its begin."""
        return 0.0 if self._began is None else self.clock() - self._began


@dataclass(slots=True)
class FreeWork:
    """Let each account have 20 free statements at once, and 20 more a minute; each process counts for itself.

    Args:
        clock: Seconds of a clock that never goes back.
    """

    clock: Callable[[], float]
    _used: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])

    def check(self, account_id: str) -> None:
        """Accept a statement, as nobody knows yet that it will not be free.

        Raises:
            SqlBusy: The account has had its free ones.
        """
        used = self._of(account_id)
        if used > _SIZE - 1:
            wait = math.ceil(max(1.0, (used - _SIZE + 1) / _PER_SECOND))
            raise SqlBusy(
                f"Many statements of this account cost nothing lately: dry runs, refused and failed ones. Wait {wait} s, and "
                "read catalog.schema meanwhile.",
                retry_after=wait,
            )

    def record(self, account_id: str, seconds: float = 0.0) -> None:
        """Count a statement that was free and took so long: as one for each tenth of a second, at least one."""
        used = self._of(account_id) + max(1.0, _PER_SECOND_OF_WORK * seconds)
        self._used.pop(account_id, None)
        if len(self._used) >= _MAX_ACCOUNTS:
            # The one that was counted longest ago.
            del self._used[next(iter(self._used))]
        self._used[account_id] = (used, self.clock())

    def _of(self, account_id: str) -> float:
        used, at = self._used.get(account_id, (0.0, self.clock()))
        return max(0.0, used - (self.clock() - at) * _PER_SECOND)
