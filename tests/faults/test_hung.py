"""SIGSTOP of each service for ten seconds or a minute, under load: it hangs, and its connections stay.

The minute of the auth service is of `make reliability` alone: in every run it is killed for as long,
which callers notice the same way (test_killed.py).
"""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.faults.reliability import IS_WHOLE
from tests.faults.services import SERVICES, Running
from tests.faults.trial import trial

pytestmark = [pytest.mark.timeout(240)]

HUNG_SECONDS = 10.0
AUTH_SECONDS = 60.0
"""Longer than GATEWAY_CREDENTIAL_TTL_SECONDS: every credential has to be resolved anew meanwhile."""

CATALOG_SECONDS = 5.0
"""GATEWAY_CATALOG_TIMEOUT_SECONDS: the longest that a caller waits for the catalogue."""

PROMISED = {
    "gateway": "callers wait, and are answered when it goes on",
    "catalog_service": "503 within 5 s to what asks the catalogue; all else goes on",
    "auth_service": "callers who are known go on, at reduced limits after 30 s",
    "import_worker": "what asks for imports waits, for 20 s at most; all else goes on",
    "import_jobs": "nobody notices; the import goes on",
}


@pytest.mark.parametrize("name", SERVICES)
async def test_a_hung_service_disturbs_only_callers_that_need_it(
    shared: Running, name: str
) -> None:
    hung = AUTH_SECONDS if IS_WHOLE and name == "auth_service" else HUNG_SECONDS
    async with trial(shared) as it:
        it.broke = time.monotonic()
        async with shared.hung(name):
            await asyncio.sleep(hung)
        it.returned = time.monotonic()
        await it.recovers()
    if name != "gateway":
        it.assert_goes_on_without(name)
    assert [call for call in it.load.calls if not call.is_clear] == []
    if name == "catalog_service":
        waits = [call.ended - call.sent for call in it.load.calls]
        assert max(waits) < 1.5 * CATALOG_SECONDS
    await it.keeps_its_promises("processes", f"SIGSTOP of {name} for {hung:.0f} s", PROMISED[name])
