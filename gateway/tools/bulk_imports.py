"""Lists of channels imported as one job: started, followed, cancelled."""

from typing import Annotated, Final, Literal

from pydantic import Field

from gateway.domain.import_tasks import FEATURE, SCOPE
from gateway.tools._following import followed
from gateway.tools._params import REPEATED_CALL, Day, Params, ToolContext
from gateway.tools._tool import Hints, Tool, tool
from shapes.imports import BulkImportStatus

_STARTS: Final = Hints(read_only=False, destructive=False, idempotent=True, open_world=True)
_READS: Final = Hints(read_only=True, destructive=False, idempotent=True, open_world=False)
_STOPS: Final = Hints(read_only=False, destructive=True, idempotent=True, open_world=False)
_CHANNELS_PER_REQUEST: Final = 25
_ENDED: Final = ("done", "cancelled")


class StartBulkImport(Params):
    channels: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=200)]],
        Field(min_length=1, max_length=1_000),
    ] = Field(
        description="YouTube channels: ids (UC…), @handles, or URLs of channels or of their videos.",
        examples=[["@mkbhd", "UCBJycsmduvYEL83R_U4JriQ"]],
    )
    since: Day | None = Field(
        None, description="Only videos published on this day or later.", examples=["2025-01-01"]
    )
    max_videos: int | None = Field(
        None, ge=1, le=100_000, description="At most this many videos of each channel, the newest."
    )
    idempotency_key: str | None = Field(
        None,
        min_length=1,
        max_length=100,
        description="The same key again gives the same bulk import instead of another one. Within 24 "
        "hours that is not charged.",
    )


class GetBulkImport(Params):
    bulk_import_id: str = Field(
        "", max_length=100, description="Id from channel.bulkImport; the newest one if empty."
    )
    state: Literal["queued", "running", "waiting", "done", "failed", "cancelled"] | None = Field(
        None, description="Only channels in this state."
    )
    limit: int = Field(20, ge=0, le=100, description="Channels on a page; 0 for the totals alone.")
    cursor: str | None = Field(
        None, max_length=500, description="`next_cursor` of the page before."
    )


class CancelBulkImport(Params):
    bulk_import_id: str = Field(
        description="Id from channel.bulkImport.", min_length=1, max_length=100
    )
    idempotency_key: str | None = Field(
        None, min_length=1, max_length=100, description=REPEATED_CALL
    )


def _cost(args: StartBulkImport) -> int:
    return -(-len(args.channels) // _CHANNELS_PER_REQUEST)


@tool(
    "channel.bulkImport",
    title="Import a list of channels",
    hints=_STARTS,
    scope=SCOPE,
    feature=FEATURE,
    cost_of=_cost,
    by_default=False,
    runs_again=True,
)
async def start(args: StartBulkImport, context: ToolContext) -> BulkImportStatus:
    """Import up to 1,000 YouTube channels as one job.

    Answers at once with a `bulk_import_id` to follow by channel.bulkImportStatus. When progress was asked for, it
    follows the job for up to a minute. An account has one such job at a time; it leaves a place for a single
    channel.import. Counts as one request for every 25 channels or part of them.
    """
    entitlements = context.principal.entitlements
    arguments = {
        **args.provided(),
        "account_id": entitlements.account_id,
        "max_concurrent": entitlements.concurrent_imports,
        "max_followed": entitlements.followed_channels,
    }
    return await _followed(
        await context.imports.call("StartBulkImport", arguments, BulkImportStatus), context
    )


@tool(
    "channel.bulkImportStatus",
    title="Status of a list of channels",
    hints=_READS,
    scope=SCOPE,
    feature=FEATURE,
    cost=0,
    by_default=False,
)
async def status(args: GetBulkImport, context: ToolContext) -> BulkImportStatus:
    """Tell how far the import of a list of channels is, and what came of each channel. Free of charge.

    When progress was asked for, it follows the job for up to a minute, and answers without channels.
    """
    account_id = context.principal.entitlements.account_id
    arguments = {
        "account_id": account_id,
        "bulk_import_id": args.bulk_import_id,
        "limit": args.limit,
        **args.provided(),
    }
    found = await context.imports.call("GetBulkImport", arguments, BulkImportStatus)
    return await _followed(found, context)


@tool(
    "channel.cancelBulkImport",
    title="Cancel a list of channels",
    hints=_STOPS,
    scope=SCOPE,
    feature=FEATURE,
    cost=0,
    by_default=False,
)
async def cancel(args: CancelBulkImport, context: ToolContext) -> BulkImportStatus:
    """Stop the import of a list of channels: what is under way ends within one batch of videos. Free of charge.

    What was found until then stays.
    """
    arguments = {
        "account_id": context.principal.entitlements.account_id,
        "bulk_import_id": args.bulk_import_id,
    }
    return await context.imports.call("CancelBulkImport", arguments, BulkImportStatus)


async def _followed(found: BulkImportStatus, context: ToolContext) -> BulkImportStatus:
    if found.state in _ENDED:
        return found
    account_id = context.principal.entitlements.account_id

    def report(now: BulkImportStatus) -> None:
        ended = now.channels_done + now.channels_failed + now.channels_cancelled
        context.progress.report(ended, now.channels_total, now.message)

    return await followed(
        found, lambda: context.imports.watch_bulk(account_id, found.bulk_import_id), report, context
    )


TOOLS: Final[tuple[Tool, ...]] = (start, status, cancel)
