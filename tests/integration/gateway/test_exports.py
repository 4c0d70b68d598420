"""The route of exports: what it counts, and what it says when a page fails."""

from typing import Any

import httpx2
import pytest

from servicekit.errors import NotFound, Unavailable
from tests.fakes.gateway_ports import KEY, principal
from tests.integration.gateway.conftest import Service


async def link(service: Service, **more: Any) -> str:
    arguments: dict[str, Any] = {"tool": "sponsor.top", "format": "jsonl", **more}
    reply = await service.call("catalog.export", arguments)
    return reply.json()["result"]["structuredContent"]["url"]


async def download(service: Service, **more: Any) -> httpx2.Response:
    return await service.http.get(await link(service, **more))


async def test_making_a_link_is_free_and_a_download_counts_its_pages(service: Service) -> None:
    # The catalog of these tests always has a further page.
    url = await link(service, rows=101)
    assert await service.counted() == 0
    for count in (3, 6):
        assert (await service.http.get(url)).status_code == 200
        assert await service.counted() == count


@pytest.mark.parametrize(
    ("file_format", "ending", "media_type"),
    [
        ("csv", "csv", "text/csv; charset=utf-8"),
        ("markdown", "md", "text/markdown; charset=utf-8"),
        ("jsonl", "jsonl", "application/jsonl; charset=utf-8"),
    ],
)
async def test_a_file_is_stored_by_nobody_and_run_by_none(
    service: Service, file_format: str, ending: str, media_type: str
) -> None:
    headers = (await download(service, format=file_format)).headers
    assert headers["content-type"] == media_type
    assert headers["content-disposition"] == f'attachment; filename="sponsor-top.{ending}"'
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"] == "default-src 'none'; sandbox"


async def test_a_first_page_that_fails_is_an_error_and_costs_nothing(service: Service) -> None:
    url = await link(service)
    service.backends.catalog_error = Unavailable("away")
    failed = await service.http.get(url)
    assert failed.status_code == 503
    assert failed.headers["cache-control"] == "no-store"
    assert await service.counted() == 0
    service.backends.catalog_error = None
    assert (await service.http.get(url)).status_code == 200


async def test_a_list_that_can_only_fail_is_refused_when_its_link_is_made(
    service: Service,
) -> None:
    service.backends.catalog_error = NotFound("No sponsor is 'nobody'.")
    arguments = {"tool": "sponsor.youtubers", "arguments": {"sponsor": "nobody"}}
    refused = await service.call("catalog.export", arguments)
    assert "No sponsor is 'nobody'." in refused.json()["error"]["message"]
    assert await service.counted() == 0


async def test_a_file_that_the_month_does_not_bear_any_more_costs_nothing(service: Service) -> None:
    service.backends.access.give(KEY, principal(monthly_requests=4))
    url = await link(service, rows=150)
    assert (await service.http.get(url)).status_code == 200
    refused = await service.http.get(url)
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "quota_exceeded")
    wait = refused.json()["error"]["retry_after_seconds"]
    assert refused.headers["retry-after"] == str(wait)
    assert await service.counted() == 3


async def test_a_link_that_is_none_is_gone(service: Service) -> None:
    gone = await service.http.get("/mcp/exports/x.y.z")
    assert (gone.status_code, gone.json()["error"]["code"]) == (410, "link_gone")
    assert await service.counted() == 0
