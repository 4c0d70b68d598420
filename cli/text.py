"""Other people's texts on a terminal: nothing in them may style or steer it."""

from rich.markup import escape


def one_line(text: str) -> str:
    """Return a text with a blank in the place of each character that is not printed."""
    return "".join(item if item.isprintable() else " " for item in text)


def lines(text: str) -> str:
    """Return a text in its lines, of the same length, with a blank in the place of each other character that is not printed."""
    return "".join(item if item.isprintable() or item == "\n" else " " for item in text)


def printable(text: str) -> str:
    """Return a text as one line in which Rich finds no markup."""
    return escape(one_line(text))
