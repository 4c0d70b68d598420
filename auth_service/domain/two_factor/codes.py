"""Check codes of an authenticator app and recovery codes; each is good once, over all replicas."""

from dataclasses import dataclass
from typing import Final

from cryptography.fernet import Fernet, InvalidToken

from auth_service.domain.accounts import Account
from auth_service.domain.ports import AuditEvent, Clock, Throttle
from auth_service.domain.rate_limits import RateLimit
from auth_service.domain.site import mails
from auth_service.domain.site.limited_mailer import LimitedMailer
from auth_service.domain.site.ports import SiteStore, SiteTransactions
from auth_service.domain.site.request_origin import RequestOrigin
from auth_service.domain.two_factor import recovery_codes, totp
from servicekit.errors import PermissionDenied

_GUESSES: Final = RateLimit("code", 10, 900)
_GUESSES_OF_A_DAY: Final = RateLimit("code-day", 50, 86_400)
_GUESSES_OF_A_DEVICE: Final = RateLimit("code-device", 10, 900)
_GUESSES_OF_A_DEVICES_DAY: Final = RateLimit("code-device-day", 50, 86_400)


class WrongCode(PermissionDenied):
    default_reason = "WRONG_CODE"


@dataclass(frozen=True, slots=True)
class CodeLimits:
    """Limits on guesses of codes by account. A browser that the account knows has its own."""

    throttle: Throttle

    async def check(self, address: str, origin: RequestOrigin) -> None:
        """Count an attempt.

        Raises:
            TooManyAttempts: Too many of the device, or at the account.
        """
        device = origin.device.secret_for(address)
        if device is None:
            await _GUESSES.check(self.throttle, address)
            await _GUESSES_OF_A_DAY.check(self.throttle, address)
        else:
            await _GUESSES_OF_A_DEVICE.check(self.throttle, address, device)
            await _GUESSES_OF_A_DEVICES_DAY.check(self.throttle, address, device)

    async def forget(self, address: str, origin: RequestOrigin) -> None:
        """Begin the short counts anew for who has given a right code."""
        device = origin.device.secret_for(address)
        if device is None:
            await _GUESSES.forget(self.throttle, address)
        else:
            await _GUESSES_OF_A_DEVICE.forget(self.throttle, address, device)


@dataclass(frozen=True, slots=True)
class CodeCheck:
    """Check the codes of accounts. `cipher` encrypts the secrets of their authenticator apps."""

    transactions: SiteTransactions
    limited_mailer: LimitedMailer
    cipher: Fernet
    throttle: Throttle
    clock: Clock

    async def check(self, account: Account, code: str, origin: RequestOrigin) -> None:
        """Use up a code of the account.

        Raises:
            WrongCode: It is none of the account's, or was used before.
            TooManyAttempts: Too many codes were tried.
        """
        limits = CodeLimits(self.throttle)
        await limits.check(account.email, origin)
        code = code.replace(" ", "")
        async with self.transactions() as store:
            used = await self._use(store, account.account_id, code)
            left = await store.two_factor.count_recovery_codes(account.account_id)
            if used != "code":
                event = "recovery_code_used" if used else "code_refused"
                detail = f"from {origin.address}"
                await store.record_event(
                    AuditEvent(self.clock(), event, account.account_id, "owner", detail)
                )
            if used == "recovery_code":
                text = f"A recovery code of your account was used; {left} are left"
                await self.limited_mailer.send(store, mails.notice(account.email, text))
        if used is None:
            raise WrongCode("This code is wrong or was used before.", details={"field": "code"})
        await limits.forget(account.email, origin)

    async def _use(self, store: SiteStore, account_id: str, code: str) -> str | None:
        stored = await store.two_factor.totp(account_id)
        if stored is None:
            return None
        if totp.is_code(code):
            step = totp.matched_step(self._decrypt(stored.encrypted_secret), code, self.clock())
            is_used = step is not None and await store.two_factor.use_step(account_id, step)
            return "code" if is_used else None
        digest = recovery_codes.digest(account_id, code)
        is_used = digest is not None and await store.two_factor.use_recovery_code(
            account_id, digest
        )
        return "recovery_code" if is_used else None

    def _decrypt(self, encrypted: bytes) -> str:
        """Return the secret.

        Raises:
            WrongCode: It was encrypted with another secret of the installation.
        """
        try:
            return self.cipher.decrypt(encrypted).decode()
        except InvalidToken:
            raise WrongCode(
                "Codes of your app cannot be checked any more. Use a recovery code, then set up "
                "two-factor authentication anew."
            ) from None
