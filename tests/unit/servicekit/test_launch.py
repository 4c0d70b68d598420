"""Children end with the process that started them, whenever it is killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress

import pytest

_SECONDS = 30.0

_PARENT = """
import os, signal, subprocess, sys
from servicekit.process.launch import launch_command
death_signal, ignored, ends_at_once, *command = sys.argv[1:]
if ignored == "ignored":
    signal.signal(int(death_signal), signal.SIG_IGN)
child = subprocess.Popen(launch_command(command, death_signal=signal.Signals(int(death_signal))))
print(child.pid, flush=True)
if ends_at_once == "yes":
    os.kill(os.getpid(), signal.SIGKILL)
child.wait()
"""

_CHILD = """
import signal, sys
def end(number, frame):
    print("got", number, flush=True)
    sys.exit()
for number in (signal.SIGINT, signal.SIGTERM):
    if signal.getsignal(number) is not signal.SIG_IGN:
        signal.signal(number, end)
print("runs", flush=True)
signal.pause()
"""


@contextmanager
def parent(
    death_signal: signal.Signals, *, ignores: bool = False, ends_at_once: bool = False
) -> Generator[tuple[subprocess.Popen[str], int]]:
    """A process with a child on the same standard output, and the child's id."""
    arguments = (
        str(int(death_signal)),
        "ignored" if ignores else "",
        "yes" if ends_at_once else "",
    )
    process = subprocess.Popen(
        [sys.executable, "-c", _PARENT, *arguments, sys.executable, "-c", _CHILD],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    pid = int(process.stdout.readline())
    try:
        yield process, pid
    finally:
        process.kill()
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        process.communicate()


def test_a_child_whose_parent_was_killed_right_after_the_start_never_runs_its_command() -> None:
    with parent(signal.SIGTERM, ends_at_once=True) as (process, _):
        output, _ = process.communicate(timeout=_SECONDS)  # until the child has ended as well
    assert output == ""


@pytest.mark.parametrize("ignores", [False, True])
@pytest.mark.parametrize("death_signal", [signal.SIGTERM, signal.SIGINT])
def test_a_child_gets_the_signal_of_its_own_when_its_parent_is_killed(
    death_signal: signal.Signals,
    ignores: bool,  # noqa: FBT001
) -> None:
    with parent(death_signal, ignores=ignores) as (process, _):
        assert process.stdout
        assert process.stdout.readline() == "runs\n"
        process.kill()
        output, _ = process.communicate(timeout=_SECONDS)
    assert output == f"got {int(death_signal)}\n"
