"""`sponsorgraph call` against a gateway."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path

import httpx2
import pytest
import typer
from typer.testing import CliRunner, Result

from cli.commands.call import call
from cli.service.http import Http
from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import KEY, principal

Run = Callable[..., Awaitable[Result]]
app = typer.Typer()
app.command()(call)


@pytest.fixture
def run(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Run]:
    environment = {
        "SPONSORGRAPH_API_KEY": KEY,
        "XDG_CONFIG_HOME": str(tmp_path),
        "COLUMNS": "200",
    }

    async def invoke(*arguments: str) -> Result:
        words = (*arguments, "--url", url)
        return await asyncio.to_thread(CliRunner().invoke, app, words, env=environment)

    with httpx2.HTTPTransport() as transport:
        monkeypatch.setattr("cli.commands.call.http_client", lambda: Http(transport))
        yield invoke


@pytest.mark.parametrize("name", ["list.create", "list_create"])
async def test_a_tool_that_the_plan_lacks_is_refused_in_the_service_s_own_words(
    run: Run, backends: Backends, name: str
) -> None:
    backends.access.give(KEY, principal(plan_name="Free", features=()))
    refused = await run(name, "name=Mine")
    assert refused.exit_code == 1
    assert "The plan Free does not include list.create." in refused.output
    assert "no tool" not in refused.output.lower()


async def test_only_a_tool_that_the_service_does_not_know_is_unknown(run: Run) -> None:
    unknown = await run("list.creat", "name=Mine")
    assert unknown.exit_code == 1
    assert "Unknown tool: list.creat. Did you mean list.create" in unknown.output
    known = await run("sponsor_search", "search=x")
    assert (known.exit_code, "sponsors" in json.loads(known.output)) == (0, True)
