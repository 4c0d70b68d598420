"""Wire alerts: their use cases, and the jobs that find events and deliver them."""

import functools
from dataclasses import dataclass
from typing import Final

from auth_service.clients.catalog import GrpcCatalogEvents, GrpcCatalogSubjects
from auth_service.clients.reports import GrpcReports
from auth_service.clients.webhooks import WebhookReceiver
from auth_service.domain.alerts.account_events import AccountEvents
from auth_service.domain.alerts.channels import Channels
from auth_service.domain.alerts.intake import Intake
from auth_service.domain.alerts.ports import AlertTransactions
from auth_service.domain.alerts.schedule import RetryPolicy
from auth_service.domain.alerts.secrets import SignedLinks
from auth_service.domain.alerts.sender import Sender
from auth_service.domain.alerts.service import Alerts
from auth_service.domain.alerts.subjects import ServiceSubjects
from auth_service.domain.alerts.watches import Watches
from auth_service.domain.encryption import derived_key, fernet
from auth_service.domain.site.imports import ImportWorker
from auth_service.storage.alerts.store import PostgresAlertStore
from auth_service.storage.store import transactions
from auth_service.wiring.resources import Resources
from servicekit.observability import logs
from servicekit.process.loops import NamedLoop

_POLL_SECONDS: Final = 1.0
_EVENTS_POLL_SECONDS: Final = 15.0

log = logs.get(__name__)


@dataclass(frozen=True, slots=True)
class AlertService:
    """The use cases of the site and the gateway, and the jobs."""

    site: Alerts
    intake: Intake | None
    accounts: AccountEvents
    sender: Sender

    def jobs(self) -> list[NamedLoop]:
        """Return what has to run while the service does."""
        jobs: list[NamedLoop] = [
            ("alerts", functools.partial(self.sender.run, _POLL_SECONDS)),
            ("events of accounts", functools.partial(self.accounts.run, _EVENTS_POLL_SECONDS)),
        ]
        if self.intake is not None:
            jobs.append(
                ("events of the catalog", functools.partial(self.intake.run, _POLL_SECONDS))
            )
        return jobs


def alerts_of(resources: Resources, worker: ImportWorker | None) -> AlertService:
    """Return alerts on the service's database; `worker` is None where nothing is imported."""
    settings, clock, mailer = resources.settings, resources.clock, resources.mailer
    plans, throttle, catalog = resources.plans, resources.throttle, resources.catalog
    secret = resources.policy.token_secret
    store = functools.partial(PostgresAlertStore, cipher=fernet("alert-channels", secret))
    opened: AlertTransactions = transactions(resources.engine, store)
    links = SignedLinks(derived_key("alert-links", secret), settings.site_url)
    receiver = WebhookReceiver(settings.alert_networks)
    channels = Channels(opened, receiver, mailer, links, throttle, clock)
    subjects = ServiceSubjects(GrpcCatalogSubjects(catalog) if catalog else None, worker)
    events = GrpcCatalogEvents(catalog) if catalog else None
    reports = GrpcReports(catalog) if catalog else None
    watches = Watches(opened, subjects, channels, plans, clock, settings.site_url)
    policy = RetryPolicy(settings.alert_retry_seconds)
    return AlertService(
        site=Alerts(opened, watches, channels),
        intake=Intake("catalog", events, opened, plans, clock, _report_source) if events else None,
        accounts=AccountEvents(opened, worker, reports, plans, clock, _report_source),
        sender=Sender(opened, receiver, mailer, links, clock, policy, _report_deliveries),
    )


def _report_source(source: str, error: str) -> None:
    log.warning("alert_events_not_read", source=source, error=error)


def _report_deliveries(error: str) -> None:
    log.warning("alerts_not_delivered", error=error)
