"""Two-factor authentication and passkeys in a real Chromium, with a virtual authenticator.

`make pictures` leaves screenshots of the pages in `test-results/`.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.async_api import Browser, Page, expect

from devstack.ports import free_port
from tests.clients.person import PASSWORD, link_in, newest_mail
from tests.e2e import accessibility, pictures
from tests.integration.auth_service.two_factor_person import App, Timed, timed_service

ROOT: Final = Path(__file__).resolve().parents[2]
SCHEMES: Final = ("light", "dark")
VIEWPORTS: Final = {"phone": (390, 844), "desktop": (1280, 800)}

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
async def timed(
    fresh_database: Callable[[], str], valkey_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Timed]:
    mails, port = tmp_path_factory.mktemp("mails"), free_port()
    changes = {"http_port": port, "site_url": f"http://localhost:{port}"}
    async with timed_service(fresh_database(), valkey_url, mails, **changes) as opened:
        yield opened


@asynccontextmanager
async def window(
    chromium: Browser, timed: Timed, device: str = "desktop", **options: Any
) -> AsyncGenerator[Page]:
    """Open a window whose scripts and policies must cause no complaint."""
    width, height = VIEWPORTS[device]
    context = await chromium.new_context(
        viewport={"width": width, "height": height}, base_url=timed.service.url, **options
    )
    complaints: list[str] = []
    page = await context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.on("dialog", lambda dialog: dialog.accept())
    yield page
    await context.close()
    assert [text for text in complaints if "status of 40" not in text] == []


async def log_in(page: Page, email: str) -> None:
    await page.goto("/login")
    await page.get_by_label("Email").fill(email)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Log in", exact=True).click()


async def add_authenticator(page: Page, **changes: Any) -> None:
    """Give the window an authenticator with a fingerprint, which presses itself."""
    session: Any = await page.context.new_cdp_session(page)  # its types are partial
    await session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
        **changes,
    }
    await session.send("WebAuthn.addVirtualAuthenticator", {"options": options})


async def picture(page: Page, name: str, device: str) -> None:
    """Leave a picture where they are wanted; nothing is wider than the window, or shuts anybody out."""
    for scheme in SCHEMES:
        await page.emulate_media(color_scheme=scheme)
        await pictures.picture(page, f"{device}-{scheme}/{name}")
        await accessibility.check(page, f"{name}, {scheme}")
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


async def add_passkey(page: Page, name: str) -> None:
    await page.goto("/account/passkeys")
    await page.get_by_label("Your password").fill(PASSWORD)
    await page.get_by_role("button", name="Add a passkey").click()
    await page.get_by_label("Name").fill(name)
    await page.get_by_role("button", name="Create the passkey").click()
    await expect(page.get_by_text("The passkey is added")).to_be_visible()


@pytest.mark.parametrize("device", VIEWPORTS)
async def test_a_passkey_is_made_and_logs_in(chromium: Browser, timed: Timed, device: str) -> None:
    email = await timed.service.account()
    async with window(chromium, timed, device) as page:
        await add_authenticator(page)
        await log_in(page, email)
        await page.goto("/account/passkeys")
        await picture(page, "passkeys-none", device)
        await add_passkey(page, "My laptop")
        await picture(page, "passkeys", device)
        await page.get_by_role("button", name="Log out").click()
        await page.goto("/login")
        # The authenticator presses itself, so the offer in the field is taken before any click.
        await expect(page).to_have_url(re.compile("/account$"))
        await page.goto("/account/passkeys")
        await page.get_by_role("button", name="Remove").click()
        await expect(page.get_by_text("You have no passkeys yet")).to_be_visible()


async def test_the_button_logs_in_where_the_browser_offers_nothing_in_the_field(
    chromium: Browser, timed: Timed
) -> None:
    email = await timed.service.account()
    client = await timed.service.client()
    async with window(chromium, timed) as page:
        await add_authenticator(page)
        await log_in(page, email)
        await add_passkey(page, "My laptop")
        await page.get_by_role("button", name="Log out").click()
        await page.add_init_script(
            "PublicKeyCredential.isConditionalMediationAvailable = async () => false"
        )
        await page.goto(client.authorize_url())
        await picture(page, "login-passkey", "desktop")
        await page.get_by_role("button", name="Log in with a passkey").click()
        await expect(page).to_have_url(re.compile("/oauth/authorize"))


async def test_a_device_that_verifies_nobody_makes_and_logs_in_nothing(
    chromium: Browser, timed: Timed
) -> None:
    email = await timed.service.account()
    async with window(chromium, timed) as page:
        await add_authenticator(page, transport="usb", isUserVerified=False)
        await log_in(page, email)
        await page.goto("/account/passkeys")
        await page.get_by_label("Your password").fill(PASSWORD)
        await page.get_by_role("button", name="Add a passkey").click()
        await page.get_by_role("button", name="Create the passkey").click()
        await expect(page.get_by_text("No passkey was created")).to_be_visible()


async def test_without_scripts_there_is_the_password(chromium: Browser, timed: Timed) -> None:
    email = await timed.service.account()
    async with window(chromium, timed, java_script_enabled=False) as page:
        await page.goto("/login")
        await expect(page.get_by_role("button", name="Log in with a passkey")).to_be_hidden()
        await log_in(page, email)
        await page.goto("/account/passkeys")
        await expect(page.get_by_text("Passkeys need JavaScript")).to_be_visible()


@pytest.mark.parametrize("device", VIEWPORTS)
async def test_an_app_is_set_up_and_its_code_logs_in(
    chromium: Browser, timed: Timed, device: str
) -> None:
    email = await timed.service.account()
    async with window(chromium, timed, device) as page:
        await log_in(page, email)
        await page.goto("/account/settings")
        await picture(page, "settings-security", device)
        await page.get_by_role("link", name="Set up two-factor authentication").click()
        await picture(page, "two-factor-off", device)
        await page.get_by_label("Your password").fill(PASSWORD)
        await page.get_by_role("button", name="Set up").click()
        code = page.get_by_alt_text(re.compile("QR code"))
        assert await code.evaluate("image => image.naturalWidth") > 100
        await picture(page, "two-factor-setup", device)
        secret = await page.locator("#totp-secret").inner_text()
        app = App(secret.replace(" ", ""), timed.clock)
        await page.get_by_label("Code", exact=True).fill(app.code())
        await page.get_by_role("button", name="Turn on").click()
        await expect(page.get_by_text("they are not shown again")).to_be_visible()
        await picture(page, "two-factor-recovery-codes", device)
        await page.get_by_role("link", name="I have saved them").click()
        await picture(page, "two-factor-on", device)
        await page.goto("/account")
        await page.get_by_role("button", name="Log out").click()
        await log_in(page, email)
        await picture(page, "login-code", device)
        await page.get_by_label("Code", exact=True).fill(app.next_code())
        await page.get_by_role("button", name="Continue").click()
        await expect(page).to_have_url(re.compile("/account$"))


@pytest.mark.parametrize("device", VIEWPORTS)
async def test_the_address_is_changed_by_both_links(
    chromium: Browser, timed: Timed, device: str
) -> None:
    email, new = await timed.service.account(), f"{secrets.token_hex(6)}@example.com"
    mails = timed.service.mails
    async with window(chromium, timed, device) as page:
        await log_in(page, email)
        await page.goto("/account/settings")
        await page.get_by_label("New email").fill(new)
        await page.locator("#email-password").fill(PASSWORD)
        await page.get_by_role("button", name="Change the address").click()
        await expect(page.get_by_text("Two mails are on their way")).to_be_visible()
        await picture(page, "settings-email-change", device)
        for address, text in ((new, "One more link"), (email, "Your address is changed")):
            await page.goto(link_in(await newest_mail(mails, address)))
            await picture(page, f"email-change-{'new' if address == new else 'old'}", device)
            await page.get_by_role("button", name="Confirm the change").click()
            await expect(page.get_by_role("heading", name=text)).to_be_visible()
        await picture(page, "email-changed", device)
