"""Watches: what the account is told of by itself: `watch.create`, `.list`, `.delete`."""

from typing import Final, Literal

from pydantic import Field

from gateway.tools._params import REPEATED_CALL, Params, ToolContext
from gateway.tools._tool import READS, Hints, Tool, tool
from shapes.alerts import DeletedWatch, Watch, WatchList

_ADDS: Final = Hints(read_only=False, destructive=False, idempotent=True, open_world=False)
_DELETES: Final = Hints(read_only=False, destructive=True, idempotent=True, open_world=False)

EventKind = Literal[
    "sponsorship.new",
    "sponsorship.first",
    "relation.lapsed",
    "import.finished",
    "quota.reached",
    "report.decided",
]


class CreateWatch(Params):
    about: Literal["sponsor", "youtuber", "category", "import", "quota", "report"] = Field(
        description="What to watch. category: of brands; import: one of the account's own, or all; quota: its "
        "requests of the month; report: decisions on its reports of wrong results."
    )
    subject: str = Field(
        "",
        max_length=300,
        description="Which one: id, slug, domain, @handle or name; id of a category or import. Empty for all "
        "imports, for the quota and for reports.",
        examples=["nordvpn"],
    )
    kinds: list[EventKind] = Field(
        [],
        max_length=6,
        description="Only these events; all of the subject if empty. sponsorship.new: of a video of the last 30 days. "
        "sponsorship.first: such a one, the first of a brand with a creator whose videos are known for 180 days before. "
        "relation.lapsed: by the rule of `status`.",
        examples=[["sponsorship.first"]],
    )
    channel: str = Field(
        "email",
        min_length=1,
        max_length=100,
        description="email: the account's own address. Or a `channel_id` of watch.list.",
    )
    idempotency_key: str | None = Field(
        None, min_length=1, max_length=100, description=REPEATED_CALL
    )


@tool(
    "watch.create",
    title="Watch a brand or creator",
    hints=_ADDS,
    scope="channels:import",
    feature="alerts",
    by_default=False,
)
async def create(args: CreateWatch, context: ToolContext) -> Watch:
    """Watch a brand, creator, category, own imports or reports, or the quota: what happens is sent to a channel by itself.

    The same subject by the same channel again changes the kinds of the watch that is there. Webhooks, Slack,
    Discord, other addresses and feeds are set up on the site's page Alerts. Counts as 1 request.
    """
    return await context.alerts.call(
        "CreateWatch",
        {
            "account_id": context.principal.entitlements.account_id,
            "about": args.about,
            "subject": args.subject,
            "kinds": args.kinds,
            "channel": args.channel,
        },
        Watch,
    )


class ListWatches(Params):
    pass


@tool(
    "watch.list",
    title="My watches",
    hints=READS,
    scope="channels:import",
    feature="alerts",
    cost=0,
    by_default=False,
)
async def list_all(_args: ListWatches, context: ToolContext) -> WatchList:
    """List the account's watches and channels. Free of charge."""
    account_id = context.principal.entitlements.account_id
    return await context.alerts.call("ListWatches", {"account_id": account_id}, WatchList)


class DeleteWatch(Params):
    watch_id: str = Field(description="Id from watch.list.", min_length=1, max_length=100)
    idempotency_key: str | None = Field(
        None, min_length=1, max_length=100, description=REPEATED_CALL
    )


@tool(
    "watch.delete",
    title="Delete a watch",
    hints=_DELETES,
    scope="channels:import",
    feature="alerts",
    cost=0,
    by_default=False,
)
async def delete(args: DeleteWatch, context: ToolContext) -> DeletedWatch:
    """Delete a watch, with what it has not delivered yet. Free of charge."""
    arguments = {
        "account_id": context.principal.entitlements.account_id,
        "watch_id": args.watch_id,
    }
    return await context.alerts.call("DeleteWatch", arguments, DeletedWatch)


TOOLS: Final[tuple[Tool, ...]] = (create, list_all, delete)
