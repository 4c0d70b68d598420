"""Instants as text: RFC 3339 in UTC, with "Z"."""

from datetime import UTC, datetime


def to_text(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def to_optional_text(instant: datetime | None) -> str | None:
    return None if instant is None else to_text(instant)
