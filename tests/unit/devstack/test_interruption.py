"""Signals to stop end a start at once, but never while a process is being started."""

import os
import signal
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from types import FrameType

import pytest

from devstack.interruption import Interruption, StopFlag


class Start:
    """A start that a signal comes into; `steps` are those that it got to."""

    def __init__(self, *, swallows: bool = False, spawns: bool = False) -> None:
        self.interruption = Interruption()
        self.steps: list[str] = []
        self._swallows = swallows
        self._spawns = spawns

    def run(self) -> None:
        with self.interruption.ending_start():
            self.steps.append("begun")
            if self._spawns:
                with self.interruption.deferred():
                    self.signal()
                    self.steps.append("process known")
            elif self._swallows:
                with suppress(KeyboardInterrupt):
                    self.signal()
            else:
                self.signal()
            self.steps.append("ready")

    def signal(self) -> None:
        self.interruption.handle(signal.SIGINT, None)


def test_a_signal_ends_a_start() -> None:
    start = Start()
    with pytest.raises(KeyboardInterrupt):
        start.run()
    assert start.steps == ["begun"]
    assert start.interruption.stopped.is_set()


def test_a_signal_before_the_start_prevents_it() -> None:
    start = Start()
    start.signal()
    with pytest.raises(KeyboardInterrupt):
        start.run()
    assert start.steps == []


def test_a_signal_while_a_process_is_started_counts_after_it() -> None:
    start = Start(spawns=True)
    with pytest.raises(KeyboardInterrupt):
        start.run()
    assert start.steps == ["begun", "process known"]


def test_an_interrupt_that_was_swallowed_ends_the_start_at_its_end() -> None:
    start = Start(swallows=True)
    with pytest.raises(KeyboardInterrupt):
        start.run()
    assert start.steps == ["begun", "ready"]


def test_a_signal_to_a_running_stack_only_sets_the_event() -> None:
    interruption = Interruption()
    with interruption.ending_start():
        pass
    interruption.handle(signal.SIGTERM, None)
    assert interruption.stopped.is_set()


@contextmanager
def signals_set(flag: StopFlag) -> Generator[None]:
    def handle(_number: int, _frame: FrameType | None) -> None:
        flag.set()

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_signal_wakes_the_thread_that_waits() -> None:
    flag = StopFlag()
    with signals_set(flag):
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        began = time.monotonic()
        assert flag.wait(20)
        assert time.monotonic() - began < 10
    assert flag.wait(20)
    assert not StopFlag().wait(0)


@pytest.mark.timeout(60)
def test_a_signal_at_any_moment_of_the_wait_ends_it() -> None:
    """A lock of the flag that the waiting thread holds would keep the handler waiting for ever."""
    for _ in range(200):
        flag = StopFlag()
        with signals_set(flag):
            sender = threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGUSR1))
            sender.start()
            while not flag.wait(0.0001):
                pass
            sender.join()
