"""Instants as operators type them."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

import typer

_SPAN: Final = re.compile(r"(\d{1,4})([hd])")


def instant(text: str, option: str, *, ahead: bool) -> str:
    """Return an instant as RFC 3339: of a day, an instant, or a span from now such as 36h or 30d.

    With `ahead` a span leads into the future, else into the past.

    Raises:
        typer.BadParameter: It is none of them.
    """
    span = _SPAN.fullmatch(text)
    if span is not None:
        number = int(span[1])
        length = timedelta(hours=number) if span[2] == "h" else timedelta(days=number)
        moment = datetime.now(UTC) + (length if ahead else -length)
        return moment.isoformat(timespec="seconds")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is no day such as 2026-12-31, RFC 3339 instant, or span such as 36h or 30d.",
            param_hint=option,
        ) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()
