"""Child processes that are started again when they end by themselves."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from devstack.forked_processes import ForkedProcess, ForkServer
from devstack.interruption import INTERRUPTION
from devstack.log_files import appended, last_lines, size_of, text_from
from servicekit.process.launch import launch_command
from servicekit.settings_errors import EXIT_STATUS

_QUICK_SECONDS: Final = 5.0
_QUICK_ENDS: Final = 5
"""A child that ends so often, each time so soon after its start, is given up."""

_LONGEST_PAUSE: Final = 5.0
_RETRY_SECONDS: Final = 1.0
_STOP_SECONDS: Final = 15.0

_DEFAULTS: Final[Mapping[str, str]] = {
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_MMAP_THRESHOLD_": "1048576",
}
"""Of the C library: threads of gRPC would each get an arena of their own and keep what was freed there, and once a password was
hashed, what its hash takes would stay with the process."""


def inherited_environment(
    environment: Mapping[str, str] = os.environ,  # noqa: TID251 - children keep the shell's settings
) -> Mapping[str, str]:
    """Return what the children of a process with this environment find in theirs, beside their own settings."""
    inherited = {k: v for k, v in environment.items() if not k.endswith("_LOG_FORMAT")}
    return {**_DEFAULTS, **inherited}


class ChildError(Exception):
    """A child cannot be kept running; the message ends with the last lines of its log."""


@dataclass(slots=True)
class Child:
    """`python -m MODULE ARGUMENTS` with its log file.

    Attributes:
        name: Of the process, for people.
        arguments: The module and its arguments.
        environment: Its settings, beside those of this process.
        log: Takes what it writes.
        fork_server: That starts it; without one it loads all of its modules itself.
        process: The one that was started last.
        gives_up: Whether ending right after each start is taken for a fault of its own; not once it was seen to work.
    """

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    fork_server: ForkServer | None = None
    process: subprocess.Popen[bytes] | ForkedProcess | None = None
    gives_up: bool = True
    _log_start: int = 0
    _quick_ends: int = 0
    _started: float = 0.0
    _start_at: float | None = field(default=None)

    @property
    def pid(self) -> int:
        return self.process.pid if self.process else 0

    def start(self) -> None:
        environment = {**inherited_environment(), **self.environment}
        self._log_start = size_of(self.log)
        if self.fork_server is not None:
            # Interrupted meanwhile, the process ends with the server.
            self.process = self.fork_server.fork(self.arguments, environment, self.log)
        else:
            self._spawn(environment)
        self._started = time.monotonic()
        self._start_at = None

    def _spawn(self, environment: Mapping[str, str]) -> None:
        with appended(self.log) as output, INTERRUPTION.deferred():
            self.process = subprocess.Popen(
                launch_command([sys.executable, "-m", *self.arguments]),
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def watch(self) -> bool:
        """Start the child again when it has ended and its pause is over; True when it did.

        Raises:
            ChildError: It keeps ending right after its start, or its settings are wrong, and `gives_up`.
            OSError: It cannot be started now; to be called again.
        """
        if self.process is None or self.process.poll() is None:
            return False
        self._check_settings()
        now = time.monotonic()
        if self._start_at is None:
            self._start_at = now + self._pause(now - self._started)
        if now < self._start_at:
            return False
        self._start_at = now + _RETRY_SECONDS
        self.start()
        return True

    def _check_settings(self) -> None:
        """Raise ChildError if the process ended because of its settings, which stay what they are."""
        if self.gives_up and self.process is not None and self.process.returncode == EXIT_STATUS:
            raise ChildError(text_from(self.log, self._log_start))

    @property
    def keeps_ending(self) -> bool:
        """Return whether the process has ended right after each of its last starts."""
        return self._quick_ends >= _QUICK_ENDS

    @property
    def has_settled(self) -> bool:
        """Return whether the process that was started last has run for longer than one that ends soon, as far as is known."""
        has_lived = time.monotonic() - self._started >= _QUICK_SECONDS
        return self.process is not None and self._start_at is None and has_lived

    def end_pause(self) -> None:
        """End the pause before the next start, if there is one."""
        if self._start_at is not None:
            self._start_at = time.monotonic()

    def _pause(self, lived: float) -> float:
        """Return seconds to wait before the next start: none, unless the child ends soon each time."""
        if lived >= _QUICK_SECONDS:
            self._quick_ends = 0
            return 0.0
        self._quick_ends += 1
        if self.keeps_ending and self.gives_up:
            raise ChildError(f"{self.name} keeps ending right after its start:\n{self.tail()}")
        return min(0.2 * 2 ** min(self._quick_ends, _QUICK_ENDS), _LONGEST_PAUSE)

    def run_to_end(self) -> None:
        """Wait for a child that is to end by itself.

        Raises:
            ChildError: It ended with a failure.
        """
        if self.process is not None and self.process.wait():
            self._check_settings()
            raise ChildError(f"{self.name} failed:\n{self.tail()}")

    def request_stop(self, *, gracefully: bool = True) -> None:
        if self.process is not None and self.process.poll() is None:
            if gracefully:
                self.process.terminate()
            else:
                self.process.kill()

    def wait_stopped(self) -> None:
        if self.process is None:
            return
        try:
            self.process.wait(timeout=_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def tail(self, lines: int = 8) -> str:
        """Return the last lines of the child's log."""
        return last_lines(self.log, lines)


def wait_until(
    ready: Callable[[], bool], children: Sequence[Child], subject: str, seconds: float
) -> None:
    """Wait until `ready()`, keeping `children` running meanwhile.

    Raises:
        ChildError: It took longer than `seconds`, or a child cannot be kept running.
    """
    deadline = time.monotonic() + seconds
    while not ready():
        for child in children:
            child.watch()
        if time.monotonic() > deadline:
            tails = "\n".join(f"--- {child.name}\n{child.tail(3)}" for child in children)
            raise ChildError(f"{subject} took longer than {seconds:.0f} s.\n{tails}")
        time.sleep(0.05)
