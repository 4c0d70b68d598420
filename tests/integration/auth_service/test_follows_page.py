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
    assert "1 followed, 1 of them paused" in page.text
    csrf = dict(visitor.form(f"{PAGE}/end").fields)["csrf"]
    forced = await visitor.client.post(PAGE, data={"csrf": csrf, "channel": "@x"})
    assert forced.status_code == 403
    await visitor.submit(f"{PAGE}/end")
    assert worker[0].requests[-1].max_followed == 0
    assert "You follow no channel yet." in (await visitor.visit(PAGE)).text


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
    refused = await other.submit(f"{PAGE}/end", channel="UC" + "o" * 22)
    assert refused.status_code == 404
    assert len(worker[0].follows[owners]) == 1


async def test_without_a_worker_the_page_says_that_nothing_is_followed(service: Service) -> None:
    visitor = await service.person()
    page = await visitor.visit(PAGE)
    assert page.status_code == 200
    assert "You follow no channel yet." in page.text
