"""A stack whose parts have ended, and cannot be started again at once."""

import os
import resource
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from devstack import children
from devstack.children import Child, ChildError
from devstack.engines import EngineError
from devstack.problem_reporter import ProblemReporter
from devstack.supervisor import Supervisor


class Ailing:
    """An engine that has ended and starts at the third attempt only."""

    def __init__(self) -> None:
        self.process = SimpleNamespace(pid=1, poll=lambda: 1)
        self.attempts = 0

    def launch(self) -> None:
        self.attempts += 1
        if self.attempts < 3:
            raise EngineError("There is no room on the disk.")
        self.process = SimpleNamespace(pid=2, poll=lambda: None)

    def accepts_connections(self) -> bool:
        return self.attempts == 3


def until(check: Callable[[], object], done: Callable[[], bool], seconds: float = 20) -> None:
    """Looks again and again until something is so."""
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline
        check()
        time.sleep(0.02)


@pytest.fixture
def child(tmp_path: Path) -> Generator[Child]:
    """A process that runs until it is killed."""
    made = Child("server", ["http.server", "0", "--bind", "127.0.0.1"], {}, tmp_path / "log")
    made.start()
    yield made
    made.request_stop()
    made.wait_stopped()


def killed(child: Child) -> int:
    """Kills it; which process it was."""
    assert child.process
    child.process.kill()
    child.process.wait()
    return child.pid


def test_an_engine_is_started_again_as_often_as_it_takes_and_that_is_said_once() -> None:
    reported, engine = list[str](), Ailing()
    ailing: Any = engine
    supervisor = Supervisor([], [ailing], lambda _: None, {}, ProblemReporter(reported.append))
    until(supervisor.check, lambda: len(reported) == 2)
    assert engine.attempts == 3
    assert ["no room" in reported[0], "was started again" in reported[1]] == [True, True]


@contextmanager
def no_descriptor_left() -> Generator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_process_that_cannot_be_started_for_want_of_descriptors_is_started_later(
    child: Child,
) -> None:
    reported = list[str]()
    supervisor = Supervisor([child], [], lambda _: None, {}, ProblemReporter(reported.append))
    before = killed(child)
    with no_descriptor_left():
        began = time.monotonic()
        until(supervisor.check, lambda: time.monotonic() > began + 2.5)
        assert child.pid == before
    assert len(reported) == 1
    assert "Too many open files" in reported[0]
    until(supervisor.check, lambda: child.pid != before)
    assert "was started again" in reported[-1]


def test_a_process_that_ended_again_and_again_is_said_to_go_on_running(
    child: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "_LONGEST_PAUSE", 0.01)
    reported = list[str]()
    supervisor = Supervisor([child], [], lambda _: None, {}, ProblemReporter(reported.append))
    while not child.keeps_ending:
        before = killed(child)
        until(supervisor.check, lambda before=before: child.pid != before)
    assert "keeps ending soon after its start" in reported[-1]
    monkeypatch.setattr(children, "_QUICK_SECONDS", 0.1)
    until(supervisor.check, lambda: reported[-1] == "server goes on running")
    supervisor.check()
    assert reported.count("server goes on running") == 1


def test_process_ids_that_cannot_be_written_down_are_written_later(child: Child) -> None:
    reported, written, is_full = list[str](), list[Any](), True

    def write(pids: Any) -> None:
        with Path("/dev/full" if is_full else os.devnull).open("w") as file:
            file.write("ids")
        written.append(pids)

    supervisor = Supervisor([child], [], write, {}, ProblemReporter(reported.append))
    began = time.monotonic()
    until(supervisor.check, lambda: time.monotonic() > began + 1.5)
    assert written == []
    assert [item for item in reported if "No space left" in item] == reported
    assert len(reported) == 1
    is_full = False
    until(supervisor.check, lambda: bool(written))
    assert written == [{"server": child.pid}]
    assert "again" in reported[-1]


def test_a_terminal_that_is_gone_ends_nothing(child: Child) -> None:
    ours, theirs = os.openpty()
    os.close(ours)

    def report(text: str) -> None:
        os.write(theirs, text.encode())

    with pytest.raises(OSError, match="Input/output error"):
        report("to nobody")
    supervisor = Supervisor([child], [], lambda _: None, {}, ProblemReporter(report))
    before = killed(child)
    until(supervisor.check, lambda: child.pid != before)
    os.close(theirs)


def test_a_process_is_started_without_its_log_if_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    made = Child("server", ["this"], {}, tmp_path / "file" / "log")
    made.start()
    made.run_to_end()
    assert made.tail() == ""


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Child]:
    """A process that ends right after each start, and is started again without long pauses."""
    monkeypatch.setattr("devstack.children._LONGEST_PAUSE", 0.01)
    made = Child("broken", ["no_such_module"], {}, tmp_path / "log")
    made.start()
    yield made
    made.wait_stopped()


def test_what_keeps_ending_at_the_start_of_the_stack_is_given_up(broken: Child) -> None:
    with pytest.raises(ChildError, match="No module named"):
        until(broken.watch, lambda: False)


def test_what_was_seen_to_work_is_never_given_up_and_that_is_said_once(broken: Child) -> None:
    reported = list[str]()
    supervisor = Supervisor([broken], [], lambda _: None, {}, ProblemReporter(reported.append))
    pids = set[int]()

    def check() -> None:
        supervisor.check()
        pids.add(broken.pid)

    until(check, lambda: len(pids) >= 9)
    assert len([item for item in reported if "keeps ending" in item]) == 1
    assert "No module named" in reported[-1]
