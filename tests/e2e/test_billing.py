"""Plans bought on a whole stack: the quota at the gateway, and the pages in a browser.

`make pictures` leaves screenshots of the pages, dark and light, in `test-results/billing/`.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, Final

import pytest
from playwright.async_api import Browser, expect

from tests.clients.person import PASSWORD
from tests.e2e import accessibility
from tests.e2e.conftest import RunningStack, start
from tests.e2e.pictures import picture
from tests.e2e.prepared_home import prepare_home
from tests.e2e.test_browser import Visitor, window
from tests.e2e.test_oauth_entitlements import WITHIN_SECONDS, call, connected
from tests.fakes.stripe_api import KEY, WEBHOOK_SECRET, StripeStandIn, running_stripe

pytestmark = [pytest.mark.timeout(300)]

NARROW: Final = 320


@dataclass(frozen=True, slots=True)
class Shop:
    stack: RunningStack
    stripe: StripeStandIn


@pytest.fixture(scope="module")
async def shop(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Shop]:
    async with running_stripe() as stripe:
        prices = {"creator": ["price_creator"], "creator_agent": ["price_agent"]}
        stack = start(
            prepare_home(tmp_path_factory, tmp_path_factory.mktemp("shop") / "home"),
            AUTH_STRIPE_SECRET_KEY=KEY,
            AUTH_STRIPE_WEBHOOK_SECRET=WEBHOOK_SECRET,
            AUTH_STRIPE_PRICES=json.dumps(prices),
            AUTH_STRIPE_API_BASE=stripe.url,
            AUTH_CONTACT="sales@operator.example",
        )
        stripe.webhook_url = f"{stack.connection['site_url']}/billing/webhook"
        stripe.delivers = True
        try:
            yield Shop(stack, stripe)
        finally:
            stack.end()


async def quota(shop: Shop, token: str) -> tuple[str, int]:
    result = call(shop.stack, token, "account.usage").json()["result"]["structuredContent"]
    return result["plan"], result["requests_per_month"]


async def quota_within_a_second(shop: Shop, token: str, plan: str) -> int:
    deadline = time.monotonic() + WITHIN_SECONDS
    while (current := await quota(shop, token))[0] != plan:
        assert time.monotonic() < deadline, current
    return current[1]


async def test_plan_and_quota_follow_at_the_gateway_within_a_second(shop: Shop) -> None:
    person, _, tokens = await connected(shop.stack, "free", scope="catalog:read account:read")
    token = tokens["access_token"]
    for _ in range(30):
        call(shop.stack, token)
    refused = call(shop.stack, token).json()["error"]["data"]
    assert refused["upgrade_url"] == f"{shop.stack.connection['site_url']}/plans"
    await person.visit(refused["upgrade_url"])
    checkout = (await person.submit("/plans/checkout", plan="creator")).headers["location"]
    subscription = shop.stripe.pay(checkout.rpartition("/")[2])
    await shop.stripe.deliver_new()
    assert await quota_within_a_second(shop, token, "creator") == 1_000
    assert call(shop.stack, token).status_code == 200
    shop.stripe.refund(subscription)
    await shop.stripe.deliver_new()
    assert await quota_within_a_second(shop, token, "free") == 30
    assert call(shop.stack, token).status_code == 429


async def buyer(shop: Shop, visitor: Visitor) -> str:
    email = shop.stack.account("free", PASSWORD)
    await visitor.log_in(email)
    await expect(visitor.page).to_have_url(f"{visitor.site}/account")
    return email


@dataclass(frozen=True, slots=True)
class Camera:
    visitor: Visitor
    folder: str

    async def take(self, name: str) -> None:
        """Leave a picture of the page where they are wanted, and check it for access and width."""
        page = self.visitor.page
        await picture(page, f"billing/{self.folder}/{name}")
        width = await page.evaluate("document.documentElement.scrollWidth")
        assert width <= page.viewport_size["width"], name  # pyright: ignore[reportOptionalSubscript]
        await accessibility.check(page, name, minor=True)


@pytest.mark.parametrize(
    ("viewport", "scheme"),
    [("desktop", "light"), ("desktop", "dark"), ("phone", "dark"), ("narrow", "light")],
)
async def test_a_person_buys_changes_and_ends_a_plan(
    shop: Shop, chromium: Browser, viewport: str, scheme: Any
) -> None:
    size = "phone" if viewport == "narrow" else viewport
    async with window(shop.stack, chromium, size, color_scheme=scheme) as visitor:
        page, camera = visitor.page, Camera(visitor, f"{viewport}-{scheme}")
        if viewport == "narrow":
            await page.set_viewport_size({"width": NARROW, "height": 700})
        for name in ("plans", "terms", "privacy"):
            await visitor.open(f"/{name}")
            await camera.take(f"stranger-{name}")
        await buyer(shop, visitor)
        await visitor.open("/plans")
        await camera.take("free")
        await page.get_by_role("button", name="Buy Creator", exact=True).click()
        await page.get_by_role("button", name="Pay").click()
        await expect(page.get_by_text("Thank you")).to_be_visible()
        await expect(page.get_by_text("Creator, renewed on")).to_be_visible()
        await camera.take("bought")
        await page.get_by_role("link", name="Change to Creator with Agent").click()
        await camera.take("upgrade")
        await page.get_by_role("button", name="Change and pay the difference").click()
        await expect(page.get_by_text("The invoice is under")).to_be_visible()
        await page.get_by_role("link", name="Change to Creator", exact=True).click()
        await camera.take("downgrade")
        await page.get_by_role("button", name="Change at the end of the period").click()
        await expect(page.get_by_text("After that your plan is")).to_be_visible()
        await camera.take("downgrading")
        await page.get_by_role("link", name="Keep Creator with Agent").click()
        await camera.take("keep")
        await page.get_by_role("button", name="Keep it").click()
        subscription = list(shop.stripe.subscriptions.values())[-1]
        shop.stripe.renew(subscription, paid=False)
        await shop.stripe.deliver_new()
        await visitor.open("/plans")
        await expect(page.get_by_text("The last payment failed.")).to_be_visible()
        await camera.take("failed")
        shop.stripe.recover(subscription)
        await page.get_by_role("link", name="Change to Free").click()
        await camera.take("end")
        await page.get_by_role("button", name="Cancel at the end of the period").click()
        await expect(page.get_by_text("Your subscription ends with the period.")).to_be_visible()
        await page.get_by_role("button", name="Cards and invoices").click()
        await expect(page.get_by_role("heading", name="Cards")).to_be_visible()
