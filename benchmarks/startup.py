"""Measure the start of the command and its parts, and the memory of their modules."""

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.load import Target, sequence
from benchmarks.queries import tool_call
from devstack.home import Home

_MODULES: Final = {
    "gateway": ("gateway.app",),
    "catalog_service": ("catalog_service.app",),
    "auth_service": ("auth_service.app",),
    "import_worker": ("import_worker.app", "import_worker.jobs.worker"),
    "sponsorgraph up": ("cli.app", "cli.commands.up"),
}
_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "auth_service": ("email_validator",),
    "sponsorgraph up": ("rich", "pygments"),
}
"""What else than others they load of what is optional."""

_LOAD: Final = """
import json, sys, time
import psutil
from servicekit.process.imports import skip_unused_imports
started = time.perf_counter()
needed, names = json.loads(sys.argv[1])
with skip_unused_imports(*needed):
    for name in names:
        __import__(name)
seconds = time.perf_counter() - started
print(json.dumps([seconds, len(sys.modules), psutil.Process().memory_full_info().pss / 2**20]))
"""
_LONGEST_SECONDS: Final = 120.0
_ROUNDS: Final = 3


@dataclass(frozen=True, slots=True)
class Loading:
    """The cost of importing a process's modules: milliseconds, their number, memory after it (PSS)."""

    process: str
    milliseconds: float
    modules: int
    memory_mb: float


def loadings() -> list[Loading]:
    """Of every process, the median of some starts."""
    return [_loading(process, modules) for process, modules in _MODULES.items()]


def _loading(process: str, names: Sequence[str]) -> Loading:
    argument = json.dumps([_NEEDED.get(process, ()), names])
    command = [sys.executable, "-c", _LOAD, argument]
    measurements = [json.loads(subprocess.check_output(command)) for _ in range(_ROUNDS)]
    seconds, modules, memory = (statistics.median(item) for item in zip(*measurements, strict=True))
    return Loading(process, round(seconds * 1000), round(modules), round(memory, 1))


def cold_start() -> tuple[float, float]:
    """Seconds from the command that `make run` runs to the first response.

    In a new home, which the sample is loaded into, and in one that was used before.
    """
    with tempfile.TemporaryDirectory(prefix="sponsorgraph-bench-") as folder:
        home = Home(Path(folder) / "home")
        return _first_response(home), _first_response(home)


def _first_response(home: Home) -> float:
    earlier = home.connection()
    environment: Mapping[str, str] = {
        **os.environ,  # noqa: TID251 - children keep the shell's settings
        "SPONSORGRAPH_HOME": str(home.path),
        "SPONSORGRAPH_PORT": "0",
        "SPONSORGRAPH_SITE_PORT": "0",
    }
    command = [str(Path(sys.executable).with_name("sponsorgraph")), "up"]
    started = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    try:
        # A file of before names other processes. It stays, as the demo account in it is made once.
        while (connection := home.connection()) is None or connection == earlier:
            if process.poll() is not None or time.perf_counter() - started > _LONGEST_SECONDS:
                raise OSError("The stack did not start.")
            time.sleep(0.01)
        port = int(connection.mcp_url.rpartition(":")[2].partition("/")[0])
        body = tool_call("sponsor.search", lambda _: {"search": "a"})
        sequence(Target(port, connection.api_key), body, 1)
        return time.perf_counter() - started
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()
