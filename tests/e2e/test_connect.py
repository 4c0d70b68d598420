"""The real programs read what `sponsorgraph connect` has written, and list the service."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.clients.node_programs import newest_node
from tests.e2e.conftest import RunningStack
from tests.frameworks.install import NODE, node_is_fresh

_SECONDS: Final = 90
pytestmark = [pytest.mark.node, pytest.mark.timeout(_SECONDS * 2)]


@dataclass(frozen=True, slots=True)
class Listing:
    """How a program lists its servers.

    Attributes:
        folder: Of tests/frameworks, in which it is installed.
        program: Below its packages.
        by_login: What it says of the service before anybody has logged in.
        by_key: What it says with a key.
        skills: By which arguments it lists its skills; none where it does so for a model alone.
    """

    folder: str
    program: str
    by_login: str
    by_key: str
    skills: tuple[str, ...] = ()

    def command(self) -> list[str]:
        """Return the command; skips the test where the program is missing."""
        if not node_is_fresh(self.folder):
            by = f"`python -m tests.frameworks.install {self.folder}`"
            pytest.skip(f"tests/frameworks/{self.folder} is not installed ({by})")
        file = str(NODE / self.folder / "node_modules" / self.program)
        return [newest_node(), file] if file.endswith(".js") else [file]


LISTINGS: Final = {
    "claude-code": Listing(
        "command_lines_large",
        "@anthropic-ai/claude-code-linux-x64/claude",
        r"sponsorgraph: \S+ \(HTTP\) - . Needs authentication",
        r"sponsorgraph: \S+ \(HTTP\) - . Connected",
    ),
    "codex": Listing(
        "command_lines_large",
        "@openai/codex/bin/codex.js",
        r"sponsorgraph +\S+ +- +enabled +Not logged in",
        r"sponsorgraph +\S+ +SPONSORGRAPH_API_KEY +enabled +Bearer token",
        ("debug", "prompt-input", "hello"),
    ),
    "gemini": Listing(
        "command_lines",
        "@google/gemini-cli/bundle/gemini.js",
        r"sponsorgraph: \S+ \(http\) - Disconnected",
        r"sponsorgraph: \S+ \(http\) - Connected",
        ("skills", "list"),
    ),
    "opencode": Listing(
        "command_lines",
        "opencode-linux-x64/bin/opencode",
        r"sponsorgraph \S*needs authentication",
        r"sponsorgraph \S*connected",
        ("debug", "skill"),
    ),
}


COMMAND: Final = (str(Path(NODE).parents[1] / ".venv" / "bin" / "sponsorgraph"), "connect")


@pytest.fixture
def run(stack: RunningStack, tmp_path: Path) -> Callable[..., str]:
    """Run programs with a home of their own, and return what they print."""
    environment = {
        "PATH": f"{Path(newest_node()).parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "SPONSORGRAPH_HOME": str(stack.home),
        "SPONSORGRAPH_API_KEY": stack.connection["api_key"],
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "OPENCODE_DISABLE_MODELS_FETCH": "true",
        "OPENCODE_DISABLE_AUTOUPDATE": "true",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }

    def run(*command: str) -> str:
        ended = subprocess.run(
            command,
            env=environment,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
        assert ended.returncode == 0, ended.stdout
        return ended.stdout

    return run


@pytest.mark.parametrize("client", LISTINGS)
@pytest.mark.parametrize("by", ["login", "key"])
def test_the_program_lists_the_service_after_connect_and_not_after_remove(
    client: str, by: str, stack: RunningStack, run: Callable[..., str]
) -> None:
    listing = LISTINGS[client]
    command = listing.command()
    sponsorgraph = (
        str(Path(NODE).parents[1] / ".venv" / "bin" / "sponsorgraph"),
        "connect",
        client,
    )
    run(*sponsorgraph, "--key" if by == "key" else "--oauth")
    printed = run(*command, "mcp", "list")
    assert stack.connection["mcp_url"] in printed
    assert re.search(getattr(listing, f"by_{by}"), printed), printed
    run(*sponsorgraph, "--remove")
    assert stack.connection["mcp_url"] not in run(*command, "mcp", "list")


@pytest.mark.parametrize("client", [name for name, listing in LISTINGS.items() if listing.skills])
def test_the_program_lists_the_skill(client: str, run: Callable[..., str]) -> None:
    listing = LISTINGS[client]
    command = listing.command()
    assert "brand deals" not in run(*command, *listing.skills)
    run(*COMMAND, client, "--skill")
    printed = run(*command, *listing.skills)
    assert "Answers questions about YouTube sponsorships" in printed
    assert "brand deals or promo codes" in printed
