"""`sponsorgraph account …`: an account's own limits, and what it uses."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Annotated, Final

import typer

from cli.commands._account_tables import show_account, show_usage
from cli.commands._instants import instant
from cli.commands._shell import account_operations, readable_errors
from cli.commands.accounts import AsJson, Email, Reason
from shapes.auth.auth import AccountLimits

_MAX_REASON: Final = 200


class By(Enum):
    """The grouping of an account's requests."""

    TOOL = "tool"
    KEY = "key"


def set_limits(  # noqa: PLR0913 - options of the command
    email: Email,
    *,
    reason: Annotated[
        str, typer.Option(help="Why; the account sees it on its page of plans. Stays in the log.")
    ],
    monthly_requests: Annotated[
        int | None,
        typer.Option(min=0, max=1_000_000_000, help="Requests that a month (UTC) includes."),
    ] = None,
    burst: Annotated[
        int | None, typer.Option(min=1, max=1_000_000, help="Requests that may come at once.")
    ] = None,
    per_second: Annotated[
        float | None, typer.Option(min=0.01, max=1_000_000, help="Requests a second after those.")
    ] = None,
    streams: Annotated[
        int | None,
        typer.Option(min=1, max=1_000, help="Streams of subscriptions, open at one gateway."),
    ] = None,
    expires: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help="When the plan's limits are back: 2026-12-31 (its first instant, UTC), an RFC 3339 "
            "instant, or 36h or 30d from now. Left out: never.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Give an account limits of its own, in place of those it had. Those left out are the plan's.

    They hold at every gateway within a second, and stay when the plan changes.
    """
    if all(value is None for value in (monthly_requests, burst, per_second, streams)):
        raise typer.BadParameter(
            "Give --monthly-requests, --burst, --per-second or --streams. The plan's limits are back "
            "with `account clear-limits`."
        )
    if not 0 < len(reason) <= _MAX_REASON or not reason.isprintable():
        raise typer.BadParameter(
            f"A reason is one line of 1 to {_MAX_REASON} characters; the account sees it.",
            param_hint="--reason",
        )
    until = None if expires is None else instant(expires, "--expires", ahead=True)
    limits = AccountLimits(monthly_requests, burst, per_second, streams, until, reason)
    with readable_errors():
        show_account(account_operations(reason).set_limits(email, limits), as_json=as_json)


def clear_limits(email: Email, *, reason: Reason = "", as_json: AsJson = False) -> None:
    """Leave an account the limits of its plan."""
    with readable_errors():
        show_account(account_operations(reason).clear_limits(email), as_json=as_json)


def usage(
    email: Email,
    *,
    by: Annotated[By, typer.Option(help="Add up by tool, or by API key and connection.")] = By.TOOL,
    month: Annotated[
        str | None, typer.Option(metavar="YYYY-MM", help="Month in UTC; this one if left out.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show an account's requests of a month by tool or by key; calls that were refunded are left out."""
    with readable_errors():
        found = account_operations().usage(email, month or f"{datetime.now(UTC):%Y-%m}")
        show_usage(found, by_key=by is By.KEY, as_json=as_json)


COMMANDS: Final[Mapping[str, Callable[..., None]]] = {
    "set-limits": set_limits,
    "clear-limits": clear_limits,
    "usage": usage,
}
"""Commands of `sponsorgraph account`, by name."""
