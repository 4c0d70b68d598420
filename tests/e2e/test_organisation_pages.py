"""The pages of organisations on a phone in a real Chromium."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable

import pytest
from playwright.async_api import Browser, Locator

from tests.clients import organisations
from tests.e2e.test_account_security import VIEWPORTS, log_in, window
from tests.integration.auth_service.two_factor_person import Timed, timed_service

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
async def timed(
    fresh_database: Callable[[], str], valkey_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Timed]:
    mails = tmp_path_factory.mktemp("mails")
    async with timed_service(fresh_database(), valkey_url, mails) as opened:
        yield opened


async def is_in_view(button: Locator) -> bool:
    box, (width, _) = await button.bounding_box(), VIEWPORTS["phone"]
    return box is not None and box["x"] >= 0 and box["x"] + box["width"] <= width


async def test_an_owner_sees_the_buttons_of_members_on_a_phone(
    chromium: Browser, timed: Timed
) -> None:
    service = timed.service
    owner, member = await service.person(), await service.person()
    organisation_id = await organisations.create(owner, "Acme Medienproduktion und Vertrieb")
    await organisations.join(owner, member, service.mails)
    await organisations.invite(owner, "somebody.with.a.long.name@example.com", service.mails)
    async with window(chromium, timed, "phone") as page:
        await log_in(page, owner.email)
        await page.goto("/account/organisations")
        opening = page.get_by_role("button", name="Open Acme")
        assert await is_in_view(opening)
        await opening.click()
        await page.wait_for_url("**/account/organisation")
        assert organisation_id in await page.inner_text("main")
        for name in (f"Set role of {member.email}", f"Remove {member.email}", "Revoke invitation"):
            assert await is_in_view(page.get_by_role("button", name=name)), name
