"""Register passkeys, and log in by them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from auth_service.domain.names import checked_name
from auth_service.domain.oauth import secrets
from auth_service.domain.passkeys.challenges import Challenges, Purpose
from auth_service.domain.passkeys.ports import Assertion, Passkey, WebAuthn
from auth_service.domain.ports import AuditEvent, Clock
from auth_service.domain.rate_limits import RateLimit
from auth_service.domain.site import mails
from auth_service.domain.site.login_service import Visitor
from auth_service.domain.site.new_sessions import open_session
from auth_service.domain.site.ports import SiteStore, SiteTransactions
from auth_service.domain.site.request_origin import RequestOrigin
from auth_service.domain.two_factor.second_step import CompletedLogin
from auth_service.domain.two_factor.service import TwoFactor
from servicekit.errors import Conflict, InvalidInput, NotFound, Unauthenticated

MAX_NAME: Final = 60
_MAX_PASSKEYS: Final = 20
_LOGINS: Final = RateLimit("passkey", 60, 900)
_NO_SITE_NAME: Final = (
    "This site is opened by an address instead of a name, so it takes no passkeys."
)


class PasskeyRefused(Unauthenticated):
    default_reason = "PASSKEY_REFUSED"


class PasskeyNotFound(NotFound):
    default_reason = "PASSKEY_NOT_FOUND"


@dataclass(frozen=True, slots=True)
class Passkeys:
    """Register, list, rename and remove passkeys, and log in by one.

    A passkey counts as both factors: authenticators are required to verify their user. `webauthn` is
    None where the site has no domain name, which passkeys are bound to.
    """

    transactions: SiteTransactions
    two_factor: TwoFactor
    webauthn: WebAuthn | None
    challenges: Challenges
    clock: Clock

    @property
    def is_available(self) -> bool:
        """True if browsers can use passkeys at this site."""
        return self.webauthn is not None

    async def of(self, visitor: Visitor) -> Sequence[Passkey]:
        """Return the visitor's passkeys."""
        async with self.transactions() as store:
            return await store.passkeys.of_account(visitor.account.account_id)

    async def begin(
        self, visitor: Visitor, password: str, code: str, origin: RequestOrigin
    ) -> Mapping[str, Any]:
        """Return the options of a new passkey. Its challenge shows that the password was given.

        Raises:
            ReauthenticationFailed, WrongCode, TooManyAttempts: See `TwoFactor.reauthenticate`.
            NotFound: Passkeys are not available.
        """
        webauthn, account = self._required_webauthn(), visitor.account
        await self.two_factor.reauthenticate(visitor, password, code, origin)
        known = [passkey.credential_id for passkey in await self.of(visitor)]
        challenge = self.challenges.issue(_registration(visitor, origin))
        return webauthn.registration_options(account.account_id, account.email, challenge, known)

    async def register(
        self, visitor: Visitor, name: str, credential: str, origin: RequestOrigin
    ) -> None:
        """Add a passkey that the authenticator of the visitor has made.

        Raises:
            InvalidInput: It is none, or the challenge is of another session, used or too old.
            Conflict: The authenticator is registered, or the account has too many.
        """
        webauthn, account = self._required_webauthn(), visitor.account
        assertion = webauthn.parse(credential)
        if assertion is None:
            raise _not_made()
        expires_at = self.challenges.expiry(assertion.challenge, _registration(visitor, origin))
        verified = webauthn.verify_registration(assertion) if expires_at else None
        if expires_at is None or verified is None:
            raise _not_made()
        passkey = Passkey(
            passkey_id=secrets.new_id("pk"),
            account_id=account.account_id,
            credential_id=verified.credential_id,
            public_key=verified.public_key,
            sign_count=verified.sign_count,
            name=checked_name(name, "a passkey", MAX_NAME),
            is_synced=verified.is_synced,
            created_at=self.clock(),
        )
        async with self.transactions() as store:
            await store.lock_account(account.account_id)
            if len(await store.passkeys.of_account(account.account_id)) >= _MAX_PASSKEYS:
                raise Conflict(f"You have {_MAX_PASSKEYS} passkeys. Remove one first.")
            if not await store.passkeys.use_challenge(assertion.challenge, expires_at):
                raise _not_made()
            if not await store.passkeys.add(passkey):
                raise Conflict("This passkey is registered already.")
            await self._audit(store, account.account_id, "passkey_added", passkey.passkey_id)
            await self._notify(store, account.email, f"A passkey was added: {passkey.name}")

    async def rename(self, visitor: Visitor, passkey_id: str, name: str) -> None:
        """Name one of the visitor's passkeys.

        Raises:
            PasskeyNotFound: The visitor has no such passkey.
            InvalidInput: The name is empty or too long.
        """
        name = checked_name(name, "a passkey", MAX_NAME)
        async with self.transactions() as store:
            if not await store.passkeys.rename(visitor.account.account_id, passkey_id, name):
                raise _unknown_passkey()

    async def remove(self, visitor: Visitor, passkey_id: str) -> None:
        """Remove one of the visitor's passkeys.

        Raises:
            PasskeyNotFound: The visitor has no such passkey.
        """
        account = visitor.account
        async with self.transactions() as store:
            name = await store.passkeys.remove(account.account_id, passkey_id)
            if name is None:
                raise _unknown_passkey()
            await self._audit(store, account.account_id, "passkey_removed", passkey_id)
            await self._notify(store, account.email, f"A passkey was removed: {name}")

    def login_options(self, origin: RequestOrigin) -> Mapping[str, Any] | None:
        """Return the options of a login in this browser, None where passkeys are not available."""
        if self.webauthn is None:
            return None
        return self.webauthn.login_options(self.challenges.issue(_login(origin)))

    async def log_in(
        self, credential: str, following: str, origin: RequestOrigin
    ) -> CompletedLogin:
        """Open a session by a passkey.

        Raises:
            PasskeyRefused: It is unknown, its signature is not good, or its account is disabled.
            TooManyAttempts: Too many of this network.
            NotFound: Passkeys are not available.
        """
        webauthn = self._required_webauthn()
        await _LOGINS.check(self.two_factor.codes.throttle, origin.network)
        assertion = webauthn.parse(credential)
        if assertion is None:
            raise _refusal()
        expires_at = self.challenges.expiry(assertion.challenge, _login(origin))
        if expires_at is None:
            raise PasskeyRefused("This page was open for too long. Try again now.")
        async with self.transactions() as store:
            passkey = await store.passkeys.by_credential(assertion.credential_id)
        if passkey is None or not _is_of_its_account(assertion, passkey):
            raise _refusal()
        sign_count = webauthn.verify_login(assertion, passkey.public_key)
        if sign_count is None:
            raise _refusal()
        async with self.transactions() as store:
            account = await store.account(passkey.account_id)
            is_new = await store.passkeys.use_challenge(assertion.challenge, expires_at)
            if account is None or account.disabled_at is not None or not is_new:
                raise _refusal()
            now = self.clock()
            if await store.passkeys.count_use(passkey.passkey_id, sign_count, now):
                secret = await open_session(store, account, origin, "passkey", now)
                return CompletedLogin(secret, account.email, following)
            await self._audit(store, account.account_id, "passkey_copied", passkey.passkey_id)
            event = (
                f"Your passkey “{passkey.name}” was refused: somebody may have copied it. Remove it"
            )
            await self._notify(store, account.email, event)
        raise _refusal()

    def _required_webauthn(self) -> WebAuthn:
        if self.webauthn is None:
            raise NotFound(_NO_SITE_NAME)
        return self.webauthn

    async def _audit(self, store: SiteStore, account_id: str, event: str, detail: str) -> None:
        await store.record_event(AuditEvent(self.clock(), event, account_id, "owner", detail))

    async def _notify(self, store: SiteStore, address: str, event: str) -> None:
        await self.two_factor.accounts.mailer.post(store, mails.notice(address, event))


def _registration(visitor: Visitor, origin: RequestOrigin) -> Purpose:
    return Purpose("registration", origin.browser, visitor.account.account_id)


def _login(origin: RequestOrigin) -> Purpose:
    return Purpose("login", origin.browser)


def _is_of_its_account(assertion: Assertion, passkey: Passkey) -> bool:
    """Return whether the authenticator names the account that the passkey is stored for."""
    return assertion.user_handle == passkey.account_id.encode()


def _not_made() -> InvalidInput:
    return InvalidInput("The passkey could not be added. Begin again.")


def _unknown_passkey() -> PasskeyNotFound:
    return PasskeyNotFound("You have no such passkey.", details={"field": "passkey_id"})


def _refusal() -> PasskeyRefused:
    return PasskeyRefused("This passkey does not log in here. Use your password.")
