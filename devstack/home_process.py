"""Processes that do one thing in a running home and end: `python -m MODULE HOME`."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from devstack.home import Addresses, Home

_USAGE_STATUS: Final = 2


def run_in_home(
    arguments: list[str], usage: str | None, work: Callable[[Home, Addresses], None]
) -> int:
    """Call `work` with the home that the arguments name; return the exit status, 2 if they name none that runs.

    `usage` is written then.
    """
    home = Home(Path(arguments[0])) if len(arguments) == 1 else None
    addresses = home.addresses() if home else None
    if home is None or addresses is None:
        sys.stderr.write(f"{usage}\n")
        return _USAGE_STATUS
    work(home, addresses)
    return 0
