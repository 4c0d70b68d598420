"""Client documents, fetched over real TLS from one address without redirects."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from auth_service.clients.client_documents import ClientDocuments
from servicekit.errors import ResourceExhausted, Unavailable
from tests.fakes.auth_ports import BarrenFetcher, CountingThrottle, SilentFetcher
from tests.fakes.client_site import HOST, ClientSite, document, running_client_site, url


class Finder:
    """Client documents as the service finds them, for callers at several addresses."""

    def __init__(self, site: ClientSite) -> None:
        self.throttle = CountingThrottle()
        self.hours = 0.0
        self.documents = ClientDocuments(
            site.fetcher(), self.throttle, lambda: time.monotonic() + self.hours * 3_600
        )

    async def find(self, path: str, address: str = "203.0.113.1") -> Any:
        return await self.documents.find(url(path), address)


@pytest.fixture
async def site() -> AsyncGenerator[ClientSite]:
    async with running_client_site() as running:
        yield running


@pytest.fixture
async def finder(site: ClientSite) -> AsyncGenerator[Finder]:
    made = Finder(site)
    yield made
    await made.documents.aclose()


async def test_a_client_is_known_by_its_document_which_is_cached(
    site: ClientSite, finder: Finder
) -> None:
    for _ in range(3):
        client = await finder.find("/good")
        assert client.metadata.client_name == "Example"
    assert site.requests == ["/good"]
    assert site.resolved == [HOST]


@pytest.mark.parametrize(
    "path",
    [
        "/other",
        "/large",
        "/list",
        "/text",
        "/away",
        "/moved",
        "/secret",
        "/nowhere",
        "/gone",
        "/packed",
    ],
)
async def test_an_invalid_document_is_no_client_and_is_fetched_again(
    site: ClientSite, finder: Finder, path: str
) -> None:
    for _ in range(2):
        assert await finder.find(path) is None
    assert site.requests == [path, path]
    assert set(site.cookies) == {""}


@pytest.mark.parametrize("path", ["/away", "/moved"])
async def test_a_redirect_is_not_followed(site: ClientSite, finder: Finder, path: str) -> None:
    assert await finder.find(path) is None
    assert site.strays == []


async def test_a_proxy_of_the_environment_is_not_used(
    site: ClientSite, finder: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{site.elsewhere}")
    assert await finder.find("/good") is not None
    assert site.strays == []


async def test_the_certificate_has_to_be_that_of_the_documents_host(
    site: ClientSite, finder: Finder
) -> None:
    with pytest.raises(Unavailable):
        await finder.documents.find("https://other.example/good", "203.0.113.1")
    assert site.requests == []


async def test_a_lifetime_that_is_no_number_is_the_usual_one(
    site: ClientSite, finder: Finder
) -> None:
    for _ in range(2):
        assert await finder.find("/odd") is not None
    assert site.requests == ["/odd"]


async def test_all_that_wait_for_one_document_share_one_fetch(
    site: ClientSite, finder: Finder
) -> None:
    waiting = [asyncio.create_task(finder.find("/slow", f"203.0.113.{at}")) for at in range(20)]
    await site.requested(1)
    waiting[0].cancel()  # the fetch goes on for the others
    site.responses.set()
    found: list[Any] = await asyncio.gather(*waiting[1:])
    assert {client.client_id for client in found} == {url("/slow")}
    assert site.requests == ["/slow"]


async def refusals(wanted: list[tuple[str, str]], under_way: int) -> None:
    """Request documents of unresponsive sites; those beyond `under_way` are refused at once."""
    fetcher = SilentFetcher()
    documents = ClientDocuments(fetcher, CountingThrottle())
    tasks = [asyncio.create_task(documents.find(*each)) for each in wanted]
    async with asyncio.timeout(20):
        while (  # noqa: ASYNC110 - there is no one event of them all
            sum(task.done() for task in tasks) < len(wanted) - under_way
            or len(fetcher.requests) < under_way
        ):
            await asyncio.sleep(0)
    assert {type(task.exception()) for task in tasks if task.done()} == {Unavailable}
    assert len(fetcher.requests) == under_way
    await documents.aclose()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_few_documents_of_one_host_are_fetched_at_once() -> None:
    await refusals([(url(f"/{at}"), f"203.0.113.{at}") for at in range(9)], 3)


async def test_few_documents_for_one_network_are_fetched_at_once() -> None:
    await refusals([(url("/c", f"h{at}.example"), "203.0.113.1") for at in range(9)], 4)


async def test_few_documents_are_fetched_at_once_in_all() -> None:
    await refusals([(url("/c", f"h{at}.example"), f"203.0.113.{at}") for at in range(40)], 16)


async def test_one_network_has_few_fetched_a_minute() -> None:
    fetcher = BarrenFetcher()
    documents = ClientDocuments(fetcher, CountingThrottle())
    for _ in range(30):
        assert await documents.find(url("/c"), "203.0.113.1") is None
    with pytest.raises(ResourceExhausted):
        await documents.find(url("/c"), "203.0.113.1")
    assert len(fetcher.requests) == 30
    assert await documents.find(url("/c"), "203.0.113.2") is None


async def test_fetches_of_a_host_are_limited_however_many_request_them() -> None:
    fetcher = BarrenFetcher()
    documents = ClientDocuments(fetcher, CountingThrottle())
    for at in range(120):
        assert await documents.find(url(f"/{at}"), f"203.0.113.{at}") is None
    with pytest.raises(ResourceExhausted):
        await documents.find(url("/c"), "203.0.113.200")
    assert len(fetcher.requests) == 120
    assert await documents.find(url("/c", "other.example"), "203.0.113.200") is None


async def test_a_document_that_cannot_be_read_now_is_the_one_of_before_for_a_day(
    finder: Finder,
) -> None:
    assert await finder.find("/good") is not None
    finder.throttle.refuses_all = True
    finder.hours = 23
    assert (await finder.find("/good")).metadata.client_name == "Example"
    finder.hours = 25
    with pytest.raises(ResourceExhausted):
        await finder.find("/good")


async def test_a_document_that_is_gone_is_no_client_whatever_it_was_before(
    site: ClientSite, finder: Finder
) -> None:
    site.documents["/brief"] = document("/brief")
    assert await finder.find("/brief") is not None
    del site.documents["/brief"]
    finder.hours = 2
    assert await finder.find("/brief") is None
