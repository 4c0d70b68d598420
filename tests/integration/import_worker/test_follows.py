"""The channels that accounts follow: by importing them or by asking for it, within limits, paused and resumed."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from import_worker.domain.bulk_requests import WantedList
from import_worker.domain.follow_requests import WantedFollow
from import_worker.domain.follows import FollowView, NotFollowed, TooManyFollowed
from import_worker.domain.imports import Bounds, TooManyImports
from import_worker.domain.sources import SourceRefused, SourceUnavailable
from servicekit.errors import InvalidInput
from tests.fakes.imports import channel_id, some_videos
from tests.integration.import_worker.conftest import Bench
from tests.integration.import_worker.test_feed_checks import check, imported, publish, refreshes


async def follow(
    bench: Bench, channel: str, account: str = "ann", limit: int = 100, imports: int = 5
) -> FollowView:
    return await bench.follows.follow(WantedFollow(account, channel, limit, imports))


async def followed(bench: Bench, account: str = "ann") -> dict[str, str]:
    """The states of what an account follows, newest first."""
    page = await bench.follows.listed(account, None, 100)
    return {view.channel_id: view.state for view in page.views}


async def due(bench: Bench, limit: int = 10) -> list[str]:
    async with bench.open() as store:
        return [channel.channel_id for channel in await store.unchecked(bench.now(), limit)]


async def some_channels(bench: Bench, count: int, account: str = "ann") -> list[str]:
    """Channels that an account has imported one after the other."""
    channels: list[str] = []
    for number in range(1, count + 1):
        channels.append(await imported(bench, number, account, videos=1))
        await bench.pass_time(minutes=1)
    return channels


async def test_whoever_imports_a_channel_follows_it_once_the_import_is_done(bench: Bench) -> None:
    channel = channel_id(1)
    bench.source.channels[channel] = some_videos(channel, 2)
    await bench.start(channel)
    assert await followed(bench) == {}
    await bench.work()
    assert await followed(bench) == {channel: "active"}
    (view,) = (await bench.follows.listed("ann", None, 1)).views
    assert view.follow is not None
    assert (view.follow.last_import_at, view.follow.last_check_at) == (bench.moment, None)
    assert view.next_check_at == bench.moment


async def test_everybody_who_joined_an_import_follows_its_channel(bench: Bench) -> None:
    channel = channel_id(1)
    bench.source.channels[channel] = some_videos(channel, 2)
    for account in ("ann", "bob"):
        await bench.start(channel, account)
    left = await bench.start(channel, "eve")
    await bench.imports.cancel("eve", left.import_.import_id)
    await bench.work()
    assert [await followed(bench, account) for account in ("ann", "bob", "eve")] == [
        {channel: "active"},
        {channel: "active"},
        {},
    ]


async def test_an_import_that_fails_is_not_followed(bench: Bench) -> None:
    channel = channel_id(1)
    bench.source.channels[channel] = some_videos(channel, 2)
    bench.source.failures["uploads"] = [SourceRefused("The key is refused.")]
    view = await bench.start(channel)
    await bench.work()
    assert (await bench.get(view)).state == "failed"
    assert await followed(bench) == {}


async def test_an_import_beyond_the_limit_is_done_and_not_followed(bench: Bench) -> None:
    first, second = channel_id(1), channel_id(2)
    for channel in (first, second):
        bench.source.channels[channel] = some_videos(channel, 1, prefix=channel[-1])
        view = await bench.start(channel, max_followed=1)
        await bench.work()
        assert (await bench.get(view)).state == "done"
    assert await followed(bench) == {first: "active"}


async def test_imports_that_end_at_once_follow_no_more_than_the_limit(bench: Bench) -> None:
    channels = [channel_id(number) for number in range(1, 6)]
    for channel in channels:
        bench.source.channels[channel] = some_videos(channel, 1, prefix=channel[-1])
        await bench.start(channel, max_followed=2)
    await bench.jobs.run_worker_async(
        wait=False, listen_notify=False, install_signal_handlers=False, concurrency=5
    )
    assert len(await followed(bench)) == 2


async def test_a_channel_that_is_not_followed_is_neither_checked_nor_refreshed(
    bench: Bench,
) -> None:
    channel = await imported(bench)
    publish(bench, channel, 1)
    await bench.follows.unfollow("ann", channel, 100)
    await check(bench)
    assert (await refreshes(bench), bench.feed.requested_pages) == (0, [])
    await bench.pass_time(days=8)
    await bench.defer("refresh_channels", timestamp=0)
    await bench.work()
    assert await refreshes(bench) == 0
    await follow(bench, channel)
    await bench.defer("refresh_channels", timestamp=0)
    await bench.work()
    assert await refreshes(bench) == 1


async def test_an_imported_channel_is_followed_without_a_request_of_the_source(
    bench: Bench,
) -> None:
    channel = await imported(bench)
    bench.source.failures["resolve"] = [SourceRefused("It was asked.")]
    view = await follow(bench, channel, "bob")
    assert (view.state, view.import_id) == ("active", None)
    again = await follow(bench, channel, "bob", limit=1)
    assert again == view
    assert list(await followed(bench, "bob")) == [channel]


async def test_a_channel_that_was_never_imported_is_imported_first(bench: Bench) -> None:
    channel = channel_id(1)
    bench.source.channels[channel] = some_videos(channel, 2)
    view = await follow(bench, channel)
    assert (view.state, view.import_id is not None) == ("importing", True)
    again = await follow(bench, channel)
    assert again.import_id == view.import_id
    await bench.work()
    assert await followed(bench) == {channel: "active"}


async def test_a_channel_that_is_unfollowed_during_its_import_is_not_followed(bench: Bench) -> None:
    channel = channel_id(1)
    bench.source.channels[channel] = some_videos(channel, 2)
    await follow(bench, channel)
    ended = await bench.follows.unfollow("ann", channel, 100)
    assert ended.state == "unfollowed"
    await bench.work()
    assert await followed(bench) == {}


async def test_a_follow_beyond_the_limit_is_refused_with_the_limit(bench: Bench) -> None:
    await imported(bench, 1)
    second, unknown = await imported(bench, 2, "bob"), channel_id(3)
    bench.source.channels[unknown] = some_videos(unknown, 1)
    for channel in (second, unknown):
        with pytest.raises(TooManyFollowed, match="Your plan allows 1 followed channel") as refused:
            await follow(bench, channel, limit=1)
        assert refused.value.reason == "TOO_MANY_FOLLOWED"
    with pytest.raises(TooManyImports):
        await follow(bench, unknown, imports=0)
    assert len(await followed(bench)) == 1


async def test_channels_that_are_imported_first_count_at_the_limit(bench: Bench) -> None:
    first, second = channel_id(1), channel_id(2)
    for channel in (first, second):
        bench.source.channels[channel] = some_videos(channel, 1)
    assert (await follow(bench, first, limit=1)).state == "importing"
    with pytest.raises(TooManyFollowed, match="and 1 more will be followed once imported"):
        await follow(bench, second, limit=1)
    await bench.work()
    assert await followed(bench) == {first: "active"}


async def test_follows_at_the_same_moment_stay_within_the_limit(bench: Bench) -> None:
    channels = await some_channels(bench, 5, "bob")
    outcomes = await asyncio.gather(
        *(follow(bench, channel, limit=2) for channel in channels), return_exceptions=True
    )
    refused = [outcome for outcome in outcomes if isinstance(outcome, TooManyFollowed)]
    assert (len(refused), len(await followed(bench))) == (3, 2)


async def test_a_channel_that_several_follow_is_checked_once(bench: Bench) -> None:
    channel = await imported(bench)
    await follow(bench, channel, "bob")
    publish(bench, channel, 1)
    await check(bench)
    assert (await refreshes(bench), bench.feed.requested_pages) == (1, [None])
    await bench.follows.unfollow("ann", channel, 100)
    await bench.pass_time(hours=7)
    publish(bench, channel, 1)
    await check(bench)
    assert await refreshes(bench) == 1, "the other account follows it still"


async def test_accounts_take_turns_and_a_shared_channel_has_the_earliest(bench: Bench) -> None:
    for number in (1, 2, 3):
        await imported(bench, number, "ann", videos=1)
    for number in (4, 5):
        await imported(bench, number, "bob", videos=1)
    await follow(bench, channel_id(3), "cid")
    # Each account's first one, of which cid's is ann's third.
    assert await due(bench) == [channel_id(number) for number in (1, 3, 4, 2, 5)]
    assert await due(bench, 3) == [channel_id(number) for number in (1, 3, 4)]


async def test_refreshes_begin_for_accounts_in_turn(bench: Bench) -> None:
    await some_channels(bench, 3, "ann")
    await imported(bench, 4, "bob", videos=1)
    await bench.pass_time(days=8)
    async with bench.open() as store:
        refreshed = [item.channel_id for item in await store.due(bench.now(), 2)]
    assert refreshed == [channel_id(1), channel_id(4)]


async def test_a_limit_of_none_pauses_everything_and_a_limit_resumes_the_oldest(
    bench: Bench,
) -> None:
    first, second, third = await some_channels(bench, 3)
    paused = await bench.follow_limits.set_limit("ann", 0)
    assert (paused.total, paused.paused) == (3, 3)
    assert await due(bench) == []
    (view, *_) = (await bench.follows.listed("ann", None, 10)).views
    assert (view.state, view.next_check_at) == ("paused", None)
    resumed = await bench.follow_limits.set_limit("ann", 2)
    assert (resumed.total, resumed.paused) == (3, 1)
    assert await followed(bench) == {third: "paused", second: "active", first: "active"}
    assert await due(bench) == [first, second]
    assert (await bench.follow_limits.set_limit("ann", 100)).paused == 0


async def test_a_limit_of_one_account_leaves_others_alone(bench: Bench) -> None:
    channel = await imported(bench)
    await follow(bench, channel, "bob")
    await bench.follow_limits.set_limit("ann", 0)
    assert await followed(bench, "bob") == {channel: "active"}
    assert await due(bench) == [channel]


async def test_a_paused_channel_takes_the_place_of_one_that_is_unfollowed(bench: Bench) -> None:
    first, second, third = await some_channels(bench, 3)
    await bench.follow_limits.set_limit("ann", 2)
    await bench.follows.unfollow("ann", first, 2)
    assert await followed(bench) == {third: "active", second: "active"}


async def test_nothing_is_left_of_a_removed_account_nor_followed_after_its_imports(
    bench: Bench,
) -> None:
    await imported(bench, 1)
    channel = channel_id(2)
    bench.source.channels[channel] = some_videos(channel, 2)
    await bench.start(channel)
    assert (await bench.follow_limits.remove("ann")).total == 0
    await bench.work()
    assert await followed(bench) == {}
    assert await bench.follow_limits.followers("", 10) == []


async def test_followers_are_listed_in_batches_by_their_ids(bench: Bench) -> None:
    channel = await imported(bench, 1, "ann")
    for account in ("bob", "cid"):
        await follow(bench, channel, account)
    await bench.follow_limits.set_limit("bob", 0)
    first = await bench.follow_limits.followers("", 2)
    assert [(item.account_id, item.total, item.paused) for item in first] == [
        ("ann", 1, 0),
        ("bob", 1, 1),
    ]
    second = await bench.follow_limits.followers("bob", 2)
    assert [item.account_id for item in second] == ["cid"]
    with pytest.raises(InvalidInput):
        await bench.follow_limits.followers("", 1_001)


async def test_anothers_channel_is_as_unknown_as_one_that_nobody_follows(bench: Bench) -> None:
    channel = await imported(bench, 1, "ann")
    for name in (channel, channel_id(9)):
        with pytest.raises(NotFollowed) as refused:
            await bench.follows.unfollow("bob", name, 100)
        assert str(refused.value).replace(name, "ID") == (
            "You do not follow 'ID'. List the channels that you follow to see them."
        )
    assert await followed(bench) == {channel: "active"}
    assert await followed(bench, "bob") == {}


async def test_pages_go_from_the_newest_to_the_oldest(bench: Bench) -> None:
    channels = await some_channels(bench, 5)
    seen: list[str] = []
    before = None
    while True:
        page = await bench.follows.listed("ann", before, 2)
        assert page.follower.total == 5
        seen += [view.channel_id for view in page.views]
        before = page.following
        if before is None:
            break
    assert seen == channels[::-1]
    with pytest.raises(InvalidInput):
        await bench.follows.listed("ann", None, 0)


async def test_a_feed_that_refuses_is_due_again_in_its_time_and_shows_why(bench: Bench) -> None:
    channel = await imported(bench)
    await check(bench)
    checked_at = bench.moment
    await bench.pass_time(hours=7)
    bench.feed.failures["uploads"] = [SourceRefused("The feed cannot be read.")]
    await check(bench)
    assert await due(bench) == []
    (view,) = (await bench.follows.listed("ann", None, 1)).views
    assert view.follow is not None
    assert view.follow.last_check_at == checked_at
    assert view.follow.check_problem == "The feed cannot be read."
    assert view.next_check_at == bench.moment + timedelta(hours=6)
    await bench.pass_time(hours=7)
    await check(bench)
    (view,) = (await bench.follows.listed("ann", None, 1)).views
    assert view.follow is not None
    assert (view.follow.last_check_at, view.follow.check_problem) == (bench.moment, None)
    assert view.channel_id == channel


async def test_a_list_of_channels_is_followed_up_to_the_limit(bench: Bench) -> None:
    channels = [channel_id(number) for number in (1, 2, 3)]
    for channel in channels:
        bench.source.channels[channel] = some_videos(channel, 1, prefix=channel[-1])
    await bench.bulk_imports.start(
        WantedList("ann", channels, Bounds(), None, max_concurrent=5, max_followed=2)
    )
    await bench.work()
    assert sorted(await followed(bench)) == channels[:2]


async def test_who_follows_nothing_unfollows_nothing_without_a_request_of_the_source(
    bench: Bench,
) -> None:
    await imported(bench, 1, "ann")
    bench.source.failures["resolve"] = [SourceUnavailable("It was asked.")]
    with pytest.raises(NotFollowed):
        await bench.follows.unfollow("bob", "@mkbhd", 100)
