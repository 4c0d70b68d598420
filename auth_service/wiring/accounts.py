"""Wire the use cases of accounts: signing up, logging in, recovery, second steps, deletion."""

from dataclasses import dataclass

from auth_service.domain.account_deletion import AccountDeletion
from auth_service.domain.deleted_accounts import DeletedAccounts
from auth_service.domain.encryption import fernet
from auth_service.domain.operations import Operations
from auth_service.domain.site.account_service import AccountService
from auth_service.domain.site.deferred_work import DeferredWorkQueue
from auth_service.domain.site.limited_mailer import LimitedMailer, Links
from auth_service.domain.site.login_service import LoginService
from auth_service.domain.site.recovery import Recovery
from auth_service.domain.site.sign_ups import SignUps
from auth_service.domain.two_factor.codes import CodeCheck
from auth_service.domain.two_factor.second_step import SecondStep
from auth_service.domain.two_factor.service import TwoFactor
from auth_service.wiring.resources import Resources
from servicekit.observability import logs

log = logs.get(__name__)


@dataclass(frozen=True, slots=True)
class Accounts:
    """The use cases of accounts, which pages and RPCs share."""

    deferred: DeferredWorkQueue
    limited_mailer: LimitedMailer
    deleted: DeletedAccounts
    deletion: AccountDeletion
    operations: Operations
    service: AccountService
    sign_ups: SignUps
    recovery: Recovery
    login: LoginService
    second_step: SecondStep
    two_factor: TwoFactor


def accounts_of(resources: Resources) -> Accounts:
    """Return the use cases on the service's resources."""
    settings, clock = resources.settings, resources.clock
    open_site, passwords = resources.open_site, resources.passwords
    feed, throttle = resources.feed, resources.throttle
    secret = resources.policy.token_secret
    deferred = DeferredWorkQueue(open_site, _report_deferred)
    limited_mailer = LimitedMailer(resources.mailer, throttle, Links(settings.site_url))
    deleted = DeletedAccounts(secret)
    deletion = AccountDeletion(deleted, resources.mailer)
    operations = Operations(
        open_site, feed, passwords, resources.plans, clock, settings.max_keys_per_account
    )
    service = AccountService(
        open_site, passwords, resources.mailer, feed, operations, clock, throttle, deletion
    )
    codes = CodeCheck(open_site, limited_mailer, fernet("totp-secrets", secret), throttle, clock)
    second_step = SecondStep(open_site, codes, clock)
    return Accounts(
        deferred=deferred,
        limited_mailer=limited_mailer,
        deleted=deleted,
        deletion=deletion,
        operations=operations,
        service=service,
        sign_ups=SignUps(open_site, passwords, limited_mailer, deferred, deleted, throttle, clock),
        recovery=Recovery(open_site, passwords, limited_mailer, deferred, feed, throttle, clock),
        login=LoginService(
            open_site, passwords, limited_mailer, deferred, deleted, throttle, clock, second_step
        ),
        second_step=second_step,
        two_factor=TwoFactor(service, codes, fernet("totp-setups", secret)),
    )


def _report_deferred(event: str, kind: str, error: str) -> None:
    log.warning(event, kind=kind, error=error)
