"""Passwords: what is taken, and how it is kept (OWASP ASVS 5.0, chapter 6.2)."""

import asyncio
import functools
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from servicekit.errors import InvalidInput

MIN_LENGTH: Final = 8
MAX_LENGTH: Final = 256
_AT_ONCE: Final = 2
"""Hashes computed at the same time: each takes 19 MiB and a core for some ten milliseconds."""


@functools.cache
def _common() -> frozenset[str]:
    """The passwords that leaks show most often."""
    # Here, as the lists take 12 MB, and no password is chosen in most processes.
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # noqa: PLC0415

    return frozenset(FREQUENCY_LISTS["passwords"])


class Passwords:
    """Hashes and checks passwords with argon2id, off the event loop."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._nobody = self._hasher.hash("no account has this password")

    async def hash(self, password: str, email: str = "") -> str:
        """The hash to store.

        Raises:
            InvalidInput: Fewer than 8 or more than 256 characters, or one that attackers try first.
        """
        if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
            raise InvalidInput(
                f"A password has {MIN_LENGTH} to {MAX_LENGTH} characters.",
                details={"field": "password"},
            )
        folded = password.casefold()
        if folded in _common() or folded in (email, email.partition("@")[0], "sponsorgraph"):
            raise InvalidInput(
                "This password is among those that attackers try first. Choose another.",
                details={"field": "password"},
            )
        async with self._slots:
            return await asyncio.to_thread(self._hasher.hash, password)

    async def matches(self, password: str, stored: str | None) -> bool:
        """Whether `password` is the one behind `stored`; as slow when there is none."""
        async with self._slots:
            return await asyncio.to_thread(self._verify, password, stored)

    def _verify(self, password: str, stored: str | None) -> bool:
        try:
            self._hasher.verify(stored or self._nobody, password[:MAX_LENGTH])
        except (VerifyMismatchError, InvalidHashError):
            return False
        return stored is not None

    def is_outdated(self, stored: str) -> bool:
        """Whether the hash was made with weaker parameters than those of today."""
        return self._hasher.check_needs_rehash(stored)
