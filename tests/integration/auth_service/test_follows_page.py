"""The site's page of followed channels, with an import worker over gRPC."""

from __future__ import annotations

import pytest

from protos.imports.v1 import imports_pb2 as pb
from servicekit.errors import NotFound, ResourceExhausted
from tests.integration.auth_service.conftest import Service
from tests.integration.auth_service.fake_import_worker import Worker
from tests.integration.auth_service.test_imports_page import person, site_url, worker

__all__ = ["site_url", "worker"]

PAGE = "/account/imports/following"


async def test_a_channel_is_followed_shown_with_its_checks_and_unfollowed(
    service: Service, site_url: str, worker: tuple[Worker, str]
) -> None:
    visitor = await person(service, site_url)
    await visitor.visit(PAGE)
    page = await visitor.submit(PAGE, channel=" @example ")
    (request,) = worker[0].requests
    assert (request.channel, request.max_followed, request.max_concurrent) == ("@example", 200, 2)
    assert page.url.path == PAGE
    assert "1 of 200 followed" in page.text
    assert 'datetime="2026-11-22T12:00:00' in page.text
    assert 'datetime="2026-11-22T18:00:00' in page.text
    assert "&lt;i&gt;@example" in page.text
    imports = await visitor.visit("/account/imports")
    assert "@example" in imports.text
    page = await visitor.submit(f"{PAGE}/end")
    assert "You follow no channel yet." in page.text
    assert not worker[0].follows[request.account_id]


async def test_a_channel_that_is_imported_first_is_shown_among_the_imports(
    service: Service, site_url: str
) -> None:
    visitor = await person(service, site_url)
    await visitor.visit(PAGE)
    page = await visitor.submit(PAGE, channel="@new")
    assert page.url.path == "/account/imports"


@pytest.mark.parametrize(
    ("refusal", "status"),
    [
        (NotFound("There is no such channel."), 404),
        (ResourceExhausted("Your plan allows 200 followed channels. Unfollow one first."), 429),
    ],
)
async def test_a_refused_channel_is_shown_with_the_reason(
    service: Service,
    site_url: str,
    worker: tuple[Worker, str],
    refusal: Exception,
    status: int,
) -> None:
    visitor = await person(service, site_url)
    await visitor.visit(PAGE)
    worker[0].refusal = refusal
    page = await visitor.submit(PAGE, channel="@nowhere")
    assert page.status_code == status
    assert str(refusal) in page.text
    assert 'value="@nowhere"' in page.text


async def test_many_followed_channels_come_in_pages(
    service: Service, site_url: str, worker: tuple[Worker, str]
) -> None:
    visitor = await person(service, site_url)
    await visitor.visit(PAGE)
    await visitor.submit(PAGE, channel="@first")
    (account_id,) = worker[0].follows
    worker[0].follows[account_id] = [
        pb.Follow(channel_id=f"UC{number:022}", channel_title=f"Channel {number}", state="active")
        for number in range(60)
    ]
    page = await visitor.visit(PAGE)
    assert "Channel 49" in page.text
    assert "Channel 50" not in page.text
    assert f'href="{PAGE}?cursor=50"' in page.text
    following = await visitor.visit(f"{PAGE}?cursor=50")
    assert "Channel 59" in following.text
    assert "Next page" not in following.text
    imports = await visitor.visit("/account/imports")
    assert "Channel 9<" in imports.text
    assert "Channel 10<" not in imports.text
    assert "see all 60" in imports.text


async def test_a_free_account_sees_what_is_paused_and_may_unfollow_it(
    service: Service, site_url: str, worker: tuple[Worker, str]
) -> None:
    visitor = await person(service, site_url)
    await visitor.visit(PAGE)
    await visitor.submit(PAGE, channel="@example")
    await service.set_plan(visitor.email, "free")
    for own in worker[0].follows.values():
        own[0].state = "paused"
    page = await visitor.visit(PAGE)
    assert "The plan Free follows no channels." in page.text
    assert "You follow 1 channel, and the plan Free allows none: it is paused." in page.text
    csrf = dict(visitor.form(f"{PAGE}/end").fields)["csrf"]
    forced = await visitor.client.post(PAGE, data={"csrf": csrf, "channel": "@x"})
    assert forced.status_code == 403
    assert forced.text.count("The plan Free follows no channels.") == 1
    imports = await visitor.visit("/account/imports")
    assert "Follow a channel" not in imports.text
    await visitor.visit(PAGE)
    await visitor.submit(f"{PAGE}/end")
    assert worker[0].requests[-1].max_followed == 0
    assert "You follow no channel." in (await visitor.visit(PAGE)).text


async def test_a_form_says_that_the_channel_is_followed_first_imported_or_unfollowed(
    service: Service, site_url: str
) -> None:
    visitor = await person(service, site_url)
    await visitor.visit(PAGE)
    page = await visitor.submit(PAGE, channel="@example")
    assert "You follow the channel. Its new videos are imported by themselves." in page.text
    page = await visitor.submit(f"{PAGE}/end")
    assert "You do not follow the channel any more." in page.text
    page = await visitor.submit(PAGE, channel="@new")
    assert "You follow it once its import is done." in page.text


