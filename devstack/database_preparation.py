"""The process that makes the databases of a home and brings them up to date, beside the start of everything else."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from devstack.children import ChildError
from devstack.interruption import INTERRUPTION
from devstack.log_files import appended, last_lines
from devstack.programs import pipe
from servicekit.process.launch import launch_command
from servicekit.settings_errors import EXIT_STATUS

_MODULE: Final = "devstack.databases"
_TAIL_LINES: Final = 8


@dataclass(slots=True)
class DatabasePreparation:
    """`devstack.databases`, which loads what it needs until it may begin."""

    process: subprocess.Popen[bytes]
    input: IO[bytes]
    output: IO[bytes]
    log: Path

    def begin(self) -> None:
        """Let it begin, as Postgres runs."""
        with suppress(BrokenPipeError):  # it has failed, as is seen next
            self.input.write(b"\n")
            self.input.flush()

    def wait_until_up_to_date(self) -> None:
        """Return when all databases have their newest tables; a new catalogue may still be taking the sample.

        Raises:
            ChildError: It failed.
        """
        if not self.output.readline():
            self.wait()

    def wait(self) -> None:
        """Return when it has done everything.

        Raises:
            ChildError: It failed; the message ends with the last lines of its log.
        """
        if status := self.process.wait():
            text = last_lines(self.log, _TAIL_LINES)
            of_settings = status == EXIT_STATUS
            raise ChildError(text if of_settings else f"Preparing the databases failed:\n{text}")


@contextmanager
def preparing(home: Path, log: Path) -> Generator[DatabasePreparation]:
    """Yield the process, which has ended after the block.

    Args:
        home: The folder of the home.
        log: Takes what it writes.
    """
    with appended(log) as errors, INTERRUPTION.deferred():
        process = subprocess.Popen(
            launch_command([sys.executable, "-m", _MODULE, str(home)]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
            bufsize=0,  # so that what cannot be written is not tried again when the pipe is closed
        )
    with process:
        try:
            yield DatabasePreparation(process, pipe(process.stdin), pipe(process.stdout), log)
        finally:
            process.kill()
