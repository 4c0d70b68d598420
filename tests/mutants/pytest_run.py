"""One run of pytest in a copy of the tree, and the result of each test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from xml.etree import ElementTree as ET

_CLEAN_UP_SECONDS = 30.0
_UNUSED = ("schemathesis", "pytest_cov", "cacheprovider")
"""Plugins that take longer to load than most of these tests take to run."""


class Result(StrEnum):
    """The outcome of a test; of several cases of one test, the first in this order."""

    FAILED = "failed"
    TIMED_OUT = "timed out"
    ERROR = "error"
    PASSED = "passed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Run:
    """The result of each test that ran, how long it took, and what pytest printed."""

    results: dict[str, Result]
    seconds: float
    output: str


def run_tests(
    tree: Path, tests: Sequence[str], *, seconds: float, stop_at_first: bool = False
) -> Run:
    """Run the tests on the code in `tree`, each with `seconds` of time, and report each result."""
    report = tree.parent / "report.xml"
    report.unlink(missing_ok=True)
    command = [
        *(sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=short", "-n0"),
        *(f"-pno:{plugin}" for plugin in _UNUSED),
        # Not the folder that all runs of this machine share, and clear by turns.
        *(f"--timeout={seconds:.0f}", f"--junitxml={report}", f"--basetemp={tree.parent / 'tmp'}"),
        *(["-x"] if stop_at_first else []),
        *tests,
    ]
    began = time.monotonic()
    limit = seconds * (1 if stop_at_first else len(tests)) + _CLEAN_UP_SECONDS
    output = _output_of(command, tree, seconds=limit)
    taken = time.monotonic() - began
    nothing = Result.TIMED_OUT if taken >= limit else Result.ERROR
    return Run(_results(report, tests, nothing), taken, output)


def _output_of(command: Sequence[str], tree: Path, *, seconds: float) -> str:
    environment = {
        **os.environ,
        # Before the editable install of the working tree, in every process that a test starts.
        "PYTHONPATH": str(tree),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(tree.parent / "hypothesis"),
    }
    process = subprocess.Popen(
        command,
        cwd=tree,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        # pytest-timeout ends a test first; this is for a process that does not even stop then.
        return process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        return _stopped(process)
    except BaseException:
        _stopped(process)
        raise


def _stopped(process: subprocess.Popen[str]) -> str:
    process.send_signal(signal.SIGINT)
    try:
        return process.communicate(timeout=_CLEAN_UP_SECONDS)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()[0]


def _results(report: Path, tests: Sequence[str], nothing: Result) -> dict[str, Result]:
    """Return each test's result; `nothing` where pytest could not write its report."""
    if not report.exists():
        return dict.fromkeys(tests, nothing)
    found: dict[str, set[Result]] = {test: set() for test in tests}
    for case in ET.parse(report).getroot().iter("testcase"):  # noqa: S314 - written by pytest
        file = case.get("classname", "").replace(".", "/")
        test = f"{file}.py::{case.get('name', '').partition('[')[0]}"
        if test in found:
            found[test].add(_result(case))
    order = list(Result)
    return {
        test: min(results, key=order.index) if results else Result.ERROR
        for test, results in found.items()
    }


def _result(case: ET.Element) -> Result:
    if (failure := case.find("failure")) is not None:
        timed_out = "from pytest-timeout" in failure.get("message", "")
        return Result.TIMED_OUT if timed_out else Result.FAILED
    if case.find("error") is not None:
        return Result.ERROR
    return Result.SKIPPED if case.find("skipped") is not None else Result.PASSED
