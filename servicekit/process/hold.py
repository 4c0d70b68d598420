"""A process that has loaded its modules and waits until it may begin, as on one machine while the databases are prepared."""

from collections.abc import Callable

_waits: list[Callable[[], None]] = []


def hold(wait: Callable[[], None]) -> None:
    """Let this process call `wait` when it has loaded its modules, and begin when that returns."""
    _waits.append(wait)


def wait_until_released() -> None:
    """Return when the process may begin; at once where nothing holds it."""
    while _waits:
        _waits.pop()()
