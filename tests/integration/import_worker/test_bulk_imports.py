"""Lists of channels as one job: their channels' outcomes, limits, pauses, ends and cancellations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from import_worker.domain.bulk_imports import (
    BulkImportNotFound,
    BulkImportUnderWay,
    BulkView,
)
from import_worker.domain.bulk_requests import ChannelPage, WantedList
from import_worker.domain.imports import Bounds, TooManyImports
from import_worker.domain.sources import (
    Channel,
    ChannelNotFound,
    Reference,
    SourceQuotaUsedUp,
    SourceUnavailable,
)
from import_worker.domain.views import ImportView
from servicekit.errors import InvalidInput
from tests.fakes.imports import channel_id, some_videos
from tests.integration.import_worker.conftest import Bench

ALL = ChannelPage(limit=100)


def show(bench: Bench, count: int, videos: int = 4) -> list[str]:
    """Channels in the source; their ids."""
    ids = [channel_id(number) for number in range(count)]
    for number, channel in enumerate(ids):
        bench.source.channels[channel] = some_videos(channel, videos, prefix=chr(97 + number))
    return ids


async def begin(
    bench: Bench, channels: Sequence[str], account: str = "ann", **options: object
) -> BulkView:
    max_videos = options.get("max_videos")
    assert max_videos is None or isinstance(max_videos, int)
    limit = options.get("limit", 5)
    assert isinstance(limit, int)
    key = options.get("key")
    return await bench.bulk_imports.start(
        WantedList(account, channels, Bounds(None, max_videos), str(key) if key else None, limit)
    )


async def shown(bench: Bench, view: BulkView, page: ChannelPage = ALL) -> BulkView:
    return await bench.bulk_imports.get(view.bulk.account_id, view.bulk.bulk_import_id, page)


async def test_a_list_of_channels_is_imported_with_an_outcome_of_each(bench: Bench) -> None:
    channels = show(bench, 6)
    begun = await begin(bench, [*channels, "@nobody-of-them"])
    assert (begun.bulk.state, begun.totals.channels, begun.totals.ended) == ("running", 7, 0)
    await bench.work()
    ended = await shown(bench, begun)
    assert ended.bulk.state == "done"
    assert ended.bulk.finished_at is not None
    assert [item.state for item in ended.channels] == ["done"] * 6 + ["failed"]
    assert ended.channels[6].message == "There is no channel @nobody-of-them."
    assert (ended.totals.videos_seen, ended.totals.sponsorships) == (24, 12)
    assert ended.message == "Finished: 6 of 7 channels imported, 1 failed."
    assert sorted(set(bench.catalog.videos)) == sorted(
        video.video_id for videos in bench.source.channels.values() for video in videos
    )


async def test_its_imports_leave_a_place_for_a_single_one(bench: Bench) -> None:
    *channels, single = show(bench, 6)
    begun = await begin(bench, channels, limit=3)
    under_way: list[int] = []
    singles: list[ImportView] = []

    async def begin_single() -> None:
        (row,) = await bench.execute(
            "SELECT count(*) AS number FROM imports WHERE finished_at IS NULL"
        )
        under_way.append(row.number)
        if not singles:
            singles.append(await bench.start(single, limit=3))

    bench.source.on_videos = begin_single
    await bench.work()
    assert (await shown(bench, begun)).bulk.state == "done"
    assert (await bench.get(singles[0])).state == "done"
    assert max(under_way) == 2  # of three, single ones included


async def test_lists_of_two_accounts_go_on_side_by_side(bench: Bench) -> None:
    channels = show(bench, 8)
    first = await begin(bench, channels[:6], "ann", limit=2)
    second = await begin(bench, channels[6:], "bob", limit=2)
    order: list[str] = []

    async def record() -> None:
        order.append(bench.source.requested_videos[-1][0])

    bench.source.on_videos = record
    await bench.work()
    assert (await shown(bench, first)).bulk.state == "done"
    assert (await shown(bench, second)).bulk.state == "done"
    # The second list does not wait for the end of the first.
    assert order.index("h") < order.index("d")


async def test_an_entry_that_names_a_channel_of_the_list_again_has_the_same_import(
    bench: Bench,
) -> None:
    (channel,) = show(bench, 1)
    bench.source.channels["@lakeside"] = bench.source.channels[channel]
    begun = await begin(bench, [channel, f"https://www.youtube.com/channel/{channel}", "", channel])
    assert begun.totals.channels == 1
    await bench.work()
    assert (await shown(bench, begun)).totals.videos_seen == 4


async def test_a_channel_that_two_entries_name_is_no_two_channels(bench: Bench) -> None:
    (channel,) = show(bench, 1)
    bench.source.handles["@lakeside"] = channel
    begun = await begin(bench, [channel, "@lakeside"])
    await bench.work()
    ended = await shown(bench, begun)
    assert (ended.totals.channels, ended.totals.repeated, ended.totals.videos_seen) == (2, 1, 4)
    assert ended.message == (
        "Finished: 2 of 2 entries imported (1 of a channel that another entry names)."
    )


async def test_a_day_to_come_is_refused_without_a_request_of_the_source(bench: Bench) -> None:
    bench.source.failures["resolve"] = [SourceUnavailable("It was asked.")]
    channels = show(bench, 1)
    later = bench.now() + timedelta(days=2)
    wanted = WantedList("ann", channels, Bounds(later), None, 5)
    for start in (bench.bulk_imports.start(wanted), bench.start("@a_name", since=later)):
        with pytest.raises(InvalidInput, match=f"{later.date()}, which is to come") as refused:
            await start
        assert refused.value.details == {"field": "since"}
    # Where days begin first, a day has begun that is tomorrow in UTC.
    tomorrow = replace(wanted, bounds=Bounds(bench.now() + timedelta(hours=14)))
    assert (await bench.bulk_imports.start(tomorrow)).totals.channels == 1


async def test_what_is_no_list_of_channels_is_refused(bench: Bench) -> None:
    with pytest.raises(InvalidInput, match=r"2: 'not a channel'") as refused:
        await begin(bench, [channel_id(1), "not a channel"])
    assert refused.value.details["field"] == "channels"
    with pytest.raises(InvalidInput, match="0 different channels"):
        await begin(bench, ["", "  "])
    with pytest.raises(InvalidInput, match="1,001 different channels"):
        await begin(bench, [channel_id(number) for number in range(1_001)])
    with pytest.raises(TooManyImports):
        await begin(bench, [channel_id(1)], limit=0)


async def test_an_account_has_one_list_under_way_and_a_key_gives_the_same_one(bench: Bench) -> None:
    channels = show(bench, 2)
    begun = await begin(bench, channels, key="monday")
    assert (
        await begin(bench, channels, key="monday")
    ).bulk.bulk_import_id == begun.bulk.bulk_import_id
    with pytest.raises(BulkImportUnderWay):
        await begin(bench, channels, key="tuesday")
    await begin(bench, channels, "bob")
    with pytest.raises(BulkImportNotFound):
        await bench.bulk_imports.get("bob", begun.bulk.bulk_import_id)


async def test_a_cancelled_list_begins_no_further_import_and_ends_those_under_way(
    bench: Bench,
) -> None:
    channels = show(bench, 5)
    begun = await begin(bench, channels, limit=2)

    async def cancel() -> None:
        bench.source.on_videos = None
        await bench.bulk_imports.cancel("ann", begun.bulk.bulk_import_id)

    bench.source.on_videos = cancel
    await bench.work()
    ended = await shown(bench, begun)
    assert ended.bulk.state == "cancelled"
    assert {item.state for item in ended.channels} == {"cancelled"}
    assert ended.message == "Cancelled: 0 of 5 channels imported, 5 cancelled."
    assert ended.totals.videos_seen == 4  # what was read stays
    (row,) = await bench.execute("SELECT count(*) AS number FROM imports WHERE finished_at IS NULL")
    assert row.number == 0


async def test_an_entry_whose_list_is_cancelled_meanwhile_has_not_failed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = await begin(bench, ["@nowhere"])

    async def cancelled_meanwhile(reference: Reference) -> Channel:
        await bench.bulk_imports.cancel("ann", begun.bulk.bulk_import_id)
        raise ChannelNotFound(f"There is no channel {reference.value}.")

    monkeypatch.setattr(bench.source, "resolve", cancelled_meanwhile)
    await bench.work()
    ended = await shown(bench, begun)
    assert [channel.state for channel in ended.channels] == ["cancelled"]


async def test_an_import_that_another_account_wants_outlives_the_cancelled_list(
    bench: Bench,
) -> None:
    (channel,) = show(bench, 1)
    single = await bench.start(channel, "bob")
    begun = await begin(bench, [channel])

    async def cancel() -> None:
        bench.source.on_videos = None
        await bench.bulk_imports.cancel("ann", begun.bulk.bulk_import_id)

    bench.source.on_videos = cancel
    await bench.work()
    assert (await bench.get(single, "bob")).state == "done"


async def test_a_list_waits_for_the_units_of_the_next_day(bench: Bench) -> None:
    bench.source.failures["resolve"] = [SourceQuotaUsedUp("The day is full.", retry_after=3_600)]
    begun = await begin(bench, ["@lakeside"])
    await bench.work()
    waiting = await shown(bench, begun)
    assert waiting.bulk.state == "waiting"
    assert "The next ones begin by themselves at" in waiting.message
    await bench.pass_time(minutes=61)
    await bench.work()
    assert (await shown(bench, begun)).totals.ended == 1


async def test_a_list_whose_source_states_an_endless_wait_goes_on_after_two_days(
    bench: Bench,
) -> None:
    bench.source.failures["resolve"] = [SourceUnavailable("Away.", retry_after=math.inf)]
    begun = await begin(bench, ["@lakeside"])
    await bench.work()
    assert (await shown(bench, begun)).bulk.retry_at == bench.moment + timedelta(days=2)


async def test_a_channel_that_no_attempt_resolves_has_failed(bench: Bench) -> None:
    channels = show(bench, 1)
    bench.source.failures["resolve"] = [SourceUnavailable("No answer.") for _ in range(3)]
    begun = await begin(bench, ["@lakeside"])
    for _ in range(3):
        await bench.work()
        await bench.pass_time(minutes=30)
    ended = await shown(bench, begun)
    assert (ended.bulk.state, ended.channels[0].message) == ("done", "No answer.")
    again = await begin(bench, channels)
    await bench.work()
    assert (await shown(bench, again)).totals.done == 1


async def test_a_reference_that_an_earlier_version_took_fails_alone(bench: Bench) -> None:
    channels = show(bench, 2)
    begun = await begin(bench, ["@taken-before", *channels])
    await bench.execute(
        "UPDATE bulk_import_channels SET reference = 'UC123' WHERE reference = '@taken-before'"
    )
    await bench.work()
    ended = await shown(bench, begun)
    assert [item.state for item in ended.channels] == ["failed", "done", "done"]
    assert "UC123" in ended.channels[0].message


async def test_a_lost_job_of_a_list_is_enqueued_again(bench: Bench) -> None:
    channels = show(bench, 2)
    begun = await begin(bench, channels)
    await bench.execute("TRUNCATE procrastinate_jobs CASCADE")
    await bench.defer("refresh_channels", timestamp=0)
    await bench.work()
    assert (await shown(bench, begun)).bulk.state == "done"


async def test_channels_come_in_pages_and_by_state(bench: Bench) -> None:
    channels = show(bench, 3)
    begun = await begin(bench, [*channels, "@nobody-of-them"])
    await bench.work()
    first = await shown(bench, begun, ChannelPage(limit=2))
    assert ([item.position for item in first.channels], first.following) == ([1, 2], 2)
    second = await shown(bench, begun, ChannelPage(limit=2, after=2))
    assert ([item.position for item in second.channels], second.following) == ([3, 4], None)
    failed = await shown(bench, begun, ChannelPage(limit=2, state="failed"))
    assert [item.position for item in failed.channels] == [4]
    assert (await bench.bulk_imports.get("ann", "")).bulk == first.bulk
    assert [view.bulk for view in await bench.bulk_imports.listed("ann", 5)] == [first.bulk]


async def test_watching_ends_with_the_list(bench: Bench) -> None:
    begun = await begin(bench, show(bench, 2))
    states = [
        view.bulk.state
        async for view in bench.bulk_imports.watch("ann", begun.bulk.bulk_import_id, bench.work)
    ]
    assert states == ["running", "done"]
