"""Wire billing: its use cases and the jobs that keep plans and prices in step with Stripe."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from functools import partial
from typing import Final

from auth_service.domain.billing import BillingPolicy
from auth_service.domain.billing_service import BillingService, PriceList
from auth_service.domain.billing_sync import BillingSync
from auth_service.storage.billing import PostgresBillingStore
from auth_service.storage.store import transactions
from auth_service.wiring.resources import Resources
from servicekit.observability import logs
from servicekit.process.loops import NamedLoop

_BILLING_SECONDS: Final = 10.0
_PRICES_SECONDS: Final = 600.0

log = logs.get(__name__)


async def open_billing(stack: AsyncExitStack, resources: Resources) -> BillingService | None:
    """Return the use cases of billing, None where plans are not sold."""
    settings = resources.settings
    if not settings.sells_plans:
        return None
    from auth_service.clients.stripe_gateway import open_gateway  # noqa: PLC0415 - see that module

    gateway = await stack.enter_async_context(
        open_gateway(
            settings.stripe_secret_key.get_secret_value(),
            settings.stripe_webhook_secret.get_secret_value(),
            settings.stripe_api_base,
        )
    )
    plans, clock = resources.plans, resources.clock
    grace = timedelta(days=settings.stripe_grace_days)
    policy = BillingPolicy(settings.stripe_prices, tuple(plans), grace)
    opened = transactions(resources.engine, PostgresBillingStore)
    sync = BillingSync(opened, gateway, policy, plans, resources.feed, clock, _report_billing)
    return BillingService(
        opened,
        gateway,
        policy,
        plans,
        sync,
        PriceList(gateway, policy, {}),
        resources.throttle,
        clock,
        settings.site_url,
    )


def billing_jobs(billing: BillingService | None) -> Sequence[NamedLoop]:
    """Return what has to run while the service does."""
    if billing is None:
        return ()
    return (
        ("billing", partial(billing.sync.run, _BILLING_SECONDS)),
        ("prices", partial(_refresh_prices_forever, billing.prices)),
    )


async def _refresh_prices_forever(prices: PriceList) -> None:
    """Fetch the amounts that the page of plans shows, so that no request waits for Stripe."""
    while True:
        try:
            await prices.refresh()
            seconds = _PRICES_SECONDS
        except Exception as error:  # noqa: BLE001 - the last amounts stay, and checkout shows them
            log.warning("prices_not_fetched", error=repr(error))
            seconds = _BILLING_SECONDS
        await asyncio.sleep(seconds)


def _report_billing(event: str, **details: str) -> None:
    log.warning(event, **details)
