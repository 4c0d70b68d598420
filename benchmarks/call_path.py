"""Count the source files that one `tools/call sponsor.top` passes.

`python -m benchmarks.call_path` starts the services on throw-away engines, profiles every Python call
in the gateway and in the catalog service, and prints the files of each that the call passes, with
their functions, once without and once with the result in the gateway's cache. It repeats the call and reports only the files that
every repetition passes, so that work which happens beside a call by chance does not count. Loops in
the background, such as the one that writes the ledger, do not count either: no call waits for them.
"""

import argparse
import asyncio
import os
import runpy
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Final

import psutil

from benchmarks import load
from benchmarks.catalogue import Size, parties, videos
from benchmarks.load import Target
from benchmarks.queries import tool_call
from benchmarks.stack import BenchStack, running
from import_worker.catalog_writer import catalog_writer

_ROOT: Final = f"{Path(__file__).resolve().parents[1]}{os.sep}"
_PACKAGES: Final = frozenset({"gateway", "servicekit", "catalog_service", "protos"})
_SERVICES: Final = ("gateway", "catalog_service")
_LOOPS: Final = frozenset({"run", "_run"})
"""Functions that tasks in the background begin with."""

_STARTUP: Final = frozenset({"servicekit/process/runtime.py"})
"""Files under the event loop: they are on every stack."""

_ROUNDS: Final = 6
_SIZE: Final = Size(100, 100, 400, 200)
_DEADLINE_SECONDS: Final = 10.0


