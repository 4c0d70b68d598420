"""The official client library for tasks, on the official client, in front of the gateway."""

import pytest

from tests.clients.tasks import run_task
from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import KEY
from tests.integration.gateway.test_tasks import add_import

pytestmark = pytest.mark.node

CHANNEL = {"channel": "@example"}


def ends_as(backends: Backends, state: str) -> None:
    """The import ends after the client has polled it once."""
    now = add_import(backends)

    async def end_after_first_poll() -> None:
        if [name for name, _ in backends.requests].count("GetImport") > 1:
            now.state = state

    backends.before_response = end_after_first_poll


async def test_the_library_follows_a_task_to_its_result(url: str, backends: Backends) -> None:
    ends_as(backends, "done")
    seen = await run_task(url, KEY, "follow", CHANNEL)
    assert (seen["kind"], seen["statuses"][0]) == ("task", "working")
    assert seen["outcome"]["status"] == "completed"
    assert seen["outcome"]["result"]["structuredContent"]["state"] == "done"


async def test_another_process_goes_on_with_a_task_that_was_left(
    url: str, backends: Backends
) -> None:
    ends_as(backends, "failed")
    reference = await run_task(url, KEY, "leave", CHANNEL)
    seen = await run_task(url, KEY, "resume", reference)
    assert seen["outcome"]["status"] == "completed"
    result = seen["outcome"]["result"]
    assert result["isError"] is True
    assert result["structuredContent"]["state"] == "failed"


async def test_the_library_cancels_a_task(url: str, backends: Backends) -> None:
    add_import(backends)
    seen = await run_task(url, KEY, "cancel", CHANNEL)
    assert seen["outcome"]["status"] == "cancelled"
    assert backends.imports["account-1", "imp_1"].state == "cancelled"
