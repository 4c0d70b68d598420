"""`kill -9` of each service in turn, under load; the supervisor starts it again."""

from __future__ import annotations

import time

import pytest

from tests.faults.running import SERVICES, Running
from tests.faults.trial import trial

pytestmark = [pytest.mark.timeout(240)]

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
