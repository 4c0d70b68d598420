"""The second step of a login: a pending login, and the code that completes it.

A pending login lives ten minutes in the browser that has done the first step. A changed password
ends it.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from auth_service.domain.accounts import Account
from auth_service.domain.oauth import secrets
from auth_service.domain.ports import Clock
from auth_service.domain.site.new_sessions import open_session
from auth_service.domain.site.ports import SiteStore, SiteTransactions
from auth_service.domain.site.request_origin import RequestOrigin
from auth_service.domain.two_factor.codes import CodeCheck
from auth_service.domain.two_factor.ports import PendingLogin
from servicekit.errors import Unauthenticated

LIFETIME: Final = timedelta(minutes=10)


class LoginExpired(Unauthenticated):
    default_reason = "LOGIN_EXPIRED"


@dataclass(frozen=True, slots=True)
class LoginResult:
    """The secret of a new session, or of a pending login when a code is needed."""

    secret: str
    needs_code: bool = False


@dataclass(frozen=True, slots=True)
class CompletedLogin:
    """The secret of a new session, the account's address, and the path to go on to."""

    secret: str
    address: str
    following: str


@dataclass(frozen=True, slots=True)
class SecondStep:
    """Ask for a second factor after the password, and check it."""

    transactions: SiteTransactions
    codes: CodeCheck
    clock: Clock

    async def admit(
        self, store: SiteStore, account: Account, by: str, following: str, origin: RequestOrigin
    ) -> LoginResult:
        """Open a session, or a pending login where the account has a second factor."""
        now = self.clock()
        if await store.two_factor.totp(account.account_id) is None:
            return LoginResult(await open_session(store, account, origin, by, now))
        secret, browser = secrets.new_secret(), secrets.sha256(origin.browser)
        pending = PendingLogin(account.account_id, browser, by, following, now + LIFETIME)
        await store.two_factor.add_pending_login(secrets.sha256(secret), pending)
        return LoginResult(secret, needs_code=True)

    async def is_pending(self, secret: str, origin: RequestOrigin) -> bool:
        """Return whether a login of this browser waits for its code."""
        async with self.transactions() as store:
            return await self._pending(store, secret, origin) is not None

    async def complete(self, secret: str, code: str, origin: RequestOrigin) -> CompletedLogin:
        """Open the session of a pending login.

        Raises:
            LoginExpired: Nothing waits in this browser.
            WrongCode: The code is none of the account's, or was used before.
            TooManyAttempts: Too many codes were tried.
        """
        async with self.transactions() as store:
            pending = await self._pending(store, secret, origin)
            account = await store.account(pending.account_id) if pending else None
        if pending is None or account is None:
            raise _expired()
        await self.codes.check(account, code, origin)
        async with self.transactions() as store:
            account = await store.account(pending.account_id)
            is_living = account is not None and account.disabled_at is None
            is_ended = await store.two_factor.end_pending_login(secrets.sha256(secret))
            if account is None or not is_living or not is_ended:
                raise _expired()
            by = f"{pending.by} and code"
            session = await open_session(store, account, origin, by, self.clock())
        return CompletedLogin(session, account.email, pending.following)

    async def _pending(
        self, store: SiteStore, secret: str, origin: RequestOrigin
    ) -> PendingLogin | None:
        browser = secrets.sha256(origin.browser)
        return await store.two_factor.pending_login(secrets.sha256(secret), browser, self.clock())


def _expired() -> LoginExpired:
    return LoginExpired("This login was not begun here, or too long ago. Log in again.")
