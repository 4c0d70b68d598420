"""A service that sells plans, the stand-in for Stripe, and what people do with both."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from pydantic import SecretStr

from auth_service.clients.stripe_gateway import open_gateway
from auth_service.domain.billing import PaymentGateway
from auth_service.wiring import billing
from protos.auth.v1 import auth_pb2 as pb
from tests.clients.person import Person
from tests.fakes.stripe_api import KEY, WEBHOOK_SECRET, StripeStandIn, running_stripe
from tests.integration.auth_service.conftest import Service, running, settings_of

PRICES: Final = {
    "creator": ("price_creator", "price_creator_old"),
    "creator_agent": ("price_agent",),
}
GRACE_DAYS: Final = 7
_MAX_WAIT_SECONDS: Final = 30.0
"""Longest wait for what takes well under a second on a machine with nothing else to do."""

LIBRARY_WARNS: Final = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
"""Stripe's library calls httpx in a way that it deprecates."""


@dataclass(slots=True)
class ShiftedClock:
    """The time, moved on by what tests say."""

    shift: timedelta = field(default_factory=timedelta)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.shift


@dataclass(frozen=True, slots=True)
class Shop:
    """A service that sells plans, and its provider."""

    service: Service
    stripe: StripeStandIn
    clock: ShiftedClock

    def gateway(self) -> AbstractAsyncContextManager[PaymentGateway]:
        """Open a gateway beside the service's own."""
        return open_gateway(KEY, WEBHOOK_SECRET, self.stripe.url)

    async def plan_of(self, email: str) -> str:
        request = pb.AccountByEmailRequest(email=email)
        operations = self.service.operations
        return (await self.service.operate(operations.GetAccount, request)).plan

    async def becomes(self, email: str, plan: str) -> None:
        """Wait until an account has the plan."""
        async with asyncio.timeout(_MAX_WAIT_SECONDS):
            while await self.plan_of(email) != plan:  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.05)

    async def set_plan(self, email: str, plan: str) -> str:
        request = pb.SetPlanRequest(email=email, plan=plan)
        return (await self.service.operate(self.service.operations.SetPlan, request)).plan

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so at the provider or in the database."""
        async with asyncio.timeout(_MAX_WAIT_SECONDS):
            while not condition():  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.05)

    async def open_checkout(self, person: Person, plan: str = "creator") -> str:
        """Choose a plan on the page of plans; return the id of the opened checkout."""
        await person.visit("/plans")
        response = await person.submit("/plans/checkout", plan=plan)
        assert response.status_code == 303, response.text
        assert response.headers["location"].startswith(f"{self.stripe.url}/pay/")
        return response.headers["location"].rpartition("/")[2]

    async def subscriber(self, plan: str = "creator") -> tuple[Person, dict[str, Any]]:
        """Return a person who has bought a plan, and the subscription at the provider."""
        person = await self.service.person("free")
        subscription = self.stripe.pay(await self.open_checkout(person, plan))
        assert set(await self.stripe.deliver_new()) == {200}
        assert await self.plan_of(person.email) == plan
        return person, subscription

    async def debtor(self) -> tuple[Person, dict[str, Any]]:
        """Return a person whose last payment for a plan failed, and the subscription."""
        person, subscription = await self.subscriber()
        self.stripe.renew(subscription, paid=False)
        await self.stripe.deliver_new()
        return person, subscription

    async def change(self, person: Person, plan: str) -> str:
        """Choose and confirm another plan; return the text of the page that follows."""
        await person.visit(f"/plans/change?plan={plan}")
        return readable((await person.submit("/plans/change")).text)

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.service.settings.database_url) as connection:
            return connection.execute(query.encode(), values).fetchall()


def readable(page: str) -> str:
    """Return the text of a page without its tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page))


@asynccontextmanager
async def open_shop(
    database_url: str, valkey_url: str, folder: Path, **changes: Any
) -> AsyncGenerator[Shop]:
    """Run a service that sells plans; due customers are checked often."""
    clock = ShiftedClock()
    async with running_stripe() as stripe:
        settings = settings_of(database_url, valkey_url, folder).model_copy(
            update={
                "stripe_secret_key": SecretStr(KEY),
                "stripe_webhook_secret": SecretStr(WEBHOOK_SECRET),
                "stripe_prices": PRICES,
                "stripe_api_base": stripe.url,
                "stripe_grace_days": GRACE_DAYS,
                **changes,
            }
        )
        stripe.webhook_url = f"{settings.site_url}/billing/webhook"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(billing, "_BILLING_SECONDS", 0.2)
            async with running(settings, clock) as service:
                shop = Shop(service, stripe, clock)
                # At the start, which on a busy machine lasts into the first test; tests count calls.
                sold = sum(map(len, settings.stripe_prices.values()))
                await shop.until(lambda: stripe.called("GET /v1/prices/ID") >= sold)
                yield shop


async def shop_of_module(
    fresh_database: Callable[[], str], valkey_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Shop]:
    """Run a shop with a database of its own; modules of tests make a fixture of it."""
    folder = tmp_path_factory.mktemp("mails")
    async with open_shop(fresh_database(), valkey_url, folder) as opened:
        yield opened
