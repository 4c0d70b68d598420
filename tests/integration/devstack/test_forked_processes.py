"""Processes that a fork server starts: each is one of its own, and none outlives the server."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import psutil
import pytest

from devstack import forked_processes, stack
from devstack.forked_processes import ForkedProcess, ForkError, ForkServer
from tests.integration.devstack.processes import ended, wait_until

_PROBE = """
import json, os, sys
environment = {name: os.environ[name] for name in os.environ if name.startswith("PROBE")}
server = f"/proc/{os.getppid()}"
facts = {
    "arguments": sys.argv[1:],
    "environment": environment,
    "session": os.getsid(0),
    "threads": len(os.listdir(f"{server}/task")),
    "files": sorted(map(int, os.listdir(f"{server}/fd"))),
    "metrics": [name for name in sys.modules["prometheus_client"].REGISTRY._names_to_collectors]
    if "prometheus_client" in sys.modules else [],
}
print(json.dumps({**facts, "loaded": sorted(sys.modules), "input": sys.stdin.read()}), flush=True)
sys.exit(7)
"""
_NO_PROCESS_LEFT = """
import errno, os
fork, calls = os.fork, iter(range(9))

def fork_unless_second():
    if next(calls) == 1:
        raise BlockingIOError(errno.EAGAIN, "no process left")
    return fork()

os.fork = fork_unless_second
"""
_SUPERVISOR = """
import os, sys
from pathlib import Path
import psutil
from devstack.forked_processes import ForkServer
folder = Path(sys.argv[1])
server = ForkServer(["json"], {**os.environ, "PYTHONPATH": str(folder)}, folder / "server.log")
process = server.fork(["waits"], {}, folder / "waits.log")
print(process.pid, psutil.Process(process.pid).ppid(), flush=True)
input()
"""
_WAITS = "import signal\nprint('waits', flush=True)\nsignal.pause()\n"


@pytest.fixture
def short_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that has responded once is waited for but shortly."""
    monkeypatch.setattr(forked_processes, "_RESPONSE_SECONDS", 0.2)


@pytest.fixture
def server(tmp_path: Path) -> Generator[ForkServer]:
    """A server that has loaded `json` and finds the programs of these tests."""
    (tmp_path / "probe.py").write_text(_PROBE)
    (tmp_path / "waits.py").write_text(_WAITS)
    made = ForkServer(
        ["json"], {**os.environ, "PYTHONPATH": str(tmp_path)}, tmp_path / "server.log"
    )
    yield made
    made.stop()


@pytest.fixture
def waiting(server: ForkServer, tmp_path: Path) -> ForkedProcess:
    """A process that runs until a signal."""
    process = server.fork(["waits"], {}, tmp_path / "waits.log")
    log = tmp_path / "waits.log"
    wait_until(lambda: log.exists() and log.read_text() == "waits\n")
    return process


def test_a_process_has_its_own_arguments_environment_session_and_log(
    server: ForkServer, tmp_path: Path
) -> None:
    process = server.fork(["probe", "a", "b c"], {"PROBE": "1"}, tmp_path / "probe.log")
    assert process.wait(30) == 7
    written = json.loads((tmp_path / "probe.log").read_text())
    assert written["arguments"] == ["a", "b c"]
    assert written["environment"] == {"PROBE": "1"}
    assert written["session"] == process.pid
    assert written["input"] == ""
    assert (process.poll(), process.returncode) == (7, 7)


def test_what_services_have_in_common_is_loaded_without_threads_files_or_metrics(
    tmp_path: Path,
) -> None:
    (tmp_path / "probe.py").write_text(_PROBE)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    server = ForkServer(stack.COMMON_MODULES, environment, tmp_path / "server.log")
    try:
        server.fork(["probe"], environment, tmp_path / "probe.log").wait(60)
    finally:
        server.stop()
    written = json.loads((tmp_path / "probe.log").read_text())
    assert written["threads"] == 1
    assert written["files"] == [0, 1, 2]
    # Each process would serve those of all others.
    assert {name.partition("_")[0] for name in written["metrics"]} == {"process", "python"}
    assert set(stack.COMMON_MODULES) <= set(written["loaded"])
    assert "opentelemetry.sdk" not in written["loaded"]


@pytest.mark.parametrize(
    "module", ["auth_service.app", "catalog_service.app", "gateway.app", "import_worker.app"]
)
def test_most_of_what_a_service_loads_is_loaded_before_it_is_forked(module: str) -> None:
    program = (
        "import importlib, sys\nfrom servicekit.process.imports import skip_unused_imports\n"
        "with skip_unused_imports(*sys.argv[1].split()):\n"
        "    for name in sys.argv[2:]:\n        importlib.import_module(name)\n"
        "print(*sys.modules)"
    )

    def loaded(needed: str, *modules: str) -> set[str]:
        command = [sys.executable, "-c", program, needed, *modules]
        return set(subprocess.check_output(command, text=True).split())

    before, service = loaded("", *stack.COMMON_MODULES), loaded("email_validator", module)
    own = {name for name in service if name.startswith(module.partition(".")[0])}
    assert len(service - own - before) < 0.4 * len(service - own)


