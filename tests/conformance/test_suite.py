"""The protocol's official conformance suite, against the fixtures and against the product as it is.

https://github.com/modelcontextprotocol/conformance
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.clients.node_programs import FOLDER, modern_node
from tests.conformance.server import product, with_fixtures
from tests.fakes.backends import Backends, running_backends
from tests.fakes.gateway_ports import KEY, principal

pytestmark = pytest.mark.node

PROGRAM = FOLDER / "node_modules/@modelcontextprotocol/conformance"
REVISIONS = pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
EXPECTED = Path(__file__).parent / "expected_failures"
BEYOND = {
    "2025-11-25": {"json-schema-2020-12", "server-session-lifecycle", "server-sse-polling"},
    "2026-07-28": {
        "json-schema-2020-12",
        "http-header-validation",
        "http-custom-header-server-validation",
        "tasks-lifecycle",
        "tasks-capability-negotiation",
        "tasks-wire-fields",
        "tasks-request-state-removal",
        "tasks-mrtr-input",
        "tasks-request-headers",
        "tasks-dispatch-and-envelope",
        "tasks-required-task-error",
        "tasks-mrtr-composition",
    },
}
"""Scenarios that a revision does not require and the gateway passes."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run of the suite.

    Attributes:
        code: Exit code.
        passed: Scenarios without a failed check.
        failed: By scenario, the checks that failed or warned, for people.
        printed: Everything that it printed.
    """

    code: int
    passed: set[str]
    failed: dict[str, list[str]]
    printed: str


@pytest.fixture
async def backends() -> AsyncGenerator[Backends]:
    async with running_backends() as running:
        running.access.give(KEY, principal())
        yield running


async def run(url: str, folder: Path, *options: str) -> Outcome:
    """Runs the suite against the server at `url`; `folder` takes what it writes."""
    node = modern_node()
    if not PROGRAM.exists():
        pytest.skip("the conformance suite is not installed (.ci/run installs it)")
    command = [node, str(PROGRAM / "dist/index.js"), "server", "--url", url, *options]
    running = await asyncio.create_subprocess_exec(
        *command,
        *("-o", str(folder)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await running.communicate()
    printed = output.decode()
    passed = set(re.findall(r"^✓ (\S+): ", printed, re.MULTILINE))
    return Outcome(running.returncode or 0, passed, _failures(folder), printed)


def _failures(folder: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for file in sorted(folder.glob("*/checks.json")):
        checks: list[dict[str, Any]] = json.loads(file.read_text())
        failed = [
            f"{check['id']}: {check.get('errorMessage')}"
            for check in checks
            if check["status"] in ("FAILURE", "WARNING")
        ]
        if failed:
            found[_scenario(file.parent.name)] = failed
    return found


def _scenario(folder: str) -> str:
    """Of a folder of results, whose name is `server-<scenario>-<time>`."""
    return re.sub(r"-\d{4}-\d\d-\d\dT.*", "", folder.removeprefix("server-"))


@REVISIONS
async def test_every_required_scenario_passes_with_the_fixtures(
    backends: Backends, fresh_valkey: str, tmp_path: Path, revision: str
) -> None:
    async with with_fixtures(backends, fresh_valkey) as url:
        outcome = await run(url, tmp_path, "--requirements", revision)
    assert outcome.code == 0, outcome.printed
    assert BEYOND[revision] <= outcome.passed, outcome.failed
    assert not outcome.failed


@REVISIONS
async def test_the_product_fails_only_what_is_expected_with_a_reason(
    backends: Backends, fresh_valkey: str, tmp_path: Path, revision: str
) -> None:
    expected = ("--expected-failures", str(EXPECTED / f"{revision}.yaml"))
    async with product(backends, fresh_valkey) as url:
        outcome = await run(url, tmp_path, "--requirements", revision, *expected)
    assert outcome.code == 0, outcome.printed
