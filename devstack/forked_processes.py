"""Processes that are forks of one that has loaded what they have in common: each starts sooner and takes less memory."""

import json
import math
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from devstack.interruption import INTERRUPTION
from devstack.log_files import appended, last_lines
from devstack.programs import pipe
from devstack.running import runs
from servicekit.process.launch import launch_command

_UNKNOWN_STATUS: Final = 255
"""Of a process whose fork server ended before it."""

_LOADING_SECONDS: Final = 30.0
"""Longest that the server takes to load its modules on a busy machine, and more: until its first response."""

_RESPONSE_SECONDS: Final = 5.0
"""Longest that it takes for a response later. Meanwhile nothing else is watched."""

_BLOCK: Final = 4096
_TAIL_LINES: Final = 8
_CHECK_SECONDS: Final = 0.05
_REPORT_SECONDS: Final = 1.0
"""Longest that the server takes to report a process that has ended."""


class ForkError(OSError):
    """The fork server is of no use; another one is started with the next process."""


@dataclass(slots=True)
class ForkServer:
    """Runs `devstack.fork_server`, again when it has ended.

    Attributes:
        modules: That it loads before it forks, by name.
        environment: Of itself alone.
        log: Takes what it writes about itself.
    """

    modules: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    _running: "_RunningServer | None" = None

    def launch(self) -> "_RunningServer":
        """Start it if it does not run; return at once, while it loads its modules."""
        if self._running is not None and self._running.has_ended():
            self._running.close()
            self._running = None
        if self._running is None:
            command = [sys.executable, "-m", "devstack.fork_server", *self.modules]
            with appended(self.log) as errors, INTERRUPTION.deferred():
                process = subprocess.Popen(
                    # One that is stopped takes no other signal, and would keep the services.
                    launch_command(command, death_signal=signal.SIGKILL),
                    env=self.environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    start_new_session=True,
                )
                requests = pipe(process.stdin)
                os.set_blocking(requests.fileno(), False)
                self._running = _RunningServer(process, requests, pipe(process.stdout))
        return self._running

    def fork(
        self, arguments: Sequence[str], environment: Mapping[str, str], log: Path
    ) -> "ForkedProcess":
        """Start `python -m ARGUMENTS` with exactly this environment; the log takes its output.

        Raises:
            ForkError: The server ends by itself, or was ended as it did not respond; the message ends with its log.
            OSError: The server cannot be started, or cannot start another process now.
        """
        request = {"arguments": arguments, "environment": environment, "log": str(log)}
        with suppress(BrokenPipeError):  # somebody has ended it: another one does
            return self._forked(request)
        try:
            return self._forked(request)
        except BrokenPipeError as error:
            raise self._failed("ended twice before it had started the process") from error

    def _forked(self, request: Mapping[str, object]) -> "ForkedProcess":
        running = self.launch()
        try:
            return ForkedProcess(running, running.pid_of(request))
        except TimeoutError as error:
            running.process.kill()
            raise self._failed(
                "did not respond and was ended, and with it what it had started"
            ) from error

    def _failed(self, how: str) -> ForkError:
        tail = last_lines(self.log, _TAIL_LINES)
        text = f"The process that starts services {how}; its log is {self.log}.\n{tail}"
        return ForkError(text.strip())

    def stop(self) -> None:
        """End it, and with it what it has started."""
        if self._running is not None:
            self._running.process.kill()  # at once, whatever it is loading
            self._running.close()


