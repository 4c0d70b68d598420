"""Fields of a decoded JSON line, taken with their type; a wrong one is said by its name."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, cast

from devstack.catalog_files.lines import UnreadableLine

Fields = Mapping[str, Any]

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d$")
_LARGEST: Final = 2**63 - 1


def text(fields: Fields, name: str) -> str:
    """Return a text that is not empty."""
    value = optional_text(fields, name)
    if not value:
        raise UnreadableLine(
            f"field {name!r} is missing" if value is None else f"field {name!r} is empty"
        )
    return value


def optional_text(fields: Fields, name: str) -> str | None:
    """Return a text, or None where the field is absent or null."""
    value = fields.get(name)
    if value is None or isinstance(value, str):
        return value
    raise UnreadableLine(f"field {name!r} is no text")


def optional_count(fields: Fields, name: str) -> int | None:
    """Return a whole number of at least 0, or None; digits in a text will do."""
    value = fields.get(name)
    if value is None or value == "":
        return None
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise UnreadableLine(f"field {name!r} is no whole number")
    if not 0 <= value <= _LARGEST:
        raise UnreadableLine(f"field {name!r} is out of range")
    return value


def optional_flag(fields: Fields, name: str) -> bool | None:
    """True, false, or None where the field is absent or null."""
    value = fields.get(name)
    if value is None or isinstance(value, bool):
        return value
    raise UnreadableLine(f"field {name!r} is neither true nor false")


def share(fields: Fields, name: str) -> float:
    """Return a number from 0 to 1."""
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnreadableLine(f"field {name!r} is missing or no number")
    if not 0 <= value <= 1:
        raise UnreadableLine(f"field {name!r} is not from 0 to 1")
    return float(value)


def texts(fields: Fields, name: str) -> tuple[str, ...]:
    """Return a list of texts; empty where the field is absent or null."""
    return tuple(_text_item(name, item) for item in items(fields, name))


def items(fields: Fields, name: str) -> list[Any]:
    """Return a list of anything; empty where the field is absent or null."""
    value = fields.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise UnreadableLine(f"field {name!r} is no list")
    return cast("list[Any]", value)


def instant(fields: Fields, name: str) -> datetime:
    """Return an ISO 8601 instant or day, in UTC; one without an offset is taken to be in UTC."""
    value = text(fields, name)
    try:
        found = datetime.fromisoformat(value)
        if found.tzinfo is None or _DAY.match(value):
            found = found.replace(tzinfo=UTC)
        return found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise UnreadableLine(f"field {name!r} is no date: {value[:40]!r}") from None


def _text_item(name: str, item: object) -> str:
    if not isinstance(item, str) or not item:
        raise UnreadableLine(f"field {name!r} holds something that is no text")
    return item
