"""Imports of YouTube channels: started, followed, listed, stopped."""

from typing import Final

from pydantic import Field

from gateway.domain.import_tasks import FEATURE as _FEATURE
from gateway.domain.import_tasks import SCOPE as _SCOPE
from gateway.domain.import_tasks import has_ended, import_progress, import_task
from gateway.domain.tasks import Task
from gateway.tools._channel_names import channel_of
from gateway.tools._following import followed
from gateway.tools._params import REPEATED_CALL, Day, Params, ToolContext
from gateway.tools._tool import Hints, TaskForm, Tool, tool
from servicekit.errors import InvalidInput, NotFound
from shapes.imports import ImportPage, ImportStatus

_STARTS: Final = Hints(read_only=False, destructive=False, idempotent=True, open_world=True)
_READS: Final = Hints(read_only=True, destructive=False, idempotent=True, open_world=False)
_STOPS: Final = Hints(read_only=False, destructive=True, idempotent=True, open_world=False)


class StartImport(Params):
    channel: str = Field(
        description="A YouTube channel: its id (UC…), its @handle, the URL of the channel or of one "
        "of its videos. Or the name of a creator that youtuber.search knows.",
        min_length=1,
        max_length=300,
    )
    since: Day | None = Field(
        None, description="Only videos published on this day or later.", examples=["2025-01-01"]
    )
    max_videos: int | None = Field(
        None, ge=1, le=100_000, description="At most this many videos, the newest."
    )
    idempotency_key: str | None = Field(
        None,
        min_length=1,
        max_length=100,
        description="The same key again gives the same import instead of another one. Within 24 "
        "hours that is not charged.",
    )


class OneImport(Params):
    import_id: str = Field(description="Id from channel.import.", min_length=1, max_length=100)


class StopImport(OneImport):
    idempotency_key: str | None = Field(
        None, min_length=1, max_length=100, description=REPEATED_CALL
    )


class ListImports(Params):
    limit: int = Field(20, ge=1, le=100, description="Imports on a page.")
    cursor: str | None = Field(
        None, max_length=500, description="`next_cursor` of the page before."
    )


async def as_task(args: StartImport, context: ToolContext) -> Task | ImportStatus:
    """Return the import as a task; its status if it has ended already."""
    started = await _begun(args, context)
    return started if has_ended(started) else import_task(started)


@tool(
    "channel.import",
    title="Import a channel",
    hints=_STARTS,
    scope=_SCOPE,
    feature=_FEATURE,
    elicits=True,
    task=TaskForm(as_task),
    runs_again=True,
)
async def start(args: StartImport, context: ToolContext) -> ImportStatus:
    """Import a YouTube channel: read its videos and put the sponsorships in them into the catalog.

    Answers at once with an `import_id` to follow by channel.importStatus. When progress was asked
    for, it follows the import for up to a minute. A channel that is being imported is joined; videos
    gone from YouTube are removed. If a name may mean several creators, the person is asked which, or
    the answer names them.
    """
    return await _followed(await _begun(args, context), context)


@tool(
    "channel.importStatus",
    title="Status of an import",
    hints=_READS,
    scope=_SCOPE,
    feature=_FEATURE,
    cost=0,
)
async def status(args: OneImport, context: ToolContext) -> ImportStatus:
    """Tell how far an import is, what it found, and in a sentence what it waits for or why it ended.

    Free of charge. When progress was asked for, it follows the import for up to a minute.
    """
    now = await context.imports.call("GetImport", _named(args, context), ImportStatus)
    return await _followed(now, context)


@tool(
    "channel.imports",
    title="My imports",
    hints=_READS,
    scope=_SCOPE,
    feature=_FEATURE,
    cost=0,
)
async def imports(args: ListImports, context: ToolContext) -> ImportPage:
    """List the account's imports, newest first. Free of charge."""
    account_id = context.principal.entitlements.account_id
    arguments = {"account_id": account_id, **args.provided()}
    return await context.imports.call("ListImports", arguments, ImportPage)


@tool(
    "channel.cancelImport",
    title="Cancel an import",
    hints=_STOPS,
    scope=_SCOPE,
    feature=_FEATURE,
    cost=0,
)
async def cancel(args: StopImport, context: ToolContext) -> ImportStatus:
    """Stop an import within one batch of videos; what it found until then stays. Free of charge."""
    return await context.imports.call("CancelImport", _named(args, context), ImportStatus)


async def _begun(args: StartImport, context: ToolContext) -> ImportStatus:
    try:
        return await _started(args, args.channel, context)
    except (InvalidInput, NotFound) as refusal:
        return await _started(args, await channel_of(args.channel, refusal, context), context)


def _named(args: OneImport, context: ToolContext) -> dict[str, object]:
    account_id = context.principal.entitlements.account_id
    return {"account_id": account_id, "import_id": args.import_id}


async def _started(args: StartImport, channel: str, context: ToolContext) -> ImportStatus:
    entitlements = context.principal.entitlements
    arguments = {
        **args.provided(),
        "account_id": entitlements.account_id,
        "max_concurrent": entitlements.concurrent_imports,
        "max_followed": entitlements.followed_channels,
        "channel": channel,
    }
    return await context.imports.call("StartImport", arguments, ImportStatus)


async def _followed(found: ImportStatus, context: ToolContext) -> ImportStatus:
    """Follow the import to its end if the caller wants progress; return its status."""
    if has_ended(found):
        return found
    account_id = context.principal.entitlements.account_id

    def report(now: ImportStatus) -> None:
        context.progress.report(now.videos_seen, now.videos_total, import_progress(now))

    return await followed(
        found, lambda: context.imports.watch(account_id, found.import_id), report, context
    )


TOOLS: Final[tuple[Tool, ...]] = (start, status, imports, cancel)
