"""The addresses that the fetcher of client documents may connect to."""

import asyncio
import socket
import threading
from typing import Any

import pytest

from auth_service.clients.document_fetcher import DocumentFetcher, Forbidden
from auth_service.clients.public_addresses import is_public


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "0.0.0.0", "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1",
        "::1", "::", "fc00::1", "fec0::1", "feff::1", "fe80::1", "fe80::1%eth0", "ff02::1", "2001:db8::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "64:ff9b:1::1", "64:ff9b::7f00:1",
        "::127.0.0.1", "::160.79.104.10", "5f00::1", "4000::1", "100::1", "1000::1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public_are_refused(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["160.79.104.10", "2607:6bc0::10", "::ffff:160.79.104.10"])
def test_public_addresses_are_accepted(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "behind", [["10.0.0.1"], ["160.79.104.10", "127.0.0.1"], ["fec0::1", "160.79.104.10"], []]
)
async def test_a_name_with_any_private_address_is_not_visited(behind: list[str]) -> None:
    async def resolver(_host: str) -> list[str]:
        return behind

    with pytest.raises(Forbidden):
        await DocumentFetcher(5120, resolver=resolver).fetch("https://app.example/c.json")


async def test_unresponsive_name_servers_hold_up_no_other_work_in_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    released, started = threading.Event(), threading.Semaphore(0)

    def silent(*_: Any, **__: Any) -> list[Any]:
        started.release()
        released.wait(60)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", silent)
    fetcher = DocumentFetcher(5120)
    fetches = [
        asyncio.create_task(fetcher.fetch(f"https://h{at}.example/c.json")) for at in range(64)
    ]
    try:
        while not started.acquire(blocking=False):  # noqa: ASYNC110 - a thread sets it
            await asyncio.sleep(0.01)
        assert await asyncio.wait_for(asyncio.to_thread(lambda: "done"), 20) == "done"
    finally:
        released.set()
        await asyncio.gather(*fetches, return_exceptions=True)
