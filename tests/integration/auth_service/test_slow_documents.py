"""Unresponsive client sites delay only the requests that wait for them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable

import httpx2
import pytest

from tests.clients.oauth import OAuthClient
from tests.fakes.client_site import running_client_site
from tests.integration.auth_service.conftest import Meeting, running, settings_of

WAITING = 45
"""Requests at once for clients whose sites do not respond; Postgres has eight connections."""


@pytest.fixture
async def meeting(
    fresh_database: Callable[[], str],
    valkey_url: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncGenerator[Meeting]:
    settings = settings_of(fresh_database(), valkey_url, tmp_path_factory.mktemp("mails"))
    async with (
        running_client_site() as site,
        running(settings, fetcher=site.fetcher()) as opened,
    ):
        yield Meeting(opened, site)


def addressed() -> dict[str, str]:
    return {"X-Forwarded-For": f"203.0.113.{secrets.randbelow(250)}"}


async def statuses(http: httpx2.AsyncClient, clients: list[OAuthClient]) -> list[int]:
    requests = (http.get(client.authorize_url(), headers=addressed()) for client in clients)
    return [response.status_code for response in await asyncio.gather(*requests)]


async def test_others_are_served_while_sites_of_clients_are_unresponsive(meeting: Meeting) -> None:
    service = meeting.service
    # Most wait for one document, whose fetch they share: only so many are fetched at once.
    slow = [meeting.client("/slow")] * WAITING + [meeting.client(f"/slow/{at}") for at in range(9)]
    registered = await service.client()
    async with httpx2.AsyncClient(timeout=30) as http:
        waiting = asyncio.create_task(statuses(http, slow))
        await meeting.site.requested(1)
        for _ in range(5):
            assert not waiting.done()
            response = await registered.refresh("rt_unknown")
            assert response.status_code == 400
            assert (await service.client()).client_id
        assert not waiting.done()
        meeting.site.responses.set()
        found = await waiting
    assert found[:WAITING] == [303] * WAITING
    assert set(found[WAITING:]) == {303, 503}
