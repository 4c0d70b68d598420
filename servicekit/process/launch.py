"""Child processes that end with their parent, started without a fork.

Between fork and exec the child would run handlers of gRPC's threads, and now and then crash in them.
So Popen is given nothing to do there (it then uses vfork), and a small program in the child changes
the user, asks for the signal and becomes the command.
"""

import pwd
import sys
from collections.abc import Sequence
from typing import Final

# prctl(2): after the change of user, which would undo it, and kept through exec. 1 is
# PR_SET_PDEATHSIG, the signal that a child gets when its parent dies; 15 is SIGTERM.
_PROGRAM: Final = """
import ctypes, os, sys
user, group = int(sys.argv[1]), int(sys.argv[2])
if user >= 0:
    os.setgroups([])
    os.setgid(group)
    os.setuid(user)
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, 15)
os.execv(sys.argv[3], sys.argv[3:])
"""


def launch_command(command: Sequence[str], user: pwd.struct_passwd | None = None) -> list[str]:
    """Return the command, whose program is a path, as what Popen is to start.

    On Linux it is told to stop when the thread that started it is gone. The process keeps its id.
    """
    ids = ("-1", "-1") if user is None else (str(user.pw_uid), str(user.pw_gid))
    return [sys.executable, "-I", "-S", "-c", _PROGRAM, *ids, *command]
