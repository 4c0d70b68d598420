"""Wire the RPCs: what the gateway and operators call."""

import asyncio
import functools
from collections.abc import Sequence
from urllib.parse import urlsplit

from auth_service.domain.access import Access
from auth_service.domain.account_operations import AccountOperations
from auth_service.domain.alerts.history import AlertHistory
from auth_service.domain.billing_service import BillingService
from auth_service.domain.counting_authority import CountingAuthority
from auth_service.domain.diagnosis import checks
from auth_service.domain.diagnosis.model import Check, Diagnosis
from auth_service.domain.ledger_admission import LedgerAdmission
from auth_service.domain.settlement import ActiveMonths
from auth_service.domain.usage import UsageEntry
from auth_service.oauth import metadata
from auth_service.oauth.operator_operations import IssuingOperations
from auth_service.rpc import Servicers
from auth_service.rpc.access import UsageReported
from auth_service.storage.diagnosis import database_time, waiting_mails
from auth_service.storage.operator_reports import ValkeyReports
from auth_service.storage.reconciliation_job import compared
from auth_service.storage.settlement_job import recovered
from auth_service.wiring.accounts import Accounts
from auth_service.wiring.alerts import AlertService
from auth_service.wiring.ledger import Ledger
from auth_service.wiring.mail import mail_server_of
from auth_service.wiring.resources import Resources
from servicekit.process.addresses import is_loopback
from servicekit.valkey import ping


def servicers_of(
    resources: Resources,
    accounts: Accounts,
    billing: BillingService | None,
    alerts: AlertService,
    ledger: Ledger,
) -> Servicers:
    """Return the dependencies of the RPCs."""
    settings, clock, keys = resources.settings, resources.clock, resources.keys
    open_site, policy = resources.open_site, resources.policy
    rotate = functools.partial(keys.rotate, policy.access_lifetime)
    return Servicers(
        access=Access(open_site, resources.plans, clock, settings.site_url),
        ledger_admission=LedgerAdmission(open_site),
        authority=CountingAuthority(open_site),
        issuer=lambda: (metadata.authorization_server(policy), keys.keys.jwks()),
        reported=_usage_reported(ledger.active),
        operations=accounts.operations,
        account_operations=AccountOperations(
            open_site,
            accounts.operations,
            accounts.deletion,
            accounts.limited_mailer,
            resources.feed,
            clock,
        ),
        issuing=IssuingOperations(resources.open_oauth, rotate, clock),
        compare=lambda: compared(ledger.reconciliation),
        diagnosis=_diagnosis(resources, billing),
        operator_token=settings.operator_token.get_secret_value(),
        watches=alerts.site.watches,
        alert_history=AlertHistory(alerts.site.transactions, alerts.site.watches),
    )


def _diagnosis(resources: Resources, billing: BillingService | None) -> Diagnosis:
    """Return the checks of what this installation depends on."""
    settings, engine, clock = resources.settings, resources.engine, resources.clock
    reached = functools.partial(ping, resources.valkey, "AUTH_VALKEY_URL")
    is_local = is_loopback(urlsplit(settings.site_url).hostname or "")
    last_backup = ValkeyReports(resources.valkey).last_backup
    found: dict[str, Check] = {
        "Clock": lambda: checks.check_clock(database_time(engine), clock),
        "Valkey of the auth service": lambda: checks.check_valkey(reached),
        "Last backup": lambda: checks.check_backup(last_backup, clock, is_local=is_local),
    }
    if settings.smtp_host:
        problem = functools.partial(asyncio.to_thread, mail_server_of(settings).problem)
        found["Mail server"] = lambda: checks.check_mail(problem, waiting_mails(engine))
    else:
        folder = settings.mail_folder
        found["Mails"] = lambda: checks.check_mail_folder(folder, is_local=is_local)
    if billing is not None:
        prices = billing.policy.prices
        found["Stripe prices"] = lambda: checks.check_prices(billing.gateway, prices)
    return Diagnosis(found)


def _usage_reported(active: ActiveMonths) -> UsageReported:
    def reported(entries: Sequence[UsageEntry], lacking: int, epoch: str) -> None:
        active.add(entries)
        if lacking:
            recovered(lacking, epoch)

    return reported
