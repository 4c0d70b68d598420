"""The clients of the matrix, the steps that they take, and the record of how that went."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest

from tests.clients.node_programs import FOLDER, modern_node
from tests.clients.programs import printed_by

ROOT: Final = Path(__file__).resolve().parents[2]
SECONDS: Final = 110
"""Longest time of a client for its steps."""

STEPS: Final = (
    "connect",
    "tools",
    "call",
    "quota",
    "plan",
    "argument",
    "down",
    "progress",
    "cancel",
    "read",
    "prompt",
    "complete",
)


@dataclass(frozen=True, slots=True)
class Client:
    """A program that connects.

    Attributes:
        name: For people.
        version: Of its package; None where the machine brings it.
        command: What its script is started with; `URL KEY STEP…` follow. Skips the test where
            something is missing.
        is_stateless: It is to speak 2026-07-28.
        cannot: Steps that it has no way to take, each with the reason.
    """

    name: str
    version: Callable[[], str | None]
    command: Callable[[], list[str]]
    is_stateless: bool = False
    cannot: Mapping[str, str] = field(default_factory=dict[str, str])


def _python(module: str, *arguments: str) -> Callable[[], list[str]]:
    return lambda: [sys.executable, "-m", f"tests.clients.{module}", *arguments]


def _sdk1() -> list[str]:
    python = ROOT / ".venv-mcp1" / "bin" / "python"
    if not python.exists():
        pytest.skip("the environment .venv-mcp1 with mcp 1.x is missing (.ci/run makes it)")
    return [str(python), "-m", "tests.clients.python_sdk1"]


def _curl() -> list[str]:
    if shutil.which("curl") is None:
        pytest.skip("curl is missing")
    return _python("curl")()


def _node(script: str, *arguments: str) -> Callable[[], list[str]]:
    return lambda: [modern_node(), str(FOLDER / script), *arguments]


def _by_node(module: str) -> Callable[[], list[str]]:
    return lambda: [*_python(module)(), modern_node()]


def _installed(package: str) -> Callable[[], str]:
    return lambda: version(package)


def _locked(package: str) -> Callable[[], str]:
    """The version of an npm package that the tests install."""
    packages = json.loads((FOLDER / "package.json").read_text())["dependencies"]
    return lambda: packages[package]


def _sdk1_version() -> str:
    """The version of `mcp` that .venv-mcp1 is locked to."""
    lines = (ROOT / "requirements" / "mcp1.lock").read_text().splitlines()
    return next(line.split("==")[1].split()[0] for line in lines if line.startswith("mcp=="))


_ONE_EACH: Final = "one run of the program is one request, and ending the program ends it"
_LISTED_ONLY: Final = (
    "the program calls no tool that is not listed, and the plan's list lacks this one"
)
_SILENT: Final = "the program shows no progress"
_NO_COMPLETION: Final = "the program has no command for completions"

_CLIENT2: Final = _locked("@modelcontextprotocol/client")

CLIENTS: Final = {
    "python1": Client("Python SDK 1", _sdk1_version, _sdk1),
    "python2-auto": Client(
        "Python SDK 2, auto", _installed("mcp"), _python("python_sdk2", "auto"), is_stateless=True
    ),
    "python2-legacy": Client(
        "Python SDK 2, legacy", _installed("mcp"), _python("python_sdk2", "legacy")
    ),
    "fastmcp": Client(
        "fastmcp client", _installed("fastmcp"), _python("fastmcp_client"), is_stateless=True
    ),
    "typescript1": Client(
        "TypeScript SDK 1", _locked("@modelcontextprotocol/sdk"), _node("sdk1.mjs")
    ),
    "typescript2-auto": Client(
        "TypeScript client 2, auto", _CLIENT2, _node("client2.mjs", "auto"), is_stateless=True
    ),
    "typescript2-modern": Client(
        "TypeScript client 2, pinned to 2026-07-28",
        _CLIENT2,
        _node("client2.mjs", "modern"),
        is_stateless=True,
    ),
    "typescript2-legacy": Client(
        "TypeScript client 2, legacy", _CLIENT2, _node("client2.mjs", "legacy")
    ),
    "mcp-remote": Client("mcp-remote", _locked("mcp-remote"), _by_node("mcp_remote")),
    "inspector": Client(
        "Inspector, command line",
        _locked("@modelcontextprotocol/inspector"),
        _by_node("inspector"),
        cannot={
            "plan": _LISTED_ONLY,
            "progress": _SILENT,
            "cancel": _ONE_EACH,
            "complete": _NO_COMPLETION,
        },
    ),
    "curl": Client("curl", lambda: None, _curl),
}


async def take_steps(client: Client, url: str, key: str, *steps: str) -> dict[str, Any]:
    """Return what the client's user saw of each step. The client has a home of its own."""
    with TemporaryDirectory() as home:
        printed = await printed_by(
            [*client.command(), url, key, *steps], ROOT, _environment(home), SECONDS
        )
    lines = [json.loads(line) for line in printed.splitlines()]
    return {line["step"]: line["seen"] for line in lines}


def _environment(home: str) -> dict[str, str]:
    return {
        **os.environ,
        "HOME": home,
        "MCP_REMOTE_CONFIG_DIR": home,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }


@dataclass(slots=True)
class Record:
    """Write what each client was seen to do. The page has no times, so it changes only with the clients."""

    seen: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])

    def record(self, client: str, step: str, status: str) -> None:
        self.seen.setdefault(client, {})[step] = status

    def missing(self) -> list[str]:
        """Steps that clients can take and did not, as "client step"."""
        return [
            f"{key} {step}"
            for key, client in CLIENTS.items()
            for step in STEPS
            if step not in client.cannot and step not in self.seen.get(key, {})
        ]

    def as_json(self) -> str:
        runs_seen: list[dict[str, Any]] = [
            {
                "name": client.name,
                "version": client.version(),
                "seen": {step: self.seen[key][step] for step in STEPS if step in self.seen[key]},
                "cannot": dict(client.cannot),
            }
            for key, client in CLIENTS.items()
        ]
        return json.dumps(runs_seen, indent=1, ensure_ascii=False) + "\n"
