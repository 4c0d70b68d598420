"""Lists as files: `catalog.export`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Final, Literal

import msgspec
from pydantic import BeforeValidator, Field

from gateway.domain.errors import InvalidArguments
from gateway.domain.exports import MAX_ROWS
from gateway.quota.errors import QuotaExceeded, month_used_up
from gateway.tools._params import Params, Text, ToolContext
from gateway.tools._tool import READS, Tool, tool

_DEFAULT_ROWS: Final = 1_000


def _json(value: object) -> object:
    """Return an object as its JSON: providers that follow schemas strictly take no object without named members."""
    return msgspec.json.encode(value).decode() if isinstance(value, Mapping) else value


class ExportList(Params):
    tool: Text = Field(description="The tool whose list is wanted.", examples=["sponsor.top"])
    arguments: Annotated[str, BeforeValidator(_json)] = Field(
        "{}",
        max_length=8_000,
        description="Its arguments as a JSON object, without limit and cursor.",
        examples=['{"category": "vpn"}'],
    )
    format: Literal["csv", "parquet", "markdown", "jsonl"] = Field(
        "csv", description="The file's format; jsonl: an object a line."
    )
    rows: int = Field(
        _DEFAULT_ROWS,
        ge=1,
        le=MAX_ROWS,
        description="Most rows of the file. Of a list of one page 50 at most, of catalog.query 500.",
    )
    dry_run: bool = Field(False, description="Tell columns and requests without making a link.")


@dataclass(frozen=True, slots=True)
class Export:
    """A link to a file."""

    url: Annotated[
        str | None, "Where the file is, for whoever has this address; null in a dry run."
    ]
    expires_at: Annotated[datetime | None, "When the address ends at the latest."]
    file_name: Annotated[
        str, "Name of the file; one whose rows are known to be cut has -first-N-rows in it."
    ]
    media_type: Annotated[str, "Media type of the file."]
    columns: Annotated[tuple[str, ...], "Its columns."]
    max_rows: Annotated[int, "Most rows of the file."]
    max_requests: Annotated[
        int,
        "Most requests that each download counts as: one for every page of 50 rows that there is; 5 for catalog.query.",
    ]
    requests_remaining: Annotated[int, "Requests that are left this month."]
    note: Annotated[
        str | None,
        "Where the file ends, how its arguments were read, and why it is empty, if it is.",
    ]

    @property
    def resource_link(self) -> dict[str, object] | None:
        """The link as MCP's content has it; None in a dry run.

        https://modelcontextprotocol.io/specification/2025-06-18/server/tools#resource-links
        """
        if self.url is None:
            return None
        return {
            "type": "resource_link",
            "uri": self.url,
            "name": self.file_name,
            "mimeType": self.media_type,
        }


@tool(
    "catalog.export",
    title="Export a list",
    hints=READS,
    cost=0,
    third_party_text=False,
    by_default=False,
)
async def export(args: ExportList, context: ToolContext) -> Export:
    """Make a link to a file of a list: a ranking, a search, or videos and sponsorships, up to 10,000 rows; of catalog.query 500.

    The link lives for an hour, and ends with any change of the account. Making it is free; each download counts as the
    pages that it reads, one for every 50 rows, and one of catalog.query as 5. Give the link to the user: do not read the file yourself.
    """
    made = await make_link(args, context)
    if args.rows > max(made.max_rows, _DEFAULT_ROWS):
        raise InvalidArguments(
            f"`rows` is {args.rows:,}, and a file of {args.tool} has at most {made.max_rows:,} rows: ask for {made.max_rows:,} or fewer.",
            details={"field": "rows"},
        )
    checked = await context.backends.exports.check(args.tool, _object(args.arguments), context)
    note = " ".join(filter(None, (made.note, checked.note)))
    return replace(made, columns=checked.columns, note=note or None)


async def make_link(args: ExportList, context: ToolContext) -> Export:
    """Return the link to a list whose first page may fail: a download reads that page anyway."""
    exports, principal = context.backends.exports, context.principal
    named = (args.tool, _object(args.arguments), args.format, args.rows)
    planned = exports.plan(principal, *named)
    url, expires_at = None, None
    if not args.dry_run:
        _check_quota(planned.max_requests, context)
        url, end = exports.url(principal, *named)
        expires_at = datetime.fromtimestamp(int(end), UTC)
    return Export(
        url=url,
        expires_at=expires_at,
        file_name=planned.file_name,
        media_type=planned.media_type,
        columns=planned.columns,
        max_rows=planned.max_rows,
        max_requests=planned.max_requests,
        requests_remaining=context.quota.remaining,
        note=planned.note,
    )


def _object(text: str) -> dict[str, object]:
    try:
        return msgspec.json.decode(text, type=dict[str, object])
    except (msgspec.DecodeError, ValueError, RecursionError):
        raise InvalidArguments(
            '`arguments` must be a JSON object, such as {"category": "vpn"}.',
            details={"field": "arguments"},
        ) from None


def _check_quota(requests: int, context: ToolContext) -> None:
    quota, now = context.quota, datetime.now(UTC)
    is_own_limit = context.principal.entitlements.own_monthly_requests
    if requests <= quota.remaining:
        return
    if quota.remaining <= 0:
        raise month_used_up(quota, now, is_own_limit=is_own_limit)
    left = "1 is" if quota.remaining == 1 else f"{quota.remaining:,} are"
    raise QuotaExceeded(
        f"This file may need {requests:,} requests, and {left} left this month: ask for fewer `rows`.",
        state=quota,
        retry_after=max(1.0, (quota.resets_at - now).total_seconds()),
        is_own_limit=is_own_limit,
    )


TOOLS: Final[tuple[Tool, ...]] = (export,)
