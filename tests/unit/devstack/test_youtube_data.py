"""The stand-in's catalogue from files, and its reading of `fields`."""

import asyncio
import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cli.commands import dev
from devstack.youtube import YouTube
from devstack.youtube.fields import BadFields, parse, paths, pick
from devstack.youtube.from_data import from_data, last_changes

MAKER = "UCmakermakermakermaker00"


def line(**changes: Any) -> str:
    facts: dict[str, Any] = {
        "video_id": "video000001",
        "title": "A shelf",
        "channel_title": "Maker",
        "channel_id": MAKER,
        "published_at": "2024-05-06T07:08:09Z",
        "category_id": "26",
        "views": 5,
        "description": "text",
    }
    return json.dumps(facts | changes)


def write(folder: Path, *lines: str) -> Path:
    (folder / "videos.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    (folder / "channels.csv").write_text(
        f"channel_id,title,subscribers,views,country\n{MAKER},Maker,51000,9,IE\n"
    )
    return folder


def test_videos_are_grouped_by_channel_also_where_the_id_is_missing(tmp_path: Path) -> None:
    catalogue = from_data(
        write(
            tmp_path,
            line(channel_title="Other", channel_id=None, video_id="video000009"),
            line(),
            line(video_id="video000002", channel_id=None),
            line(),
        )
    )
    first, second = catalogue.channels
    assert (first.channel_id, first.subscribers, first.country) == (MAKER, 51_000, "IE")
    assert [video.video_id for video in first.videos] == ["video000001", "video000002"]
    assert first.videos[0].published_at == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert second.channel_id.startswith("UC")
    assert len(second.channel_id) == 24


def test_what_is_made_up_is_the_same_each_time(tmp_path: Path) -> None:
    folder = write(tmp_path, line(video_id=None, channel_id=None, published_at="2024-05-06"))
    made = [from_data(folder).channels[0] for _ in range(2)]
    assert made[0] == made[1]
    assert len(made[0].videos[0].video_id) == 11


def test_bad_lines_are_passed_over(tmp_path: Path) -> None:
    folder = write(tmp_path, "{", "[]", line(published_at="soon"), line(views="many"), line())
    assert len(from_data(folder).channels[0].videos) == 1


def test_a_folder_without_videos_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        from_data(tmp_path)


def test_a_selector_picks_what_it_names() -> None:
    tree = parse("next,items(id,snippet/title,counts(a,b))")
    assert sorted(paths(tree)) == [
        ("items", "counts", "a"),
        ("items", "counts", "b"),
        ("items", "id"),
        ("items", "snippet", "title"),
        ("next",),
    ]
    value = {
        "kind": "k",
        "items": [{"id": 1, "snippet": {"title": "t", "more": 1}, "counts": {"a": 2, "c": 3}}],
    }
    assert pick(value, tree) == {
        "items": [{"id": 1, "snippet": {"title": "t"}, "counts": {"a": 2}}]
    }
    assert pick(value, {}) == value


@pytest.mark.parametrize("selector", ["", "a(", "a(b", "a)", "a,,b", "a/", "/a", "a b", "a(b))"])
def test_a_bad_selector_is_refused(selector: str) -> None:
    with pytest.raises(BadFields):
        parse(selector)


def test_a_video_has_the_privacy_that_its_line_says(tmp_path: Path) -> None:
    catalogue = from_data(write(tmp_path, line(), line(video_id="video000002", privacy="deleted")))
    assert [video.privacy for video in catalogue.channels[0].videos] == ["public", "deleted"]
    assert catalogue.video("video000002") is None


async def test_files_that_change_are_shown_and_those_that_cannot_be_read_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dev, "_POLL_SECONDS", 0.01)
    stand_in = YouTube(from_data(write(tmp_path, line())))
    reading = asyncio.create_task(dev._read_changes(stand_in, tmp_path, last_changes(tmp_path)))  # pyright: ignore[reportPrivateUsage]

    async def shown(videos: int) -> None:
        async with asyncio.timeout(30):
            while [len(channel.videos) for channel in stand_in.catalogue.channels] != [videos]:  # noqa: ASYNC110
                await asyncio.sleep(0)  # until it has looked

    try:
        await asyncio.sleep(0)
        write(tmp_path, line(), line(video_id="video000002"))
        await shown(2)
        (tmp_path / "videos.jsonl.gz").unlink()
        async with asyncio.timeout(30):
            while "cannot be read" not in capsys.readouterr().out:  # noqa: ASYNC110
                await asyncio.sleep(0)
        await shown(2)
        write(tmp_path, line())
        await shown(1)
    finally:
        reading.cancel()


def test_an_archive_that_was_cut_off_is_an_error(tmp_path: Path) -> None:
    archive = (
        write(tmp_path, *(line(video_id=f"video{n:06}") for n in range(500))) / "videos.jsonl.gz"
    )
    archive.write_bytes(archive.read_bytes()[:-20])
    with pytest.raises(OSError, match=r"videos\.jsonl\.gz: the archive is damaged"):
        from_data(tmp_path)


def test_lines_that_name_no_channel_of_youtube_are_left_out(tmp_path: Path) -> None:
    folder = write(tmp_path, line(channel_id="x"), line(views=-5), line(video_id="video000003"))
    assert [video.video_id for video in from_data(folder).channels[0].videos] == ["video000003"]
