"""Password rules and hashing (OWASP ASVS 5.0, chapter 6.2)."""

import asyncio
import re
import unicodedata
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from servicekit.errors import InvalidInput

_PUNCTUATION: Final = re.compile(r"\W")
MIN_LENGTH: Final = 8
MAX_LENGTH: Final = 256
_MAX_SCORED_LENGTH: Final = 64
"""Characters that zxcvbn scores: longer texts can take it a fifth of a second."""
_MIN_SCORE: Final = 2
"""On zxcvbn's scale of 0 to 4; a lower score means fewer than a million guesses."""
_MAX_CONCURRENT_HASHES: Final = 2
"""Limit of concurrent hashes: each takes 19 MiB and a core for some ten milliseconds."""


_LATIN_OF_KEYS: Final = str.maketrans(
    "йцукенгшщзхъфывапролджэячсмитьбюё", "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"
)
"""Letters of a Russian keyboard and those of an American one on the same keys: lists of leaked passwords have the latter."""


def _is_easily_guessed(password: str, email: str) -> bool:
    """Return whether zxcvbn expects fewer than a million guesses: leaked, repeated or sequential."""
    # Imported on use: its word lists take 9 MB, and most processes never validate a new password.
    from zxcvbn_rs_py import zxcvbn  # noqa: PLC0415

    name, _, domain = email.partition("@")
    plain, site = _PUNCTUATION.sub("", name), domain.partition(".")[0]
    known = [word for word in ("sponsorgraph", email, name, plain, domain, site) if word]
    scored = password[:_MAX_SCORED_LENGTH]
    lowered = scored.lower()
    keys = lowered.translate(_LATIN_OF_KEYS)
    forms = (scored,) if keys == lowered else (scored, keys)
    return any(int(zxcvbn(form, user_inputs=known).score) < _MIN_SCORE for form in forms)


def _normalise(password: str) -> str:
    """Return a password with its accents in one form, as keyboards differ in it (RFC 8265, section 4.2.2)."""
    return unicodedata.normalize("NFC", password)


class Passwords:
    """Hash and verify passwords with argon2id, off the event loop."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
        self._slots = asyncio.Semaphore(_MAX_CONCURRENT_HASHES)
        self._dummy_hash = self._hasher.hash("no account has this password")

    async def hash(self, password: str, email: str = "") -> str:
        """Validate a new password and return its hash.

        Raises:
            InvalidInput: It has fewer than 8 or more than 256 characters, or is easily guessed.
        """
        password = _normalise(password)
        if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
            raise InvalidInput(
                f"A password has {MIN_LENGTH} to {MAX_LENGTH} characters.",
                details={"field": "password"},
            )
        if await asyncio.to_thread(_is_easily_guessed, password, email):
            raise InvalidInput(
                "This password is among those that attackers try first. Choose another.",
                details={"field": "password"},
            )
        return await self.renewed(password)

    async def renewed(self, password: str) -> str:
        """Hash a valid password again, without applying today's rules for new ones."""
        async with self._slots:
            return await asyncio.to_thread(self._hasher.hash, _normalise(password))

    async def matches(self, password: str, stored: str | None) -> bool:
        """Return whether `password` matches the hash `stored`; as slow when there is no hash."""
        # As it was typed, too: it was hashed so before passwords were normalised.
        for form in dict.fromkeys((_normalise(password), password)):
            async with self._slots:
                if await asyncio.to_thread(self._verify, form, stored):
                    return True
        return False

    def _verify(self, password: str, stored: str | None) -> bool:
        try:
            self._hasher.verify(stored or self._dummy_hash, password[:MAX_LENGTH])
        except (VerifyMismatchError, InvalidHashError):
            return False
        return stored is not None

    def is_outdated(self, stored: str) -> bool:
        """Return whether the hash was made with weaker parameters than today's."""
        return self._hasher.check_needs_rehash(stored)
