"""Starts processes as forks of one that has loaded what they have in common: `python -m devstack.fork_server MODULE ...`.

It loads the modules, then reads a request for each process from its standard input (`Request`, a line of JSON) and responds
with `{"pid": N}`, or `{"error": E}` with the number of the error by which none could be started. When one of them has ended
it writes `{"ended": N, "status": S}`, with the exit status, or less than 0 by a signal. At the end of its input it ends, and
so do the processes that it started.

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
from pathlib import Path
from typing import Final, TypedDict

from setproctitle import setproctitle

from devstack.log_files import appended
from servicekit.process.imports import skip_unused_imports

_PR_SET_PDEATHSIG: Final = 1
"""prctl(2): the signal that a process gets when its parent dies."""


class Request(TypedDict):
    """A process to start.

    Attributes:
        arguments: The module to run as `python -m` does, and its arguments.
        environment: All of it.
        log: The file that takes what it writes.
    """

    arguments: list[str]
    environment: Mapping[str, str]
    log: str


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
    for line in lines:
        request: Request = json.loads(line)
        # Until then a child's end could be written before its id.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        try:
            pid = os.fork()
        except OSError as error:
            _write({"error": error.errno or errno.EAGAIN})
        else:
            if not pid:
                _become(request, server)
                return request
            _write({"pid": pid})
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    return None


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