def test_a_process_is_called_as_one_that_was_not_forked(waiting: ForkedProcess) -> None:
    assert psutil.Process(waiting.pid).cmdline()[0].rstrip().endswith("python -m waits")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_signal_that_ended_a_process_is_known(
    waiting: ForkedProcess, number: signal.Signals
) -> None:
    assert waiting.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(0.01)
    waiting.send_signal(number)
    assert waiting.wait(30) == -number
    waiting.kill()  # reaches nobody


def test_processes_end_with_their_server_and_the_next_gets_another_one(
    server: ForkServer, waiting: ForkedProcess, tmp_path: Path
) -> None:
    psutil.Process(psutil.Process(waiting.pid).ppid()).kill()
    assert waiting.wait(30)
    assert ended(waiting.pid)
    assert server.fork(["probe"], {}, tmp_path / "probe.log").wait(30) == 7


def test_a_stopped_server_and_its_processes_end_with_a_supervisor_that_is_killed(
    tmp_path: Path,
) -> None:
    (tmp_path / "waits.py").write_text(_WAITS)
    command = [sys.executable, "-c", _SUPERVISOR, str(tmp_path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as supervisor:
        assert supervisor.stdout
        process, server = map(int, supervisor.stdout.readline().split())
        psutil.Process(server).suspend()
        supervisor.kill()
    wait_until(lambda: ended(server) and ended(process))


def test_a_server_that_cannot_load_its_modules_says_why(tmp_path: Path) -> None:
    server = ForkServer(["missing_module"], os.environ, tmp_path / "server.log")
    try:
        with pytest.raises(ForkError, match="No module named 'missing_module'"):
            server.fork(["probe"], {}, tmp_path / "probe.log")
    finally:
        server.stop()


def test_stopping_the_server_ends_what_it_has_started(
    server: ForkServer, waiting: ForkedProcess
) -> None:
    server.stop()
    wait_until(lambda: ended(waiting.pid))


@pytest.mark.usefixtures("short_limit")
def test_a_server_that_does_not_respond_is_ended_and_replaced(
    server: ForkServer, waiting: ForkedProcess, tmp_path: Path
) -> None:
    psutil.Process(psutil.Process(waiting.pid).ppid()).suspend()
    with pytest.raises(ForkError, match="did not respond"):
        server.fork(["probe"], {}, tmp_path / "probe.log")
    assert waiting.wait(30)
    assert server.fork(["probe"], {}, tmp_path / "probe.log").wait(30) == 7


@pytest.mark.usefixtures("short_limit")
def test_a_stopped_server_that_takes_no_large_request_is_ended(
    server: ForkServer, waiting: ForkedProcess, tmp_path: Path
) -> None:
    """A pipe takes 64 KiB that nobody reads."""
    psutil.Process(psutil.Process(waiting.pid).ppid()).suspend()
    with pytest.raises(ForkError, match="did not respond"):
        server.fork(["probe"], {"PROBE": "x" * 200_000}, tmp_path / "probe.log")
    assert waiting.wait(30)


def test_an_environment_that_is_larger_than_a_pipe_arrives(
    server: ForkServer, tmp_path: Path
) -> None:
    process = server.fork(["probe"], {"PROBE": "x" * 200_000}, tmp_path / "probe.log")
    assert process.wait(30) == 7
    written = json.loads((tmp_path / "probe.log").read_text())
    assert len(written["environment"]["PROBE"]) == 200_000


def test_a_process_that_cannot_be_started_now_ends_no_other(tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text(_WAITS)
    (tmp_path / "no_process_left.py").write_text(_NO_PROCESS_LEFT)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    server = ForkServer(["no_process_left"], environment, tmp_path / "server.log")
    try:
        first = server.fork(["waits"], {}, tmp_path / "first.log")
        with pytest.raises(BlockingIOError):
            server.fork(["waits"], {}, tmp_path / "second.log")
        third = server.fork(["waits"], {}, tmp_path / "third.log")
        assert [first.poll(), third.poll()] == [None, None]
    finally:
        server.stop()


def test_the_end_of_a_process_is_seen_though_its_server_is_stopped(
    waiting: ForkedProcess, server: ForkServer
) -> None:
    psutil.Process(psutil.Process(waiting.pid).ppid()).suspend()
    waiting.kill()
    assert waiting.wait(30) == 255
    server.stop()


def test_processes_that_end_together_have_each_its_own_status(
    server: ForkServer, tmp_path: Path
) -> None:
    started = [server.fork(["probe"], {}, tmp_path / f"{n}.log") for n in range(4)]
    wait_until(lambda: all(ended(process.pid) for process in started))
    assert [process.poll() for process in started] == [7] * 4
