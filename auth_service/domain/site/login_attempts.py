"""Limits on guesses of passwords: by origin, and by account over all origins.

A browser that was logged in to an account before is known to it, by a cookie that only the password
could have earned. It has a count of its own, so that nobody else's guesses keep the owner out
(OWASP, "Slow down online guessing attacks with device cookies").
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from auth_service.domain.oauth import secrets
from auth_service.domain.ports import Throttle
from auth_service.domain.rate_limits import RateLimit

_LOGINS: Final = RateLimit("login", 100, 900)
_GUESSES: Final = RateLimit("guess", 10, 900)
_GUESSES_OF_ALL: Final = RateLimit("guess-all", 100, 3_600)
_GUESSES_OF_A_DEVICE: Final = RateLimit("guess-device", 10, 900)
_MAX_ACCOUNTS: Final = 5


@dataclass(frozen=True, slots=True)
class KnownDevice:
    """A browser's record of the logins in it: a secret for each account's address, by its hash."""

    accounts: Mapping[str, str] = field(default_factory=dict[str, str])

    def secret_for(self, address: str) -> str | None:
        """Return the secret of the device, if the account of `address` knows it."""
        return self.accounts.get(_name(address))

    def logged_in(self, address: str) -> "KnownDevice":
        """Return the device once somebody has logged in to the account; the oldest of many is forgotten."""
        name = _name(address)
        others = [
            (account_name, secret)
            for account_name, secret in self.accounts.items()
            if account_name != name
        ]
        mine = (name, self.accounts.get(name) or secrets.new_id("dev"))
        return KnownDevice(dict([*others, mine][-_MAX_ACCOUNTS:]))


@dataclass(frozen=True, slots=True)
class LoginAttempts:
    """The limits of logins by password, over all replicas."""

    throttle: Throttle

    async def check(self, address: str, network: str, device: KnownDevice) -> None:
        """Count an attempt, before anything is known of the account.

        Raises:
            TooManyAttempts: Too many of this device, or, where it is not known to the account, of
                its network, or at the account.
        """
        secret = device.secret_for(address)
        if secret is not None:
            await _GUESSES_OF_A_DEVICE.check(self.throttle, address, secret)
            return
        await _LOGINS.check(self.throttle, network)
        await _GUESSES.check(self.throttle, address, network)
        await _GUESSES_OF_ALL.check(self.throttle, address)

    async def forget(self, address: str, network: str, device: KnownDevice) -> None:
        """Begin the counts of who has given the password anew."""
        secret = device.secret_for(address)
        if secret is not None:
            await _GUESSES_OF_A_DEVICE.forget(self.throttle, address, secret)
        await _GUESSES.forget(self.throttle, address, network)

    async def forget_all(self, address: str) -> None:
        """Begin the count of the account anew: its password is another."""
        await _GUESSES_OF_ALL.forget(self.throttle, address)


def _name(address: str) -> str:
    return secrets.sha256(address).hex()
