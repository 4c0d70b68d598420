"""Starts processes as forks of one that has loaded what they have in common: `python -m devstack.fork_server MODULE ...`.

It loads the modules, then reads a request for each process from its standard input (`Request`, a line of JSON) and responds
with `{"pid": N}`, or `{"error": E}` with the number of the error by which none could be started. A process that is held loads
its modules and waits for a line `{"release": N}`, to which there is no response. When a process has ended the server writes
`{"ended": N, "status": S}`, with the exit status, or less than 0 by a signal. At the end of its input it ends, and so do the
processes that it started.

What is loaded here starts no threads, as a fork takes none along but the locks that they hold, and defines no metrics, as
every process would serve them.
"""

import ctypes
import errno
import gc
import importlib
import json
import os
import runpy
import signal
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, TypedDict

from setproctitle import setproctitle

from devstack.log_files import appended
from servicekit.process.hold import hold
from servicekit.process.imports import skip_unused_imports

_PR_SET_PDEATHSIG: Final = 1
"""prctl(2): the signal that a process gets when its parent dies."""


class Request(TypedDict):
    """A process to start.

    Attributes:
        arguments: The module to run as `python -m` does, and its arguments.
        environment: All of it.
        log: The file that takes what it writes.
        held: Whether it waits to be released once it has loaded its modules (`servicekit.process.hold`).
    """

    arguments: list[str]
    environment: Mapping[str, str]
    log: str
    held: bool


def main(modules: list[str]) -> None:
    with skip_unused_imports():
        for module in modules:
            importlib.import_module(module)
    gc.freeze()  # so that the garbage collector of a fork leaves these objects' pages shared
    signal.signal(signal.SIGCHLD, _report_ended)
    request = _serve(sys.stdin)
    if request is not None:
        runpy.run_module(request["arguments"][0], run_name="__main__", alter_sys=True)


def _serve(lines: Iterable[str]) -> Request | None:
    """Start what the lines ask for; return the request in a process that is to run it, None at their end."""
    server = os.getpid()
    gates: dict[int, int] = {}
    for line in lines:
        message = json.loads(line)
        if "release" in message:
            _release(gates.pop(message["release"], None))
            continue
        request: Request = message
        # Until then a child's end could be written before its id.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        try:
            pid, gate = _fork(held=request["held"])
        except OSError as error:
            _write({"error": error.errno or errno.EAGAIN})
        else:
            if not pid:
                for other in gates.values():
                    os.close(other)
                if gate is not None:
                    hold(partial(_await_release, gate))
                _become(request, server)
                return request
            if gate is not None:
                gates[pid] = gate
            _write({"pid": pid})
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    return None


def _fork(*, held: bool) -> tuple[int, int | None]:
    """Return the new process's id, 0 in it, and the end that this process has of the pipe by which it is released, if it is held."""
    if not held:
        return os.fork(), None
    reading, writing = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        raise
    own, other = (writing, reading) if pid else (reading, writing)
    os.close(other)
    return pid, own


def _release(gate: int | None) -> None:
    """Let a held process begin, unless it has begun or ended."""
    if gate is not None:
        with suppress(BrokenPipeError):
            os.write(gate, b"\n")
        os.close(gate)


def _await_release(gate: int) -> None:
    is_released = os.read(gate, 1)
    os.close(gate)
    if not is_released:  # the server has ended
        sys.exit(1)


def _become(request: Request, server: int) -> None:
    """Make this process one of its own, which has the request's environment and log, and ends with the server."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != server:  # it died before the call
        os._exit(1)
    os.setsid()
    with appended(Path(request["log"])) as log, Path(os.devnull).open("rb") as nothing:
        for source, target in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(source.fileno(), target)
    # Before the environment changes, by whose place in memory the arguments are found that it writes over.
    setproctitle(" ".join([sys.executable, "-m", *request["arguments"]]))
    os.environ.clear()  # noqa: TID251 - what a service finds in it is the caller's to say
    os.environ.update(request["environment"])  # noqa: TID251
    sys.argv = request["arguments"]


def _report_ended(*_: object) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        _write({"ended": pid, "status": os.waitstatus_to_exitcode(status)})


def _write(message: Mapping[str, int]) -> None:
    # Not through a buffer, which the handler of a signal may find half written.
    os.write(1, f"{json.dumps(message)}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1:])
