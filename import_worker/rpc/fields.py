"""Fields of requests, checked."""

from datetime import UTC, datetime

from servicekit.errors import InvalidInput


def account(account_id: str) -> str:
    """Return the id of an account; refuse an empty one."""
    if not account_id:
        raise InvalidInput("account_id is missing.", details={"field": "account_id"})
    return text("account_id", account_id)


def text(field: str, value: str) -> str:
    """Return `value`; refuse U+0000, which Postgres cannot store."""
    if "\0" in value:
        raise InvalidInput(f"{field} has a zero byte in it.", details={"field": field})
    return value


def since(moment_text: str) -> datetime:
    """Return the moment of a date or instant in RFC 3339, a date's midnight in UTC."""
    try:
        moment = datetime.fromisoformat(moment_text)
    except ValueError:
        raise InvalidInput(
            f"{moment_text[:40]!r} is no date such as 2026-01-31, nor an instant such as "
            "2026-01-31T12:00:00Z.",
            details={"field": "since"},
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
