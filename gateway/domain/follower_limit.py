"""A limit of the calls of an account that follow an import at once."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager


class FollowerLimit:
    """The calls that follow an import, by account.

    Args:
        per_account: How many an account may have.
    """

    def __init__(self, per_account: int) -> None:
        self._per_account = per_account
        self._following = Counter[str]()

    @contextmanager
    def slot(self, account_id: str) -> Generator[bool]:
        """Count a call within the block; yield False, and count none, beyond the limit."""
        if self._following[account_id] >= self._per_account:
            yield False
            return
        self._following[account_id] += 1
        try:
            yield True
        finally:
            self._following[account_id] -= 1
            if not self._following[account_id]:
                del self._following[account_id]
