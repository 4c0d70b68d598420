"""Followed channels as tools see them: whose they are, how many there may be, and names of creators."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gateway.quota.models import QuotaState
from gateway.tools import Backends, ToolContext, all_tools, follows, is_listed
from servicekit.errors import InvalidInput, NotFound, Unavailable
from shapes.imports import Follow
from tests.fakes.gateway_ports import (
    RESET,
    SILENT,
    FakeAlerts,
    FakeCatalog,
    FakeImports,
    principal,
    youtuber_card,
)

TOOLS = {tool.name: tool for tool in all_tools()}


def context(imports: FakeImports, catalog: FakeCatalog | None = None) -> ToolContext:
    backends = Backends(catalog or FakeCatalog(), imports, FakeAlerts())
    return ToolContext(principal(), QuotaState(1000, 999, RESET, RESET), backends, SILENT)


async def test_a_channel_is_followed_within_the_limits_of_the_plan() -> None:
    imports = FakeImports()
    args = follows.FollowChannel.parse({"channel": "@example"})
    assert isinstance(await follows.follow.run(args, context(imports)), Follow)
    assert imports.requests == [
        (
            "FollowChannel",
            {
                "account_id": "account-1",
                "channel": "@example",
                "max_followed": 200,
                "max_concurrent": 2,
            },
        )
    ]


async def test_a_name_that_no_creator_has_is_refused_as_the_worker_did() -> None:
    refusal = InvalidInput("That names no channel.", details={"field": "channel"})
    imports = FakeImports(error=refusal)
    args = follows.FollowChannel.parse({"channel": "@example"})
    with pytest.raises(InvalidInput, match="names no channel"):
        await follows.follow.run(args, context(imports))


async def test_a_channel_is_unfollowed_by_what_the_caller_named_alone() -> None:
    imports = FakeImports(error=NotFound("You do not follow it."))
    args = follows.UnfollowChannel.parse({"channel": "Linus Tech Tips"})
    with pytest.raises(NotFound):
        await follows.unfollow.run(args, context(imports))
    ((name, arguments),) = imports.requests
    assert (name, arguments["account_id"]) == ("UnfollowChannel", "account-1")
    assert (arguments["channel"], arguments["max_followed"]) == ("Linus Tech Tips", 200)


async def test_a_known_handle_is_unfollowed_while_youtube_is_away() -> None:
    refusal = Unavailable("YouTube does not answer now.", "SOURCE_UNAVAILABLE")
    imports = FakeImports(refused={"@MKBHD": refusal})
    card = youtuber_card("Marques Brownlee", handle="@mkbhd")
    catalog = FakeCatalog(youtubers=(youtuber_card("MKBHD Clips", handle="@mkbhdclips"), card))
    args = follows.UnfollowChannel.parse({"channel": "@MKBHD"})
    await follows.unfollow.run(args, context(imports, catalog))
    named = [arguments["channel"] for _, arguments in imports.requests]
    assert named == ["@MKBHD", card.channel_id]


async def test_an_unknown_handle_is_not_unfollowed_while_youtube_is_away() -> None:
    refusal = Unavailable("YouTube does not answer now.", "SOURCE_UNAVAILABLE")
    imports = FakeImports(refused={"@MKBHD": refusal})
    args = follows.UnfollowChannel.parse({"channel": "@MKBHD"})
    with pytest.raises(Unavailable, match="YouTube"):
        await follows.unfollow.run(args, context(imports, FakeCatalog(youtubers=())))


async def test_the_list_is_the_callers_own() -> None:
    imports = FakeImports()
    args = follows.ListFollowing.parse({"limit": 5, "cursor": "1.UC"})
    await follows.following.run(args, context(imports))
    expected: dict[str, Any] = {"account_id": "account-1", "limit": 5, "cursor": "1.UC"}
    assert imports.requests == [("ListFollows", expected)]


def test_they_are_listed_with_the_toolset_of_imports_and_not_by_default() -> None:
    names = {"channel.follow", "channel.unfollow", "channel.following"}
    assert {TOOLS[name].cost for name in names - {"channel.follow"}} == {0}
    assert {TOOLS[name].feature for name in names} == {"channel_import"}
    assert {TOOLS[name].scope for name in names} == {"channels:import"}
    assert all(is_listed(TOOLS[name], {"imports"}) for name in names)
    assert not any(is_listed(TOOLS[name], None) for name in names)


class PausedImports(FakeImports):
    """An account whose channels are paused."""

    async def call(self, name: Any, arguments: Any, result_type: Any) -> Any:
        found = await super().call(name, arguments, result_type)
        changes = {"state": "paused"} if isinstance(found, Follow) else {"paused": 1}
        return replace(found, **changes)


async def test_a_paused_channel_has_the_reason_and_what_to_do() -> None:
    paused = context(PausedImports())
    followed: Any = await follows.follow.run(follows.FollowChannel.parse({"channel": "@a"}), paused)
    listed: Any = await follows.following.run(follows.ListFollowing.parse({}), paused)
    for note, subject in ((followed.note, "The channel is"), (listed.note, "1 channel is")):
        assert note.startswith(f"{subject} paused, so that new videos are not imported: the plan")
        assert "allows 200 followed channels" in note
        assert "`channel.unfollow`" in note
