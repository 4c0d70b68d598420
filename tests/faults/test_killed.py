"""`kill -9` of each service in turn, under load; the supervisor starts it again."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.faults.reliability import IS_WHOLE
from tests.faults.services import SERVICES, Running
from tests.faults.trial import trial

pytestmark = [pytest.mark.timeout(240)]

AUTH_SECONDS = 60.0 if IS_WHOLE else 40.0
"""Longer than GATEWAY_CREDENTIAL_TTL_SECONDS, which is 30."""

PROMISED = {
    "gateway": "calls under way are cut, new ones refused, until it is there again",
    "catalog_service": "503 to what asks the catalogue; lists, usage and kept answers go on",
    "auth_service": "callers who are known go on",
    "import_worker": "503 to what asks for imports; all else goes on",
    "import_jobs": "nobody notices; the import goes on from its last page",
}


@pytest.mark.parametrize("name", SERVICES)
async def test_a_killed_service_costs_no_count_and_is_back_within_seconds(
    shared: Running, name: str
) -> None:
    async with trial(shared) as it:
        before = shared.pid(name)
        it.broke = time.monotonic()
        await shared.kill(name)
        it.returned = await shared.come_back(name, before)
        await it.recovers()
    if name != "gateway":
        it.assert_goes_on_without(name)
    await it.keeps_its_promises("processes", f"`kill -9` of {name}", PROMISED[name])


async def test_callers_who_are_known_go_on_though_every_credential_has_to_be_resolved_anew(
    shared: Running,
) -> None:
    async with trial(shared) as it:
        before = shared.pid("auth_service")
        it.broke = time.monotonic()
        async with shared.away("auth_service"):
            await asyncio.sleep(AUTH_SECONDS)
        it.returned = await shared.come_back("auth_service", before)
        await it.recovers()
    it.assert_goes_on_without("auth_service")
    await it.keeps_its_promises(
        "processes",
        f"`kill -9` of auth_service, away for {AUTH_SECONDS:.0f} s",
        "callers who are known go on, at reduced limits after 30 s",
    )
