"""Turn two-factor authentication on and off."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from cryptography.fernet import Fernet, InvalidToken

from auth_service.domain.ports import AuditEvent
from auth_service.domain.site import mails
from auth_service.domain.site.account_service import AccountService
from auth_service.domain.site.login_service import Visitor
from auth_service.domain.site.ports import SiteStore
from auth_service.domain.site.request_origin import RequestOrigin
from auth_service.domain.two_factor import recovery_codes, totp
from auth_service.domain.two_factor.codes import CodeCheck, CodeLimits, WrongCode
from auth_service.domain.two_factor.ports import StoredTotp
from servicekit.errors import Conflict, InvalidInput

_SETUP_LIFETIME: Final = timedelta(minutes=30)


class TwoFactorOn(Conflict):
    default_reason = "TWO_FACTOR_ON"


@dataclass(frozen=True, slots=True)
class Setup:
    """A secret for an authenticator app. `token` is the secret encrypted, for the form of its page."""

    secret: str
    uri: str
    token: str


@dataclass(frozen=True, slots=True)
class TwoFactor:
    """Set up, change and remove the second factor of the visitor's account.

    A secret is stored when a code has shown that the app has it. Until then it is in its page alone,
    so that whoever takes over a session finds none that the owner goes on to use.
    """

    accounts: AccountService
    codes: CodeCheck
    setup_cipher: Fernet

    async def state(self, visitor: Visitor) -> tuple[StoredTotp | None, int]:
        """Return the account's authenticator app, if any, and the number of its recovery codes."""
        account_id = visitor.account.account_id
        async with self.accounts.transactions() as store:
            stored = await store.two_factor.totp(account_id)
            return stored, await store.two_factor.count_recovery_codes(account_id)

    async def reauthenticate(
        self, visitor: Visitor, password: str, code: str, origin: RequestOrigin
    ) -> None:
        """Check the password, and a code where two-factor authentication is on.

        Raises:
            ReauthenticationFailed: The password is another.
            WrongCode: The code is none of the account's, or was used before.
            TooManyAttempts: Too many were tried.
        """
        await self.accounts.reauthenticate(visitor, password)
        stored, _ = await self.state(visitor)
        if stored is not None:
            await self.codes.check(visitor.account, code, origin)

    async def begin(self, visitor: Visitor, password: str) -> Setup:
        """Return a new secret for the visitor's app.

        Raises:
            ReauthenticationFailed: The password is another.
            TwoFactorOn: The account has an app.
        """
        await self.accounts.reauthenticate(visitor, password)
        stored, _ = await self.state(visitor)
        if stored is not None:
            raise _already_on()
        content = [visitor.account.account_id, visitor.session.session_id, totp.new_secret()]
        token = self.setup_cipher.encrypt_at_time(json.dumps(content).encode(), self._timestamp())
        return self.resume(visitor, token.decode())

    def resume(self, visitor: Visitor, token: str) -> Setup:
        """Return the setup of a token that this session was given.

        Raises:
            InvalidInput: It is none of this session's, or too old.
        """
        lifetime = int(_SETUP_LIFETIME.total_seconds())
        try:
            content = self.setup_cipher.decrypt_at_time(token.encode(), lifetime, self._timestamp())
        except InvalidToken:
            raise _expired_setup() from None
        account_id, session_id, secret = json.loads(content)
        if (account_id, session_id) != (visitor.account.account_id, visitor.session.session_id):
            raise _expired_setup()
        return Setup(secret, totp.setup_uri(secret, visitor.account.email), token)

    async def enable(
        self, visitor: Visitor, token: str, code: str, origin: RequestOrigin
    ) -> Sequence[str]:
        """Turn two-factor authentication on, and return the recovery codes.

        Raises:
            InvalidInput: The setup is none of this session's, or too old.
            WrongCode: The code is not of the app.
            TwoFactorOn: The account has an app.
        """
        account, secret = visitor.account, self.resume(visitor, token).secret
        await CodeLimits(self.codes.throttle).check(account.email, origin)
        step = totp.matched_step(secret, code.replace(" ", ""), self.accounts.clock())
        if step is None:
            raise WrongCode(
                "This is not the code that your app should show now. Is its clock right?",
                details={"field": "code"},
            )
        encrypted = self.codes.cipher.encrypt(secret.encode())
        stored = StoredTotp(encrypted, self.accounts.clock(), step)
        async with self.accounts.transactions() as store:
            if not await store.two_factor.enable(account.account_id, stored):
                raise _already_on()
            new_codes = await self._new_codes(store, account.account_id)
            await self._audit(store, visitor, "two_factor_enabled")
            await self._notify(store, visitor, "Two-factor authentication was turned on")
        return new_codes

    async def renew_recovery_codes(
        self, visitor: Visitor, password: str, code: str, origin: RequestOrigin
    ) -> Sequence[str]:
        """Replace the recovery codes, and return the new ones.

        Raises:
            ReauthenticationFailed, WrongCode, TooManyAttempts: See `reauthenticate`.
            InvalidInput: Two-factor authentication is off.
        """
        await self.reauthenticate(visitor, password, code, origin)
        account_id = visitor.account.account_id
        async with self.accounts.transactions() as store:
            await store.lock_account(account_id)
            if await store.two_factor.totp(account_id) is None:
                raise _is_off()
            new_codes = await self._new_codes(store, account_id)
            await self._audit(store, visitor, "recovery_codes_renewed")
            await self._notify(store, visitor, "New recovery codes were made")
        return new_codes

    async def disable(
        self, visitor: Visitor, password: str, code: str, origin: RequestOrigin
    ) -> None:
        """Turn two-factor authentication off.

        Raises:
            ReauthenticationFailed, WrongCode, TooManyAttempts: See `reauthenticate`.
            InvalidInput: Two-factor authentication is off.
        """
        await self.reauthenticate(visitor, password, code, origin)
        async with self.accounts.transactions() as store:
            if not await store.two_factor.disable(visitor.account.account_id):
                raise _is_off()
            await self._audit(store, visitor, "two_factor_disabled")
            await self._notify(store, visitor, "Two-factor authentication was turned off")

    async def _new_codes(self, store: SiteStore, account_id: str) -> Sequence[str]:
        new_codes = recovery_codes.new_codes()
        digests = [recovery_codes.digest(account_id, code) for code in new_codes]
        await store.two_factor.replace_recovery_codes(account_id, [d for d in digests if d])
        return new_codes

    async def _audit(self, store: SiteStore, visitor: Visitor, event: str) -> None:
        now, account_id = self.accounts.clock(), visitor.account.account_id
        await store.record_event(AuditEvent(now, event, account_id, "owner", ""))

    async def _notify(self, store: SiteStore, visitor: Visitor, event: str) -> None:
        await self.accounts.mailer.post(store, mails.notice(visitor.account.email, event))

    def _timestamp(self) -> int:
        return int(self.accounts.clock().timestamp())


def _already_on() -> TwoFactorOn:
    return TwoFactorOn("Two-factor authentication is on already.")


def _is_off() -> InvalidInput:
    return InvalidInput("Two-factor authentication is off.")


def _expired_setup() -> InvalidInput:
    return InvalidInput("This setup was begun too long ago or in another session. Begin again.")
