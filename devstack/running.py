"""Whether a process runs that may be no child of this one."""

import psutil


def runs(pid: int) -> bool:
    """Return whether a process runs under an id; one that has ended and whose parent has not noticed does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:  # it is somebody else's
        return True
