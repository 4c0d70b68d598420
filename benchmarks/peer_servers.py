"""The measured servers: our stack, our code in one process, the peers and the floor."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil

from benchmarks import load
from benchmarks.load import Target
from benchmarks.queries import ECHO, LIST, SAME, SEARCH, Workload
from benchmarks.stack import BenchStack
from devstack.ports import HOST, free_port

OURS: Final = "sponsorgraph, all services"
ONE_PROCESS: Final = "sponsorgraph, gateway and catalog in one process"
TWO_GATEWAYS: Final = "sponsorgraph, two gateway processes on the port"
FLOOR: Final = "raw uvicorn"
LIST_FLOOR: Final = "raw uvicorn, as many bytes"
_EVERYTHING: Final = frozenset((SEARCH, SAME, LIST))
_OURS: Final[Mapping[str, tuple[frozenset[str], tuple[str, ...]]]] = {
    ONE_PROCESS: (frozenset((SEARCH,)), ("auth_service",)),
    TWO_GATEWAYS: (_EVERYTHING, ("catalog_service", "auth_service")),
}
"""Our code in other forms: what it is measured with, and which of the stack's services it uses."""

_FLOORS: Final = {FLOOR: ECHO, LIST_FLOOR: LIST}
"""Peers whose responses need no check, with their method of measurement."""
_NODE: Final = Path(__file__).parent / "peers" / "node"
_START_SECONDS: Final = 20.0
_PYTHON_PEERS: Final = {
    "Python SDK mcp, low-level server": "mcp_lowlevel",
    "Python SDK mcp, MCPServer": "mcp_server",
    "FastMCP": "fastmcp_server",
}
_TYPESCRIPT: Final = "TypeScript SDK, low-level Server on node:http"


@dataclass(frozen=True, slots=True)
class Contender:
    """One of them, running.

    Attributes:
        name: As in the table.
        target: Where it listens.
        own: Its processes, by name.
        engines: Those of the engines that it uses, by name.
        workloads: What it is measured with.
        is_peer: Whether it is someone else's server.
    """

    name: str
    target: Target
    own: Mapping[str, psutil.Process]
    engines: Mapping[str, psutil.Process]
    workloads: frozenset[str]
    is_peer: bool = False

    def cpu_seconds(self) -> dict[str, float]:
        """CPU time used so far, by process, with its children."""
        return {name: _cpu(process) for name, process in {**self.own, **self.engines}.items()}

    def memory_mb(self) -> dict[str, float]:
        """Proportional set size of its own processes; Postgres is everyone's and is left out.

        Processes share pages of programs and libraries: this counts each of them once, resident memory once a process.
        """
        return {name: _pss(process) for name, process in self.own.items()}


@dataclass(frozen=True, slots=True)
class Field:
    """All contenders, and why some are missing."""

    contenders: Sequence[Contender]
    skipped: Mapping[str, str]


