"""Whether a process runs."""

import os
import subprocess
import sys

import psutil

from devstack.running import runs


def test_a_process_runs_until_it_ends() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert runs(process.pid)
        assert process.stdin
        process.stdin.close()
        process.wait()
    assert not runs(process.pid)
    assert runs(os.getpid())


def test_one_that_has_ended_and_whose_parent_has_not_noticed_does_not_run() -> None:
    with subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.read()
        while psutil.Process(process.pid).status() != psutil.STATUS_ZOMBIE:
            pass
        assert not runs(process.pid)