@dataclass(slots=True)
class _RunningServer:
    """A process of the server, and what it has said."""

    process: subprocess.Popen[bytes]
    requests: IO[bytes]
    messages: IO[bytes]
    _statuses: dict[int, int] = field(default_factory=dict[int, int])
    _responses: list[Mapping[str, int]] = field(default_factory=list[Mapping[str, int]])
    _unread: bytes = b""
    _seconds: float = _LOADING_SECONDS
    _has_ended: bool = False

    def has_ended(self) -> bool:
        """Return whether it starts nothing any more; its last messages may still be there to read."""
        # Its files are closed a moment before its end can be seen.
        return self._has_ended or self.process.poll() is not None

    def pid_of(self, request: Mapping[str, object]) -> int:
        """Return the id of the process that is started for a request.

        Raises:
            BrokenPipeError: The server has ended.
            TimeoutError: It does not respond.
            OSError: It cannot start a process now.
        """
        deadline = time.monotonic() + self._seconds
        self._send(request, deadline)
        while not self._responses:
            # One that lies there already is read, however late it is.
            is_late = time.monotonic() > deadline
            self._receive(max(0.0, deadline - time.monotonic()))
            if self._has_ended and not self._responses:
                raise BrokenPipeError
            if is_late and not self._responses:
                raise TimeoutError
        self._seconds = _RESPONSE_SECONDS
        response = self._responses.pop()
        if "error" in response:
            raise OSError(response["error"], os.strerror(response["error"]))
        return response["pid"]

    def status_of(self, pid: int, seconds: float | None) -> int | None:
        """Return the exit status of a process of its own once it has ended; None if it has not within some seconds."""
        deadline = math.inf if seconds is None else time.monotonic() + seconds
        while pid not in self._statuses:
            left = max(0.0, deadline - time.monotonic())
            self._receive(min(left, _CHECK_SECONDS))
            if pid not in self._statuses and not runs(pid):
                self._await_report(pid)
            elif not left:
                break
        return self._statuses.get(pid)

    def _await_report(self, pid: int) -> None:
        """Wait for the status of a process that has ended; a server that is stopped or was killed does not report it."""
        deadline = time.monotonic() + _REPORT_SECONDS
        while pid not in self._statuses and not self._has_ended:
            left = deadline - time.monotonic()
            if left <= 0:
                break
            self._receive(left)  # which may bring another one's
        self._statuses.setdefault(pid, _UNKNOWN_STATUS)

    def close(self) -> None:
        """Let the server end, after which its processes do; keep what it has said of those that had ended."""
        self.requests.close()
        while not self._has_ended:
            self._receive(None)
        self.messages.close()
        self.process.wait()

    def _send(self, message: Mapping[str, object], deadline: float) -> None:
        """Write a message; a server that is stopped reads none, and a pipe takes only so much.

        Raises:
            BrokenPipeError: The server has ended.
            TimeoutError: It does not read.
        """
        requests = self.requests.fileno()
        left = memoryview(f"{json.dumps(message)}\n".encode())
        while left:
            if not select.select([], [requests], [], max(0.0, deadline - time.monotonic()))[1]:
                raise TimeoutError
            left = left[os.write(requests, left) :]

    def _receive(self, seconds: float | None) -> None:
        """Take in what it says within some seconds."""
        if self._has_ended:
            time.sleep(seconds or 0)
            return
        messages = self.messages.fileno()
        if not select.select([messages], [], [], seconds)[0]:
            return
        block = os.read(messages, _BLOCK)
        self._has_ended = not block
        *lines, self._unread = (self._unread + block).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "ended" in message:
                self._statuses[message["ended"]] = message["status"]
            else:
                self._responses.append(message)


@dataclass(slots=True)
class ForkedProcess:
    """A process that a fork server has started, with what is used of `subprocess.Popen`."""

    server: _RunningServer
    pid: int
    returncode: int | None = None

    def poll(self) -> int | None:
        """Return its exit status; None while it runs."""
        return self._ended_within(0)

    def wait(self, timeout: float | None = None) -> int:
        """Return its exit status when it has ended.

        Raises:
            subprocess.TimeoutExpired: It has not within so many seconds.
        """
        status = self._ended_within(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return status

    def send_signal(self, number: signal.Signals) -> None:
        """Send it a signal if it runs."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has ended since
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def _ended_within(self, seconds: float | None) -> int | None:
        if self.returncode is None:
            self.returncode = self.server.status_of(self.pid, seconds)
        return self.returncode
