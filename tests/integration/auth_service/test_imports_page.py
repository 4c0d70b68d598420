"""The site's page of imports, with an import worker over gRPC."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from auth_service import app
from auth_service.settings import AuthSettings
from devstack.ports import free_port
from servicekit.errors import InvalidInput, NotFound, ResourceExhausted
from tests.clients.person import Person
from tests.integration.auth_service.conftest import Service
from tests.integration.auth_service.fake_import_worker import Worker, serving


@pytest.fixture
async def worker() -> AsyncGenerator[tuple[Worker, str]]:
    made = Worker()
    async with serving(made) as address:
        yield made, address


@pytest.fixture
async def site_url(auth_settings: AuthSettings, worker: tuple[Worker, str]) -> AsyncGenerator[str]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    changes = {"http_port": port, "site_url": url, "imports_target": worker[1]}
    async with app.serve(auth_settings.model_copy(update=changes)):
        yield url


async def person(service: Service, site_url: str, plan: str = "creator") -> Person:
    visitor = Person(site_url)
    visitor.email = await service.account(plan)
    await visitor.log_in(visitor.email)
    await visitor.visit("/account/imports")
    return visitor


async def test_an_import_is_started_shown_with_its_bar_and_cancelled(
    service: Service, site_url: str, worker: tuple[Worker, str]
) -> None:
    visitor = await person(service, site_url)
    page = await visitor.submit(
        "/account/imports", channel="@example", since="2025-01-01", max_videos="200"
    )
    request = worker[0].requests[0]
    assert (request.channel, request.since, request.max_videos) == (
        "@example",
        "2025-01-01",
        200,
    )
    assert (request.max_concurrent, request.max_followed) == (2, 200)
    assert 'value="25"' in page.text
    assert "50 of 200 videos read, 3 sponsorships" in page.text
    assert "NordVPN" in page.text
    assert "<b>Example" not in page.text
    assert 'hx-get="/account/imports/list"' in page.text
    await visitor.submit("/account/imports/cancel")
    fragment = await visitor.visit("/account/imports/list")
    assert "cancelled" in fragment.text
    assert "3 sponsorships found until then." in fragment.text
    assert "hx-get" not in fragment.text
    assert "<html" not in fragment.text


async def test_the_part_that_refreshes_itself_has_the_followed_channels_too(
    service: Service, site_url: str
) -> None:
    visitor = await person(service, site_url)
    await visitor.visit("/account/imports/following")
    await visitor.submit("/account/imports/following", channel="@example")
    part = await visitor.visit("/account/imports/list")
    assert "1 of 200 followed" in part.text
    assert "You have not imported a channel yet." in part.text


async def test_a_finished_import_leads_to_its_creator_and_brands(
    service: Service, site_url: str, worker: tuple[Worker, str]
) -> None:
    visitor = await person(service, site_url)
    creator = f'<a href="/explore/youtubers/UC{"x" * 22}">'
    page = await visitor.submit("/account/imports", channel="@example")
    assert creator not in page.text
    worker[0].imports[0][1].state = "done"
    page = await visitor.visit("/account/imports")
    assert creator in page.text
    assert '<a href="/explore/sponsors/nordvpn">NordVPN</a>' in page.text


async def test_the_export_has_imports_and_followed_channels(
    service: Service, site_url: str
) -> None:
    visitor = await person(service, site_url)
    await visitor.submit("/account/imports", channel="@example")
    await visitor.visit("/account/imports/following")
    await visitor.submit("/account/imports/following", channel="@example")
    document = (await visitor.visit("/account/export")).json()
    assert [item["channel_title"] for item in document["imports"]] == ["<b>Example</b>"]
    assert [item["channel_title"] for item in document["followed_channels"]] == ["<i>@example</i>"]


async def test_the_export_names_the_parts_whose_service_is_away(
    service: Service, auth_settings: AuthSettings
) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    away = f"127.0.0.1:{free_port()}"
    changes = {"http_port": port, "site_url": url, "imports_target": away}
    async with app.serve(auth_settings.model_copy(update=changes)):
        visitor = Person(url)
        visitor.email = await service.account("creator")
        await visitor.log_in(visitor.email)
        document = (await visitor.visit("/account/export")).json()
    assert document["account"]["email"] == visitor.email
    assert {"imports", "followed_channels"} <= document["missing"].keys()
    assert "imports" not in document


async def test_a_refusal_names_a_field_by_its_label(
    service: Service, site_url: str, worker: tuple[Worker, str]
) -> None:
    visitor = await person(service, site_url)
    worker[0].refusal = InvalidInput("`since` is 2030-01-01, which is to come.")
    page = await visitor.submit("/account/imports", channel="@example")
    assert "“Videos since” is 1 Jan 2030, which is to come." in page.text


@pytest.mark.parametrize(
    ("refusal", "status"),
    [
        (InvalidInput("That names no channel."), 400),
        (NotFound("There is no such channel."), 404),
        (ResourceExhausted("Two imports are under way."), 429),
    ],
)
async def test_a_refused_import_is_shown_and_the_form_values_stay(
    service: Service,
    site_url: str,
    worker: tuple[Worker, str],
    refusal: Exception,
    status: int,
) -> None:
    worker[0].refusal = refusal
    visitor = await person(service, site_url)
    page = await visitor.submit("/account/imports", channel="@nowhere", max_videos="7")
    assert page.status_code == status
    assert str(refusal) in page.text
    assert 'value="@nowhere"' in page.text
    assert 'value="7"' in page.text


async def test_a_free_account_is_shown_why_it_has_no_imports(
    service: Service, site_url: str, worker: tuple[Worker, str]
) -> None:
    visitor = await person(service, site_url, "free")
    assert visitor.page
    assert "has no channel imports" in visitor.page.text
    csrf = dict(visitor.form("/logout").fields)["csrf"]
    forced = await visitor.client.post("/account/imports", data={"csrf": csrf, "channel": "@x"})
    assert forced.status_code == 403
    assert forced.text.count("The plan Free has no channel imports.") == 1
    assert worker[0].requests == []


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("done", "Finished: 50 videos read, 3 sponsorships found."),
        ("done", "Finished: 50 videos read, no sponsorship found."),
        ("cancelled", "Cancelled. 50 videos had been read and stay."),
        ("failed", "The import failed. The 50 videos read until then stay."),
    ],
)
async def test_a_card_says_once_what_an_ended_import_read(
    service: Service, site_url: str, worker: tuple[Worker, str], state: str, message: str
) -> None:
    visitor = await person(service, site_url)
    await visitor.submit("/account/imports", channel="@example", max_videos="")
    ended = worker[0].imports[0][1]
    ended.state, ended.message, ended.sponsorships = state, message, 0 if "no" in message else 3
    fragment = (await visitor.visit("/account/imports/list")).text
    assert message in fragment
    assert "50 of 200 videos read" not in fragment
    assert fragment.count("sponsorship") == 1


async def test_an_import_of_somebody_else_cannot_be_cancelled(
    service: Service, site_url: str, worker: tuple[Worker, str]
) -> None:
    owner, other = await person(service, site_url), await person(service, site_url)
    await owner.submit("/account/imports", channel="@example", max_videos="")
    import_id = worker[0].imports[0][1].import_id
    await other.submit("/account/imports", channel="@other", max_videos="")
    refused = await other.submit("/account/imports/cancel", import_id=import_id)
    assert refused.status_code == 404
    assert worker[0].imports[0][1].state == "running"


async def test_without_a_worker_the_page_says_that_there_is_nothing(service: Service) -> None:
    visitor = await service.person()
    page = await visitor.visit("/account/imports")
    assert page.status_code == 200
    assert "have not imported" in page.text
