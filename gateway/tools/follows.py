"""Channels that an account follows: new videos of them are imported without being asked for."""

from dataclasses import replace
from typing import Final

from pydantic import Field

from gateway.domain.import_tasks import FEATURE, SCOPE
from gateway.tools._channel_names import channel_of, known_by_handle
from gateway.tools._params import REPEATED_CALL, Params, ToolContext
from gateway.tools._tool import READS, Hints, Tool, tool
from servicekit.errors import InvalidInput, NotFound, ResourceExhausted, ServiceError, Unavailable
from shapes.imports import Follow, FollowPage

_FOLLOWS: Final = Hints(read_only=False, destructive=False, idempotent=True, open_world=True)
_ENDS: Final = Hints(read_only=False, destructive=True, idempotent=True, open_world=True)
_SOURCE_RESTS: Final = frozenset({"SOURCE_UNAVAILABLE", "SOURCE_QUOTA_USED_UP"})
"""Reasons for which YouTube could not be asked."""


class FollowChannel(Params):
    channel: str = Field(
        description="Its id (UC…), its @handle, its URL or that of one of its videos. Or a creator's name that "
        "youtuber.search knows.",
        min_length=1,
        max_length=300,
    )
    idempotency_key: str | None = Field(
        None, min_length=1, max_length=100, description=REPEATED_CALL
    )


class UnfollowChannel(Params):
    channel: str = Field(
        description="Its id (UC…) from channel.following, its @handle, or its URL.",
        min_length=1,
        max_length=300,
    )
    idempotency_key: str | None = Field(
        None, min_length=1, max_length=100, description=REPEATED_CALL
    )


class ListFollowing(Params):
    limit: int = Field(20, ge=1, le=100, description="Channels on a page.")
    cursor: str | None = Field(
        None, max_length=500, description="`next_cursor` of the page before."
    )


@tool(
    "channel.follow",
    title="Follow a channel",
    hints=_FOLLOWS,
    scope=SCOPE,
    feature=FEATURE,
    elicits=True,
    by_default=False,
)
async def follow(args: FollowChannel, context: ToolContext) -> Follow:
    """Follow a YouTube channel: its new videos are found in its feed and imported by themselves.

    A channel that was never imported is imported first (state importing), and followed once that is done. Whoever
    imports a channel follows it, as long as the plan allows more. Beyond what a plan allows, channels are paused.
    """
    try:
        return await _follow(args.channel, context)
    except (InvalidInput, NotFound) as refusal:
        name = await channel_of(args.channel, refusal, context, "followed")
        return await _follow(name, context)


@tool(
    "channel.unfollow",
    title="Unfollow a channel",
    hints=_ENDS,
    scope=SCOPE,
    feature=FEATURE,
    cost=0,
    by_default=False,
)
async def unfollow(args: UnfollowChannel, context: ToolContext) -> Follow:
    """End following a channel; what was imported of it stays. Free of charge."""
    try:
        return await _unfollow(args.channel, context)
    except (Unavailable, ResourceExhausted) as refusal:
        known = await _known_without_source(args.channel, refusal, context)
        return await _unfollow(known, context)


@tool(
    "channel.following",
    title="Followed channels",
    hints=READS,
    scope=SCOPE,
    feature=FEATURE,
    cost=0,
    by_default=False,
)
async def following(args: ListFollowing, context: ToolContext) -> FollowPage:
    """List the channels that the account follows, newest first, with the last and the next check of each. Free of charge."""
    account_id = context.principal.entitlements.account_id
    arguments = {"account_id": account_id, **args.provided()}
    found = await context.imports.call("ListFollows", arguments, FollowPage)
    if not found.paused:
        return found
    subject = "1 channel is" if found.paused == 1 else f"{found.paused:,} channels are"
    return replace(found, note=_reason(subject, context))


async def _unfollow(channel: str, context: ToolContext) -> Follow:
    return await context.imports.call("UnfollowChannel", _of_channel(channel, context), Follow)


def _of_channel(channel: str, context: ToolContext) -> dict[str, object]:
    """Return what a call about a followed channel says."""
    entitlements = context.principal.entitlements
    return {
        "account_id": entitlements.account_id,
        "channel": channel,
        "max_followed": entitlements.followed_channels,
    }


async def _known_without_source(channel: str, refusal: ServiceError, context: ToolContext) -> str:
    """Return the id that the catalog has for a handle which YouTube could not be asked for; raise `refusal` without one."""
    if refusal.reason not in _SOURCE_RESTS:
        raise refusal
    known = await known_by_handle(channel.strip(), context)
    if known is None:
        raise refusal
    return known


async def _follow(channel: str, context: ToolContext) -> Follow:
    limit = context.principal.entitlements.concurrent_imports
    arguments = {**_of_channel(channel, context), "max_concurrent": limit}
    found = await context.imports.call("FollowChannel", arguments, Follow)
    if found.state != "paused":
        return found
    return replace(found, note=_reason("The channel is", context))


def _reason(subject: str, context: ToolContext) -> str:
    """Return why channels are paused, and what to do about it."""
    entitlements = context.principal.entitlements
    allowed = f"{entitlements.followed_channels:,}" if entitlements.followed_channels else "no"
    return (
        f"{subject} paused, so that new videos are not imported: the plan {entitlements.plan_name} allows {allowed} followed "
        "channels. Unfollow others with `channel.unfollow`, or choose a plan that allows more on the site's page Plans: "
        "following goes on by itself then."
    )


TOOLS: Final[tuple[Tool, ...]] = (follow, unfollow, following)
