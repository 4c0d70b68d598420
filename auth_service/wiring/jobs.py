"""Wire the jobs that run in the background while the service does."""

import asyncio
from contextlib import AsyncExitStack
from functools import partial
from typing import Final

from auth_service.domain.settlement import Settlement
from auth_service.domain.site.list_erasure import ListErasure
from auth_service.domain.site.mail_outbox import MailOutbox
from auth_service.storage.backup_age import measure_backup
from auth_service.storage.oauth.keys import KeyRing
from auth_service.storage.reconciliation_job import keep_comparing
from auth_service.storage.retention import delete_expired_forever
from auth_service.storage.settlement_job import keep_settling
from auth_service.wiring.accounts import Accounts
from auth_service.wiring.ledger import Ledger
from auth_service.wiring.resources import Resources
from auth_service.wiring.site import lists_of
from servicekit.observability import logs
from servicekit.observability.gauges import polling
from servicekit.observability.process_reports import reporting
from servicekit.process.loops import NamedLoop, begin_loop

_KEY_REFRESH_SECONDS: Final = 30.0
_BACKUP_SECONDS: Final = 60.0
_COMPLETION_SECONDS: Final = 60.0
"""Longer than a mail server or a receiver of alerts may take."""

log = logs.get(__name__)


async def run_jobs(
    stack: AsyncExitStack,
    resources: Resources,
    accounts: Accounts,
    ledger: Ledger,
    *others: NamedLoop,
) -> None:
    """Begin the service's own jobs and the others; they run until the stack is closed."""
    settings, mailer = resources.settings, resources.mailer
    handlers = {
        **accounts.sign_ups.handlers(),
        **accounts.recovery.handlers(),
        **ListErasure(lists_of(resources)).handlers(),
    }
    delete_expired = partial(
        delete_expired_forever,
        resources.engine,
        settings.usage_entry_days,
        settings.audit_log_days,
    )
    settlement = Settlement(ledger.reconciliation, ledger.active)
    jobs: list[NamedLoop] = [
        ("deletion of expired rows", delete_expired),
        ("signing keys", partial(_refresh_keys_forever, resources.keys)),
        ("deferred work", partial(accounts.deferred.run, handlers)),
        ("settlement of the ledger", partial(keep_settling, settlement)),
        *others,
    ]
    if isinstance(mailer, MailOutbox):
        jobs.append(("mails", mailer.run))
    if settings.reconcile_hours:
        seconds = settings.reconcile_hours * 3600
        jobs.append(
            ("comparison of the ledger", partial(keep_comparing, ledger.reconciliation, seconds))
        )
    for name, run in jobs:
        await begin_loop(stack, name, run, _COMPLETION_SECONDS)
    measure = partial(measure_backup, resources.valkey)
    await stack.enter_async_context(polling("backup", measure, _BACKUP_SECONDS))
    await stack.enter_async_context(reporting(resources.valkey, "auth_service"))


async def _refresh_keys_forever(ring: KeyRing) -> None:
    """Reload signing keys periodically, sooner than a newly published key starts to sign."""
    while True:
        await asyncio.sleep(_KEY_REFRESH_SECONDS)
        try:
            await asyncio.to_thread(ring.refresh)
        except Exception as error:  # noqa: BLE001 - the loaded keys stay in use
            log.warning("signing_keys_not_read", error=str(error))
