"""Every agent program connects to a running stack, is offered its tools by a model that refuses what the
provider refuses, has the model call one, and ends with the model's sentence about the result."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

from scripts.gen_clients import FRAMEWORKS, PAGE, page_of_repository
from tests.clients.programs import printed_by
from tests.e2e.conftest import RunningStack, start
from tests.frameworks.invented_arguments import LIMIT
from tests.frameworks.model import Model, running_model
from tests.frameworks.programs import PROGRAMS, Program, rows

SECONDS: Final = 170
PROMPT: Final = "Which brands sponsored the most videos? Use the tool sponsor_top."

pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(SECONDS + 30, func_only=True)]


@pytest.fixture(scope="module")
def passed() -> dict[str, str]:
    """How each program went, for the record."""
    return {}


@pytest.fixture(params=PROGRAMS)
def key(request: pytest.FixtureRequest) -> str:
    """A program whose environment is there."""
    PROGRAMS[request.param].command()  # skips where something is missing
    return request.param


@pytest.fixture(scope="module")
def stack_of_frameworks(tmp_path_factory: pytest.TempPathFactory) -> Generator[RunningStack]:
    running = start(tmp_path_factory.mktemp("frameworks") / "home")
    try:
        yield running
    finally:
        running.end()


async def test_the_model_calls_a_tool_and_the_program_ends_with_what_it_says(
    key: str, request: pytest.FixtureRequest, tmp_path: Path, passed: dict[str, str]
) -> None:
    program = PROGRAMS[key]
    stack: RunningStack = request.getfixturevalue("stack_of_frameworks")
    if program.expected_failure:
        passed[key] = program.expected_failure
        request.applymarker(pytest.mark.xfail(reason=program.expected_failure, strict=True))
    best = stack.tool_result("sponsor.top", {"limit": LIMIT})["sponsors"][0]["sponsor"]["name"]
    used = _used(stack)
    with running_model() as model:
        printed = await _printed(program, stack.connection, model, tmp_path)
    assert model.refused == []
    assert not [name for name in model.offered if "." in name]
    assert _used(stack) > used
    assert f"The first rank is {best}." in printed
    passed[key] = "yes"


def _used(stack: RunningStack) -> int:
    return stack.tool_result("account.usage", {})["requests_used"]


async def _printed(program: Program, connection: dict[str, Any], model: Model, home: Path) -> str:
    """Run the program with a home of its own and nothing of this machine's environment."""
    arguments = [connection["mcp_url"], connection["api_key"], model.url, PROMPT, program.mode]
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    try:
        return await printed_by([*program.command(), *arguments], home, environment, SECONDS)
    except AssertionError as error:
        raise AssertionError(f"{model.refused} {error}") from None


def test_the_record_holds_how_it_went(passed: dict[str, str]) -> None:
    """WRITE_FRAMEWORKS=1 writes it after a whole run, with the page of clients."""
    seen = rows(passed)
    if os.environ.get("WRITE_FRAMEWORKS") and passed.keys() == PROGRAMS.keys():
        FRAMEWORKS.write_text(json.dumps(seen, indent=1, ensure_ascii=False) + "\n")
        PAGE.write_text(page_of_repository())
    recorded = json.loads(FRAMEWORKS.read_text())
    assert [row for row in seen if row not in recorded] == []