class CallProfiler:
    """Record the project's functions that run between two signals, as "file:function".

    SIGUSR1 begins to record anew, SIGUSR2 writes what was recorded into `folder`. Until the first one
    nothing is profiled, as that would only make the start slow.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[str, str | None] = {}
        self._passed: set[str] = set()

    def start(self) -> None:
        signal.signal(signal.SIGUSR1, self._begin)
        signal.signal(signal.SIGUSR2, self._write)

    def _begin(self, _signal: int, _frame: object) -> None:
        sys.setprofile(self._record)
        self._passed.clear()
        self._publish()

    def _write(self, _signal: int, _frame: object) -> None:
        self._publish()

    def _publish(self) -> None:
        unfinished = self._folder / f"{os.getpid()}.new"
        unfinished.write_text("\n".join(sorted(self._passed)))
        unfinished.rename(self._folder / str(os.getpid()))

    def _record(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event != "call":
            return
        name = self._name(frame)
        if name is None:
            return
        function = f"{name}:{frame.f_code.co_name}"
        if function not in self._passed and not self._is_in_loop(frame):
            self._passed.add(function)

    def _is_in_loop(self, frame: FrameType) -> bool:
        frames = [item for item in _stack(frame) if self._name(item) not in {None, *_STARTUP}]
        return not frames or frames[-1].f_code.co_name in _LOOPS

    def _name(self, frame: FrameType) -> str | None:
        filename = frame.f_code.co_filename
        if filename not in self._names:
            name = filename.removeprefix(_ROOT)
            package, _, module = name.partition(os.sep)
            is_ours = package in _PACKAGES and module != "__main__.py"
            self._names[filename] = name if is_ours else None
        return self._names[filename]


def _stack(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _serve(folder: Path, module: str, arguments: Sequence[str]) -> None:
    """Run a service, under the profiler if its files are to be counted."""
    if module in _SERVICES:
        CallProfiler(folder).start()
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _fill(stack: BenchStack) -> None:
    async def ingest() -> None:
        async with catalog_writer(stack.addresses.catalog_grpc, stack.credentials) as writer:
            await writer.write(parties(_SIZE))
            await writer.write(videos(_SIZE, _SIZE.videos))

    asyncio.run(ingest())


def _signalled(folder: Path, process: psutil.Process, number: signal.Signals) -> set[str]:
    """Return what a profiled process reports when it gets a signal."""
    process.send_signal(number)
    report = folder / str(process.pid)
    deadline = time.monotonic() + _DEADLINE_SECONDS
    while not report.exists():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{process} reports no functions.")
        time.sleep(0.01)
    functions = set(report.read_text().splitlines())
    report.unlink()
    return functions


def _passed(
    folder: Path, processes: Sequence[psutil.Process], target: Target, bodies: Sequence[bytes]
) -> list[set[str]]:
    """Return by process the functions that every one of the requests passes."""
    passed: list[list[set[str]]] = [[] for _ in processes]
    for body in bodies:
        for process in processes:
            _signalled(folder, process, signal.SIGUSR1)
        if load.sequence(target, lambda _, body=body: body, 1).failures:
            raise OSError("The gateway did not respond to a call with a result.")
        for process, rounds in zip(processes, passed, strict=True):
            rounds.append(_signalled(folder, process, signal.SIGUSR2))
    return [rounds[0].intersection(*rounds[1:]) for rounds in passed]


@dataclass(frozen=True, slots=True)
class CallPath:
    """The functions that a call passes in each service, as "file:function"."""

    gateway: frozenset[str]
    catalog_service: frozenset[str]

    @property
    def files(self) -> frozenset[str]:
        """The files of both services together."""
        return frozenset(_file_of(name) for name in self.gateway | self.catalog_service)


def call_paths() -> tuple[CallPath, CallPath]:
    """Return the way of a call without its result in the gateway's cache, and with it."""
    body = tool_call("sponsor.top", lambda number: {"limit": number + 1})
    with tempfile.TemporaryDirectory(prefix="sponsorgraph-path-") as path:
        folder = Path(path)
        with running(("benchmarks.call_path", "--serve", path)) as stack:
            _fill(stack)
            processes = [stack.services[name] for name in _SERVICES]
            load.sequence(stack.target, body, _ROUNDS)
            bodies = [body(number) for number in range(_ROUNDS, 2 * _ROUNDS)]

            def measured() -> CallPath:
                passed = _passed(folder, processes, stack.target, bodies)
                return CallPath(*map(frozenset, passed))

            uncached = measured()
            # The first results may come before the gateway knows which version of the catalogue they are of.
            deadline = time.monotonic() + _DEADLINE_SECONDS
            while (cached := measured()).catalog_service and time.monotonic() < deadline:
                pass
            return uncached, cached


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.call_path",
        description="Count the source files that one `tools/call sponsor.top` passes in the gateway "
        "and in the catalog service, without and with its result in the gateway's cache.",
    )
    parser.add_argument(
        "--serve",
        metavar="FOLDER",
        type=Path,
        help="run a service under the profiler, which reports into FOLDER; used for the services "
        "that this command starts",
    )
    parser.add_argument(
        "service", nargs=argparse.REMAINDER, help="with --serve: its module and arguments"
    )
    options = parser.parse_args(arguments)
    if (options.serve is None) == bool(options.service):
        parser.error("--serve FOLDER and a service go together")
    if options.serve is None:
        _measure()
    else:
        _serve(options.serve, options.service[0], options.service[1:])


def _measure() -> None:
    for title, path in zip(("uncached", "cached"), call_paths(), strict=True):
        _report(title, path)


def _report(title: str, path: CallPath) -> None:
    gateway, catalog = _by_file(path.gateway), _by_file(path.catalog_service)
    print(f"{title}: {len(gateway)} files in the gateway, {len(path.files)} in both")
    for service, files in zip(_SERVICES, (gateway, catalog), strict=True):
        print(f"  {service}: {len(files)}")
        for name, functions in files.items():
            print(f"    {name}: {', '.join(functions)}")


def _file_of(name: str) -> str:
    return name.partition(":")[0]


def _by_file(passed: frozenset[str]) -> dict[str, list[str]]:
    files: dict[str, list[str]] = {}
    for item in sorted(passed):
        name, _, function = item.partition(":")
        files.setdefault(name, []).append(function)
    return files


if __name__ == "__main__":
    main(sys.argv[1:])
