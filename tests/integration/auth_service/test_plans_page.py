"""The pages of plans, terms and privacy."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr

from auth_service.domain.plans import DEFAULT_PLANS
from auth_service.settings import AuthSettings, PlanLimits
from tests.clients.person import Person
from tests.integration.auth_service.billing_shop import readable
from tests.integration.auth_service.conftest import Service, running, settings_of

TERMS = """\
# Our terms

<script>alert(1)</script><img src=x onerror=alert(2)>

[ours](https://operator.example/terms) [bad](javascript:alert(3)) [worse](data:text/html,x) <b>bold</b>

| a | b |
| --- | --- |
| 1 | <i>2</i> |
"""


@pytest.fixture
def open_site(
    fresh_database: Callable[[], str], valkey_url: str, tmp_path: Path
) -> Callable[..., Any]:
    def opened(**changes: Any) -> Any:
        settings = settings_of(fresh_database(), valkey_url, tmp_path)
        return running(settings.model_copy(update=changes))

    return opened


async def shown(service: Service, path: str) -> str:
    async with Person(service.url) as person:
        response = await person.visit(path)
    assert response.status_code == 200, response.text
    return response.text


async def test_plans_show_what_the_settings_say(open_site: Callable[..., Any]) -> None:
    plans = {"creator": PlanLimits(monthly_requests=1_234, concurrent_imports=7)}
    async with open_site(plans=plans, contact="sales@operator.example") as service:
        page = readable(await shown(service, "/plans"))
    assert "1,234 requests a month" in page
    assert "Channel imports, 7 at a time" in page
    assert page.count("No API keys") == 1
    assert page.count("No lists and no reports of wrong sponsorships") == 1
    assert page.count("Saved lists, and reports of wrong sponsorships") == len(DEFAULT_PLANS) - 1
    assert "To get another plan, write to sales@operator.example." in page


@pytest.mark.parametrize(
    ("contact", "link"),
    [
        ("sales@operator.example", 'href="mailto:sales@operator.example"'),
        ("https://operator.example/?a=1&b=2", 'href="https://operator.example/?a=1&amp;b=2"'),
    ],
)
async def test_the_contact_is_a_link(
    open_site: Callable[..., Any], contact: str, link: str
) -> None:
    async with open_site(contact=contact) as service:
        for path in ("/plans", "/terms", "/privacy"):
            assert link in await shown(service, path)


async def test_without_a_contact_no_page_says_to_write(service: Service) -> None:
    plans = await shown(service, "/plans")
    page = readable(plans)
    assert "The operator of this site gives them, and has given no address here." in page
    assert '<a href="/#connect">Claude, ChatGPT, Cursor and other AI clients</a>' in plans
    assert "rite to" not in page
    assert "has given no address here" in await shown(service, "/terms")


async def test_every_page_leads_to_plans_terms_and_privacy(service: Service) -> None:
    for path in ("/", "/plans", "/terms", "/privacy", "/login"):
        page = await shown(service, path)
        for target in ("/plans", "/terms", "/privacy"):
            assert f'<a href="{target}">' in page


async def test_somebody_who_is_logged_in_sees_their_plan(service: Service) -> None:
    person = await service.person("creator")
    page = readable((await person.visit("/plans")).text)
    assert "Creator Your plan" in page


async def test_the_operators_texts_are_shown_and_html_in_them_stays_text(
    open_site: Callable[..., Any],
) -> None:
    async with open_site(terms=TERMS, privacy="# Our privacy\n\nWe store *nothing*.") as service:
        terms, privacy = await shown(service, "/terms"), await shown(service, "/privacy")
    assert "<h1>Our terms</h1>" in terms
    assert '<a href="https://operator.example/terms">ours</a>' in terms
    assert "<td>1</td>" in terms
    for raw in ("<script>alert", "<img src=x", 'href="javascript:', 'href="data:', "<b>", "<i>"):
        assert raw not in terms
    assert "<em>nothing</em>" in privacy
    assert "has published no" not in terms + privacy


async def test_the_softwares_own_notice_says_how_long_things_are_stored(
    open_site: Callable[..., Any],
) -> None:
    async with open_site(usage_entry_days=77, audit_log_days=123) as service:
        page = readable(await shown(service, "/privacy"))
    assert "77 days" in page
    assert "for 123 days" in page
    assert "Stripe" not in page
    assert "{" not in page


async def test_the_notice_names_every_event_whose_network_address_is_stored(
    open_site: Callable[..., Any],
) -> None:
    async with open_site(audit_log_days=123) as service:
        person = await service.person("free")
        address = "person-of-nobody@example.com"
        async with Person(service.url) as stranger:
            await stranger.visit("/login")
            await stranger.submit("/login", email=address, password="a wrong passphrase")
            await stranger.visit("/login")
            await stranger.submit("/login", email=person.email, password="a wrong passphrase")
            await stranger.visit("/forgot")
            await stranger.submit("/forgot", email=person.email)
        events: set[str] = set()
        async with asyncio.timeout(5):
            while not {"login_failed", "reset_asked"} <= events:
                with psycopg.connect(service.settings.database_url) as connection:
                    rows = connection.execute(
                        "SELECT DISTINCT event FROM audit_log WHERE detail LIKE '%from 127.0.0.1%'"
                    ).fetchall()
                events = {row[0] for row in rows}
                await asyncio.sleep(0.05)
        page = readable(await shown(service, "/privacy"))
    named = {
        "signed_up": "a sign-up",
        "email_confirmed": "its confirmation",
        "logged_in": "a login,",
        "login_failed": "a login that failed",
        "reset_asked": "a request for a new password",
    }
    assert events <= named.keys()
    sentence = page[page.index("In the audit log, too: the network (IP) address") :].split(
        "stays for that time"
    )[0]
    assert all(words in sentence for words in named.values())
    assert "for 123 days" in sentence


async def test_texts_come_from_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "terms.md"
    file.write_text("# From a file\n\nTwo lines.\n")
    monkeypatch.setenv("AUTH_TERMS_FILE", str(file))
    settings = AuthSettings(
        database_url="postgresql://x/y",
        token_secret=SecretStr("x" * 32),
        grpc_token=SecretStr("y" * 32),
    )
    assert settings.terms == "# From a file\n\nTwo lines."


def test_a_service_without_billing_does_not_load_stripes_library() -> None:
    code = "import sys, auth_service.app; sys.exit('stripe' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
