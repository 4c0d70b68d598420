"""The official conformance suite's scenarios of the Tasks extension, on the suite's own tools."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.clients.node_programs import FOLDER, modern_node
from tests.conformance.tasks_server import serving_tasks
from tests.fakes.backends import running_backends
from tests.fakes.gateway_ports import KEY, principal
from tests.integration.gateway.conftest import settings_for

SUITE = FOLDER / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
SCENARIOS = (
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-required-task-error",
)
"""All but one that is still to be written in the suite itself, tasks-status-notifications."""


@pytest.mark.node
@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_the_suite_finds_tasks_as_they_have_to_be(
    scenario: str, fresh_valkey: str, tmp_path: Path
) -> None:
    checks = await checked(scenario, fresh_valkey, tmp_path)
    assert [check for check in checks if check["status"] != "SUCCESS"] == []
    assert len(checks) > 1, "the suite's own check of every message is one of them"


async def checked(scenario: str, valkey: str, folder: Path) -> list[Any]:
    """What the suite says of each check of a scenario."""
    node = modern_node()
    if not SUITE.exists():
        pytest.skip("the conformance suite is not installed (.ci/run installs it)")
    async with running_backends() as backends:
        backends.access.give(KEY, principal())
        async with serving_tasks(settings_for(backends, valkey), KEY) as url:
            running = await asyncio.create_subprocess_exec(
                *(node, str(SUITE), "server", "--url", url, "--scenario", scenario),
                *("-o", str(folder)),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
            printed, _ = await running.communicate()
    return _checks(folder, printed.decode())


def _checks(folder: Path, printed: str) -> list[Any]:
    found = list(folder.glob("*/checks.json"))
    assert len(found) == 1, printed[-4000:]
    return json.loads(found[0].read_text())
