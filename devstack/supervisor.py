"""Keeps the processes of a stack running: what ends by itself is started again, without end.

A full or broken disk, or no descriptor left, may keep a process from starting or a file from being
written. That passes: it is said once, and tried again until it succeeds.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from devstack.children import Child
from devstack.engines import EngineError, Postgres, Valkey
from devstack.interruption import StopFlag
from devstack.problem_reporter import ProblemReporter

_CHECK_SECONDS: Final = 0.1
_RETRY_SECONDS: Final = 1.0
_PIDS: Final = "process ids"

Engine = Postgres | Valkey
Pids = Mapping[str, int]


def pids_of(children: Sequence[Child], engines: Sequence[Engine]) -> dict[str, int]:
    """Return the process ids of everything that was started."""
    of_engines = {type(item).__name__.lower(): item.process.pid for item in engines if item.process}
    return {child.name: child.pid for child in children} | of_engines


@dataclass(slots=True)
class _EngineWatch:
    """An engine that is started again without anybody waiting for it."""

    engine: Engine
    problems: ProblemReporter
    _is_starting: bool = False
    _start_at: float = 0.0

    def check(self) -> bool:
        """Restart the engine if it has ended; return whether it has just come back."""
        engine, name = self.engine, type(self.engine).__name__
        if engine.process is None or engine.process.poll() is None:
            if self._is_starting and engine.accepts_connections():
                self._is_starting = False
                self.problems.end(name)
                self.problems.write(f"{name} had ended and was started again")
                return True
            return False
        if self._is_starting:
            self._is_starting = False
            self._failed(f"it ended at once:\n{engine.tail()}")
        if time.monotonic() >= self._start_at:
            self._start()
        return False

    def _start(self) -> None:
        try:
            self.engine.launch()
        except (OSError, EngineError) as error:
            self._failed(str(error))
        else:
            self._is_starting = True

    def _failed(self, why: str) -> None:
        name = type(self.engine).__name__
        self._start_at = time.monotonic() + _RETRY_SECONDS
        self.problems.begin(name, f"{name} had ended and cannot be started again yet: {why}")


@dataclass(slots=True)
class Supervisor:
    """Watches children and engines that were all seen to work.

    Attributes:
        write_pids: Writes down the process ids wherever others look for them; it may fail.
        pids: Those that were written down last.
    """

    children: Sequence[Child]
    engines: Sequence[Engine]
    write_pids: Callable[[Pids], None]
    pids: Pids
    problems: ProblemReporter
    _watches: Sequence[_EngineWatch] = field(init=False)
    _write_at: float = 0.0

    def __post_init__(self) -> None:
        self._watches = [_EngineWatch(engine, self.problems) for engine in self.engines]
        for child in self.children:
            child.gives_up = False

    def run(self, stopped: StopFlag) -> None:
        """Watch the children until `stopped` is set."""
        while not stopped.wait(_CHECK_SECONDS):
            self.check()

    def check(self) -> None:
        """Restart children and engines that have ended, where that is possible now."""
        for child in self.children:
            self._check_child(child)
        if [watch for watch in self._watches if watch.check()]:
            # Those that ended for want of it need not wait for their pause to be over.
            for child in self.children:
                child.end_pause()
        self._record_pids()

    def _check_child(self, child: Child) -> None:
        try:
            started = child.watch()
        except OSError as error:
            text = f"{child.name} had ended and cannot be started again yet: {error}"
            self.problems.begin(child.name, text)
            return
        if started:
            self.problems.end(child.name)
            self._report_start(child)
        elif child.has_settled:
            self.problems.end(_ends_of(child), f"{child.name} goes on running")

    def _report_start(self, child: Child) -> None:
        text = f"{child.name} had ended and was started again"
        part = _ends_of(child)
        if child.keeps_ending:
            self.problems.begin(
                part, f"{child.name} keeps ending soon after its start:\n{child.tail()}"
            )
        else:
            self.problems.end(part)
            self.problems.write(text)

    def _record_pids(self) -> None:
        pids = pids_of(self.children, self.engines)
        if pids == self.pids or time.monotonic() < self._write_at:
            return
        try:
            self.write_pids(pids)
        except OSError as error:
            self._write_at = time.monotonic() + _RETRY_SECONDS
            self.problems.begin(_PIDS, f"The process ids cannot be written down now: {error}")
        else:
            self.pids = pids
            self.problems.end(_PIDS, "The process ids are written down again")


def _ends_of(child: Child) -> str:
    return f"ends of {child.name}"