async def test_a_second_press_of_unfollow_ends_as_the_first_did(
    service: Service, site_url: str
) -> None:
    visitor = await person(service, site_url)
    await visitor.visit(PAGE)
    followed = await visitor.submit(PAGE, channel="@example")
    for _ in range(2):
        visitor.page = followed
        page = await visitor.submit(f"{PAGE}/end")
        assert (page.status_code, page.url.path) == (200, PAGE)
        assert "You do not follow the channel any more." in page.text


async def test_unfollow_leads_back_to_the_page_on_which_it_was_pressed(
    service: Service, site_url: str, worker: tuple[Worker, str]
) -> None:
    visitor = await person(service, site_url)
    await visitor.visit(PAGE)
    await visitor.submit(PAGE, channel="@example")
    (account_id,) = worker[0].follows
    worker[0].follows[account_id] = [
        pb.Follow(channel_id=f"UC{number:022}", state="active") for number in range(60)
    ]
    for path in ("/account/imports", f"{PAGE}?cursor=50"):
        await visitor.visit(path)
        page = await visitor.submit(f"{PAGE}/end")
        assert str(page.url.copy_remove_param("notice")) == f"{site_url}{path}"
        assert "You do not follow the channel any more." in page.text


async def test_a_page_after_the_last_followed_channel_leads_to_the_first_page(
    service: Service, site_url: str
) -> None:
    visitor = await person(service, site_url)
    await visitor.visit(PAGE)
    await visitor.submit(PAGE, channel="@example")
    page = await visitor.visit(f"{PAGE}?cursor=50")
    assert "There are no more followed channels." in page.text
    assert f'<a href="{PAGE}">Go to the first page' in page.text
    assert "You follow no channel" not in page.text


@pytest.mark.parametrize(
    ("plan", "states", "sentence"),
    [
        ("creator", "ap", "2 of 200 followed. 1 of them is still paused."),
        ("free", "pp", "You follow 2 channels, and the plan Free allows none: all are paused."),
        (
            "free",
            "app",
            "You follow 3 channels, and the plan Free allows none: 2 of them are paused.",
        ),
    ],
)
async def test_what_is_paused_is_said_beside_what_the_plan_allows(
    service: Service,
    site_url: str,
    worker: tuple[Worker, str],
    plan: str,
    states: str,
    sentence: str,
) -> None:
    visitor = await person(service, site_url)
    await visitor.visit(PAGE)
    await visitor.submit(PAGE, channel="@example")
    await service.set_plan(visitor.email, plan)
    (account_id,) = worker[0].follows
    worker[0].follows[account_id] = [
        pb.Follow(channel_id=f"UC{number:022}", state="paused" if state == "p" else "active")
        for number, state in enumerate(states)
    ]
    assert sentence in (await visitor.visit(PAGE)).text
    assert sentence in (await visitor.visit("/account/imports")).text


async def test_a_free_account_that_follows_nothing_is_promised_nothing(
    service: Service, site_url: str
) -> None:
    visitor = await person(service, site_url, "free")
    page = await visitor.visit(PAGE)
    assert "The plan Free follows no channels." in page.text
    assert "paused" not in page.text
    assert "of these channels" not in page.text
    assert "On a plan with imports, new videos of followed channels" in page.text


async def test_followed_channels_are_cards_that_need_no_scrolling_sideways(
    service: Service, site_url: str
) -> None:
    visitor = await person(service, site_url)
    await visitor.visit(PAGE)
    await visitor.submit(PAGE, channel="@example")
    for path in (PAGE, "/account/imports"):
        page = await visitor.visit(path)
        assert '<ul class="items" aria-label="Followed channels">' in page.text
        assert "<table" not in page.text


async def test_a_channel_of_somebody_else_is_neither_shown_nor_unfollowed(
    service: Service, site_url: str, worker: tuple[Worker, str]
) -> None:
    owner, other = await person(service, site_url), await person(service, site_url)
    for visitor, channel in ((owner, "@owners"), (other, "@others")):
        await visitor.visit(PAGE)
        await visitor.submit(PAGE, channel=channel)
    assert "@owners" not in (await other.visit(PAGE)).text
    (owners, _) = worker[0].follows
    worker[0].follows[owners][0].channel_id = "UC" + "o" * 22
    page = await other.submit(f"{PAGE}/end", channel="UC" + "o" * 22)
    assert page.url.path == PAGE
    assert len(worker[0].follows[owners]) == 1


async def test_without_a_worker_the_page_says_that_nothing_is_followed(service: Service) -> None:
    visitor = await service.person()
    page = await visitor.visit(PAGE)
    assert page.status_code == 200
    assert "You follow no channel yet." in page.text
