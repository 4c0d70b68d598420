"""Server-side request forgery through client documents and channel URLs.

What happens once a document's server is reached, redirects included, is in
tests/integration/auth_service/test_client_documents.py; YouTube's own redirects are in
tests/integration/import_worker/test_youtube_feed.py.
"""

from __future__ import annotations

from typing import Any, Final

import httpx2
import pytest

from auth_service.clients.document_fetcher import DocumentFetcher, Forbidden
from auth_service.domain.oauth.client_documents import is_document_url
from import_worker.clients.youtube_feed import YouTubeFeed
from import_worker.domain.sources import ChannelNotFound, parse_reference
from servicekit.errors import InvalidInput, ServiceError
from tests.fakes.youtube import running_youtube

INSIDE: Final = (
    "127.0.0.1", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "127.1", "0", "localhost",
    "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:a9fe:a9fe]",
    "169.254.169.254", "2852039166", "[fd00:ec2::254]", "10.0.0.1", "192.168.0.1", "100.64.0.1",
    "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fec0::1]", "[::127.0.0.1]",
)  # fmt: skip
"""This machine, its neighbours and clouds' metadata, in every spelling that resolvers take."""


@pytest.mark.parametrize("host", INSIDE)
async def test_no_spelling_of_an_inside_address_is_visited(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def visited(*_: Any, **__: Any) -> Any:
        raise AssertionError("it was about to connect")

    monkeypatch.setattr(httpx2.AsyncClient, "stream", visited)
    with pytest.raises(ServiceError) as refused:
        await DocumentFetcher(5120).fetch(f"https://{host}/client.json")
    assert isinstance(refused.value, Forbidden) or refused.value.reason.endswith("UNAVAILABLE")


async def test_a_name_that_changes_its_address_is_resolved_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """DNS rebinding: the connection is made to the checked address."""
    responses = iter([["160.79.104.10"], ["127.0.0.1"]])
    connected: list[str] = []

    async def resolver(_host: str) -> list[str]:
        return next(responses)

    def stream(_self: object, _method: str, url: httpx2.URL, **_: Any) -> Any:
        connected.append(url.host)
        raise httpx2.ConnectError("no network in tests")

    monkeypatch.setattr(httpx2.AsyncClient, "stream", stream)
    fetcher = DocumentFetcher(5120, resolver=resolver)
    with pytest.raises(ServiceError):
        await fetcher.fetch("https://client.example/client.json")
    assert connected == ["160.79.104.10"]


@pytest.mark.parametrize("inside", ["127.0.0.1", "10.0.0.1", "fec0::1"])
@pytest.mark.parametrize("first", [True, False])
async def test_a_name_with_an_inside_address_among_others_is_not_visited(
    inside: str, *, first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def visited(*_: Any, **__: Any) -> Any:
        raise AssertionError("it was about to connect")

    async def resolver(_host: str) -> list[str]:
        return [inside, "160.79.104.10"] if first else ["160.79.104.10", inside]

    monkeypatch.setattr(httpx2.AsyncClient, "stream", visited)
    with pytest.raises(Forbidden):
        await DocumentFetcher(5120, resolver=resolver).fetch("https://client.example/c.json")


async def test_a_name_that_no_resolver_accepts_is_refused() -> None:
    with pytest.raises(InvalidInput):
        await DocumentFetcher(5120).fetch(f"https://{'a' * 64}.example/c.json")


@pytest.mark.parametrize(
    "url",
    [
        "http://client.example/c.json", "ftp://client.example/c", "file:///etc/passwd",
        "gopher://client.example/x", "https://client.example:8443/c.json",
        "https://client.example:22/c", "https://user@client.example/c.json",
        "https://user:pw@127.0.0.1/c.json", "https://client.example", "https://client.example/",
        "https://client.example/c#f", "https:///c.json", "https://client.example/../c",
        "https://[::1/c", "data:application/json,{}", "//client.example/c", "https://a:b/c",
    ],
)  # fmt: skip
def test_no_other_scheme_port_or_user_is_a_clients_document(url: str) -> None:
    assert not is_document_url(url)


ELSEWHERE: Final = (
    "http://127.0.0.1/@channel", "http://169.254.169.254/latest/meta-data", "file:///etc/passwd",
    "https://youtube.com@127.0.0.1/@channel", "https://youtube.com.evil.example/@channel",
    "https://evil.example/youtube.com/@channel", "https://evil.example#youtube.com/@channel",
    "https://www.youtube.com:pw@evil.example/@channel", "gopher://youtube.com/@channel",
    "https://youtube.com\\@evil.example/@channel", "https://[::1]/@channel", "//evil.example/@channel",
    "https://2130706433/@channel", "ftp://youtube.com/@channel",
)  # fmt: skip


@pytest.mark.parametrize("text", ELSEWHERE)
def test_only_youtubes_own_addresses_name_a_channel(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_reference(text)


HOSTILE: Final = (
    "https://youtube.com/user/%2e%2e%2f%2e%2e%2fevil", "https://youtube.com/c/..%2f..%2fx",
    "https://youtube.com/user/http:%2f%2f127.0.0.1", "https://youtube.com/c/x%3fkey=1%23",
    "https://youtube.com/user/@127.0.0.1", "https://youtube.com/c/%5c%5cevil.example",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
async def test_a_hostile_name_stays_a_part_of_the_requested_path(text: str) -> None:
    reference = parse_reference(text)
    async with running_youtube() as running:
        with pytest.raises(ChannelNotFound):
            await YouTubeFeed(running.http).resolve(reference)
        paths = [request.path for request in running.youtube.received]
    assert paths
    assert {path.split("/")[1] for path in paths} <= {"user", "c"}


@pytest.mark.parametrize("text", ["https://youtube.com/user/%00", "https://youtube.com/c/a%0d%0ab"])
def test_a_name_with_control_characters_names_nothing(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_reference(text)
