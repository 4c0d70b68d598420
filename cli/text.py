"""Other people's texts on a terminal: nothing in them may style or steer it."""

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.status import Status
from rich.text import Text


class PlainConsole(Console):
    """A terminal that shows texts as they are: no markup unless a call says so, and no control character."""

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        super().__init__(stderr=stderr, width=width, highlight=False, markup=False, emoji=False)

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(lines(text), **options)


def plain_updates(status: Status) -> Callable[[str], None]:
    """Return what shows a text beside a spinner, which would take it for markup."""
    return lambda text: status.update(Text(lines(text)))


def one_line(text: str) -> str:
    """Return a text with a blank in the place of each character that is not printed."""
    return "".join(item if item.isprintable() else " " for item in text)


def lines(text: str) -> str:
    """Return a text in its lines, with its tabs, and with a blank in the place of each other character that is not printed."""
    return "".join(item if item.isprintable() or item in "\n\t" else " " for item in text)