@contextmanager
def contestants(stack: BenchStack, search: Workload) -> Generator[Field]:
    """Our stack, peers and floors: who can be started here, peers checked to answer as we do."""
    ours = Contender(OURS, stack.target, stack.services, stack.engines, _EVERYTHING)
    tools = stack.folder / "tools.json"
    tools.write_text(
        json.dumps(_result(ours, b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')["tools"])
    )
    skipped = dict[str, str]()
    with _running(stack, search, ours, _others(stack, tools, skipped), skipped) as field:
        yield Field((ours, *field.contenders), field.skipped)


@contextmanager
def other_forms(stack: BenchStack, search: Workload) -> Generator[Field]:
    """Our own code in other forms. Apart from the rest: each takes a share of the ledger's work."""
    ours = Contender(OURS, stack.target, stack.services, stack.engines, _EVERYTHING)
    with _running(stack, search, ours, _own(stack), dict[str, str]()) as field:
        yield field


_Command = tuple[str, list[str], Mapping[str, str]]
"""Name, command without its port (a `PORT` in it), and environment."""


@contextmanager
def _running(
    stack: BenchStack,
    search: Workload,
    ours: Contender,
    commands: Iterable[_Command],
    skipped: dict[str, str],
) -> Generator[Field]:
    contenders: list[Contender] = []
    with ExitStack() as running:
        for name, command, environment in commands:
            try:
                contender = _started(running, name, command, environment, stack)
                if name not in _FLOORS:
                    _check_same(ours, contender, search)
            except (OSError, ValueError, KeyError) as error:
                skipped[name] = str(error)
                continue
            contenders.append(contender)
        yield Field(contenders, skipped)


def _own(stack: BenchStack) -> Generator[_Command]:
    python = [sys.executable, "-m"]
    gateway = stack.environments["gateway"]
    environment = {**stack.environments["catalog_service"], **gateway, "GATEWAY_PORT": "PORT"}
    yield ONE_PROCESS, [*python, "benchmarks.peers.one_process"], environment
    two = {**gateway, "GATEWAY_PORT": "PORT", "GATEWAY_WORKERS": "2"}
    yield TWO_GATEWAYS, [*python, "gateway"], two


def _others(stack: BenchStack, tools: Path, skipped: dict[str, str]) -> Generator[_Command]:
    arguments = ["PORT", stack.catalog_url, "bench-token", str(tools)]
    python = [sys.executable, "-m"]
    yield FLOOR, [*python, "benchmarks.peers.echo", *arguments], {}
    yield LIST_FLOOR, [*python, "benchmarks.peers.fixed", *arguments], {}
    for name, module in _PYTHON_PEERS.items():
        yield name, [*python, f"benchmarks.peers.{module}", *arguments], {}
    node = shutil.which("node")
    if node is None:
        skipped[_TYPESCRIPT] = "Node is not installed"
    elif not (_NODE / "node_modules").exists():
        skipped[_TYPESCRIPT] = "its npm packages are not installed; `make bench` does that"
    else:
        yield _TYPESCRIPT, [node, str(_NODE / "server.mjs"), *arguments], {"NODE_ENV": "production"}


def _started(
    running: ExitStack,
    name: str,
    command: Sequence[str],
    environment: Mapping[str, str],
    stack: BenchStack,
) -> Contender:
    port = str(free_port())
    log = stack.folder / f"{name.replace(' ', '_').replace(',', '')}.log".replace("/", "_")
    with log.open("wb") as output:
        process = subprocess.Popen(
            [port if part == "PORT" else part for part in command],
            env={
                **os.environ,  # noqa: TID251 - children keep the shell's settings
                **{key: port if value == "PORT" else value for key, value in environment.items()},
            },
            stdout=output,
            stderr=output,
        )
    running.callback(process.wait)
    running.callback(process.terminate)
    _wait_listening(process, int(port), log)
    own = {"gateway": psutil.Process(process.pid)}
    if name in _OURS:
        workloads, services = _OURS[name]
        own |= {service: stack.services[service] for service in services}
        return Contender(name, Target(int(port), stack.api_key), own, stack.engines, workloads)
    target = Target(int(port), "bench-token")
    if name in _FLOORS:
        return Contender(name, target, own, {}, frozenset((_FLOORS[name],)))
    engines = {"postgres": stack.engines["postgres"]}
    return Contender(name, target, own, engines, frozenset((SEARCH, LIST)), is_peer=True)


def _wait_listening(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if _listens(port):
            return
        time.sleep(0.05)
    raise OSError("did not start: " + " | ".join(log.read_text().strip().splitlines()[-3:]))


def _listens(port: int) -> bool:
    async def connect() -> None:
        _, writer = await asyncio.open_connection(HOST, port)
        writer.close()

    try:
        asyncio.run(connect())
    except OSError:
        return False
    return True


def _check_same(ours: Contender, other: Contender, search: Workload) -> None:
    """Some queries must get the same sponsors with the same fields, but for names with a typing error, which peers do not look for."""
    for number in range(20):
        body, words = search.body(number), search.words[number]
        response = _result(ours, body)["structuredContent"]
        expected = _named(response["sponsors"], words)
        found = _named(_result(other, body)["structuredContent"]["sponsors"], words)
        if response["next_cursor"]:
            # Ours may be cut off behind some with a typing error, in whose place peers have more.
            found = found[: len(expected)]
        if found != expected:
            raise ValueError(f"answers {words!r} differently: {found} {expected}")


def _named(sponsors: Sequence[Any], words: str) -> list[Any]:
    """Return the sponsors whose names have these words in them."""
    return [sponsor for sponsor in sponsors if words.lower() in sponsor["name"].lower()]


def _result(contender: Contender, body: bytes) -> Any:
    response = json.loads(asyncio.run(load.send(contender.target, body)))
    if "result" not in response:
        raise ValueError(f"answers {response}")
    return response["result"]


def _cpu(process: psutil.Process) -> float:
    total = 0.0
    for item in _tree(process):
        try:
            times = item.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
    return total


def _pss(process: psutil.Process) -> float:
    total = 0
    for item in _tree(process):
        try:
            total += item.memory_full_info().pss
        except psutil.NoSuchProcess:
            continue
    return round(total / 2**20, 1)


def _tree(process: psutil.Process) -> list[psutil.Process]:
    return [process, *process.children(recursive=True)]
