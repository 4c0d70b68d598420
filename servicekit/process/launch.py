"""Child processes that end with their parent, started without a fork.

Between fork and exec the child would run handlers of gRPC's threads, and now and then crash in them.
So Popen is given nothing to do there (it then uses vfork), and a small program in the child changes
the user, asks for the signal and becomes the command.
"""

import os
import pwd
import signal
import sys
from collections.abc import Sequence
from typing import Final

# prctl(2): after the change of user, which would undo it, and kept through exec. 1 is
# PR_SET_PDEATHSIG, the signal that a child gets when its parent dies. A parent that died before the
# call sends none: the child then has another parent by the check after it. The signal has its default
# effect until the command handles it, even where the parent ignores it.
_PROGRAM: Final = """
import ctypes, os, sys
user, group, parent, death_signal = map(int, sys.argv[1:5])
if user >= 0:
    os.setgroups([])
    os.setgid(group)
    os.setuid(user)
if sys.platform == "linux":
    libc = ctypes.CDLL(None)
    libc.signal(death_signal, None)
    libc.prctl(1, death_signal)
    if os.getppid() != parent:
        sys.exit(1)
os.execv(sys.argv[5], sys.argv[5:])
"""


def launch_command(
    command: Sequence[str],
    user: pwd.struct_passwd | None = None,
    death_signal: signal.Signals = signal.SIGTERM,
) -> list[str]:
    """Return the command, whose program is a path, as what Popen of this process is to start.

    On Linux it gets `death_signal` when the thread that started it is gone, and does not run at all when
    this process ended before it. The process keeps its id.
    """
    ids = (-1, -1) if user is None else (user.pw_uid, user.pw_gid)
    numbers = map(str, (*ids, os.getpid(), int(death_signal)))
    return [sys.executable, "-I", "-S", "-c", _PROGRAM, *numbers, *command]
