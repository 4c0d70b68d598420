"""Wire alerts: their use cases, and the jobs that find events and deliver them."""

import functools
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Final

import grpc.aio
from sqlalchemy.ext.asyncio import AsyncEngine

from auth_service.clients.catalog import GrpcCatalogEvents, GrpcCatalogSubjects
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
from auth_service.domain.plans import Plan
from auth_service.domain.ports import Clock, Throttle
from auth_service.domain.site.imports import ImportWorker
from auth_service.domain.site.mails import Mailer
from auth_service.settings import AuthSettings
from auth_service.storage.alerts.store import PostgresAlertStore
from auth_service.storage.store import transactions
from servicekit.observability import logs

_POLL_SECONDS: Final = 1.0
_LOOK_SECONDS: Final = 15.0

log = logs.get(__name__)


@dataclass(frozen=True, slots=True)
class AlertPorts:
    """What alerts need of the rest of the service. `catalog` is None where there is no catalogue."""

    engine: AsyncEngine
    catalog: grpc.aio.Channel | None
    worker: ImportWorker | None
    mailer: Mailer
    throttle: Throttle
    clock: Clock


@dataclass(frozen=True, slots=True)
class AlertService:
    """The use cases of the site and the gateway, and the jobs."""

    site: Alerts
    intake: Intake | None
    accounts: AccountEvents
    sender: Sender

    def jobs(self) -> list[Coroutine[Any, Any, None]]:
        """Return what has to run while the service does."""
        reading = () if self.intake is None else (self.intake.run(_POLL_SECONDS),)
        return [self.sender.run(_POLL_SECONDS), self.accounts.run(_LOOK_SECONDS), *reading]


def open_alerts(settings: AuthSettings, ports: AlertPorts) -> AlertService:
    """Return alerts on the service's database."""
    secret = settings.token_secret.get_secret_value()
    store = functools.partial(PostgresAlertStore, cipher=fernet("alert-channels", secret))
    opened: AlertTransactions = transactions(ports.engine, store)
    plans: Mapping[str, Plan] = settings.effective_plans()
    links = SignedLinks(derived_key("alert-links", secret), settings.site_url)
    receiver = WebhookReceiver(settings.alert_networks)
    channels = Channels(opened, receiver, ports.mailer, links, ports.throttle, ports.clock)
    subjects = ServiceSubjects(
        None if ports.catalog is None else GrpcCatalogSubjects(ports.catalog), ports.worker
    )
    watches = Watches(opened, subjects, channels, plans, ports.clock, settings.site_url)
    policy = RetryPolicy(settings.alert_retry_seconds)
    return AlertService(
        site=Alerts(opened, watches, channels),
        intake=None
        if ports.catalog is None
        else Intake(
            "catalog", GrpcCatalogEvents(ports.catalog), opened, plans, ports.clock, _report_source
        ),
        accounts=AccountEvents(opened, ports.worker, plans, ports.clock, _report_source),
        sender=Sender(
            opened, receiver, ports.mailer, links, ports.clock, policy, _report_deliveries
        ),
    )


def _report_source(source: str, error: str) -> None:
    log.warning("alert_events_not_read", source=source, error=error)


def _report_deliveries(error: str) -> None:
    log.warning("alerts_not_delivered", error=error)
