"""Plain clients read, are sent to their user for the scope of imports, import, and go on reading."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.clients.node_programs import modern_node
from tests.clients.person import PASSWORD, Person
from tests.e2e.channel_imports import ImportStack, import_stack, made_channel
from tests.e2e.prepared_home import prepare_home

ROOT: Final = Path(__file__).resolve().parents[2]
NODE: Final = ROOT / "tests" / "clients" / "node"
SDK_1: Final = ROOT / ".venv-mcp1" / "bin" / "python"
SECONDS: Final = 90
_OPEN: Final = re.compile(r"^OPEN (\S+)\n", re.MULTILINE)


@pytest.fixture(scope="module")
def imports(tmp_path_factory: pytest.TempPathFactory) -> Generator[ImportStack]:
    home = prepare_home(tmp_path_factory, tmp_path_factory.mktemp("step-up") / "home")
    with import_stack(home) as opened:
        yield opened


async def run(person: Person, *command: str) -> Any:
    """Runs a client; the person approves all that it opens. The summary that it printed last."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=NODE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdin
    assert process.stdout
    printed, opened = "", 0
    try:
        async with asyncio.timeout(SECONDS):
            while chunk := await process.stdout.read(65_536):
                printed += chunk.decode()
                urls = _OPEN.findall(printed)
                for url in urls[opened:]:
                    location = await person.decide(url)
                    process.stdin.write(f"{location}\n".encode())
                opened = len(urls)
            await process.wait()
    except TimeoutError:
        raise AssertionError(f"no end after {SECONDS} s:\n{printed}") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, printed
    return json.loads(printed.strip().splitlines()[-1])


async def person_of(imports: ImportStack) -> Person:
    """Somebody whose plan has imports, logged in."""
    stack = imports.stack
    person = Person(stack.connection["site_url"])
    await person.log_in(stack.account("creator", PASSWORD))
    return person


def check(summary: dict[str, Any]) -> None:
    first, second = (set(scope.split()) for scope in summary["requested"])
    assert "channels:import" not in first
    assert {"catalog:read", "channels:import"} <= second
    assert first <= second
    assert {"catalog:read", "channels:import"} <= set(summary["scope"].split())
    assert summary["imported"] in ("queued", "running", "done")
    assert summary["found"] == ["NordVPN", "NordVPN"]


async def test_the_typescript_sdk_reads_imports_and_reads_again(imports: ImportStack) -> None:
    node, channel = modern_node(), made_channel("typed", 60)
    imports.source.show(channel)
    url = imports.stack.connection["mcp_url"]
    async with await person_of(imports) as person:
        check(await run(person, node, "oauth_step_up1.mjs", url, "@typed"))


async def test_the_python_sdk_reads_imports_and_reads_again(imports: ImportStack) -> None:
    if not SDK_1.exists():
        pytest.skip(".venv-mcp1 is missing (.ci/run makes it)")
    imports.source.show(made_channel("snake", 60))
    url = imports.stack.connection["mcp_url"]
    async with await person_of(imports) as person:
        check(await run(person, str(SDK_1), "-m", "tests.clients.python_step_up1", url, "@snake"))
