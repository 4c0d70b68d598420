"""Programs of this machine, while the start of a stack may be interrupted."""

import pwd
import subprocess
from collections.abc import Sequence
from typing import IO

from devstack.interruption import INTERRUPTION
from servicekit.process.launch import launch_command


def run_to_end(
    command: Sequence[str], user: pwd.struct_passwd | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a program, given by its path, and return what it wrote; end it if the start is interrupted."""
    with INTERRUPTION.deferred():
        process = subprocess.Popen(
            launch_command(command, user),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    try:
        output, errors = process.communicate()
    except BaseException:
        process.kill()
        process.wait()
        raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def pipe(file: IO[bytes] | None) -> IO[bytes]:
    """Return the end of a pipe that Popen was asked for, of which its type does not know.

    Raises:
        ValueError: It was asked for none.
    """
    if file is None:
        raise ValueError("The program has no such pipe.")
    return file
