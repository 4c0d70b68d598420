"""A channel known by its name and by its id is one, and so is a video without and with its id."""

from typing import Any

import pytest
from sqlalchemy import create_engine, text

from catalog_service.domain.title_hashes import title_hash
from protos.catalog.v1 import catalog_pb2 as pb
from servicekit.database_url import driver_url
from servicekit.errors import Conflict
from tests.integration.catalog_service.conftest import Catalog
from tests.integration.catalog_service.example import claim, sponsor, video, youtuber
from tests.integration.catalog_service.sums import assert_sums_are_right
from tests.integration.catalog_service.test_reports import (
    accepted,
)

CHANNEL = "UC" + "m" * 22
OTHER = "UC" + "o" * 22
NAMED = "name:marla makes"
BRAND = sponsor("azura-vpn", "Azura VPN", "azuravpn.com", "security")
PAID = claim("azura-vpn", "paid_sponsorship", 0.9)


def of_file(**more: Any) -> pb.IngestItem:
    return youtuber(NAMED, "Marla Makes", source="video-file", **more)


def of_import(channel: str = CHANNEL, **more: Any) -> pb.IngestItem:
    more = {"handle": "@marla", "source": "youtube-api"} | more
    return youtuber(channel, "Marla Makes", channel_id=channel, **more)


def without_id(title: str, day: str = "2023-05-01", views: int = 10, **more: Any) -> pb.IngestItem:
    key = f"x:{title_hash(title)}"
    return video(key, NAMED, day, views, PAID, title_hash=title_hash(title), **more)


def with_id(title: str, day: str = "2023-05-01", views: int = 20, **more: Any) -> pb.IngestItem:
    more = {"by": CHANNEL} | more
    by, number = more.pop("by"), title_hash(title)[:11]
    return video(number, by, day, views, PAID, video_id=number, title=title, **more)


async def imported(catalog: Catalog, *facts: pb.IngestItem) -> pb.IngestReply:
    reply = await catalog.ingest(facts)
    assert list(reply.rejected) == []
    assert_sums_are_right(catalog)
    return reply


def keys(catalog: Catalog) -> set[tuple[str, str]]:
    """The videos with their channels."""
    engine = create_engine(driver_url(catalog.settings.database_url))
    query = "SELECT y.key, v.key FROM youtubers y LEFT JOIN videos v ON v.youtuber_id = y.id"
    with engine.connect() as connection:
        found = {(row[0], row[1]) for row in connection.execute(text(query))}
    engine.dispose()
    return found


def key(title: str) -> str:
    return title_hash(title)[:11]


async def test_an_import_joins_the_channel_whose_video_it_reads(empty_catalog: Catalog) -> None:
    await imported(
        empty_catalog, BRAND, of_file(country="IE"), without_id("A shelf"), without_id("A chair")
    )
    before = await empty_catalog.call("GetYoutuber", youtuber="Marla Makes")
    # The newest video is none of the file's; an older one is, published a day later in UTC.
    await imported(empty_catalog, of_import(), with_id("A desk", "2024-01-01"))
    after = await imported(empty_catalog, with_id("a  SHELF", "2023-05-02"), with_id("A chair"))
    assert (after.created, after.updated) == (0, 2)
    assert keys(empty_catalog) == {
        (CHANNEL, key(title)) for title in ("A desk", "a  SHELF", "A chair")
    }
    for spoken in ("Marla Makes", "@marla", NAMED, CHANNEL, before.youtuber.id):
        shown = await empty_catalog.call("GetYoutuber", youtuber=spoken)
        assert shown.youtuber.channel_id == CHANNEL
        assert (shown.youtuber.country, shown.youtuber.sponsored_videos) == ("IE", 3)
    # The file once more: what it says is known better.
    again = await imported(
        empty_catalog, of_file(country="GB"), without_id("A shelf"), without_id("A stool")
    )
    assert (again.created, again.unchanged) == (1, 2)
    shown = await empty_catalog.call("GetYoutuber", youtuber=CHANNEL)
    assert (shown.youtuber.country, shown.youtuber.handle) == ("IE", "@marla")


async def test_a_joined_video_is_known_by_its_former_key_when_its_title_has_changed(
    empty_catalog: Catalog,
) -> None:
    await imported(empty_catalog, BRAND, of_file(), without_id("A shelf"))
    renamed = with_id("A shelf", views=30)
    renamed.video.title = "The best shelf"
    await imported(empty_catalog, of_import(), with_id("A shelf"))
    await imported(empty_catalog, renamed)
    again = await imported(empty_catalog, without_id("A shelf", views=11))
    assert (again.created, again.updated, again.unchanged) == (0, 0, 1)
    assert keys(empty_catalog) == {(CHANNEL, key("A shelf"))}


async def test_a_file_fills_what_an_import_did_not_read_and_changes_nothing_else(
    empty_catalog: Catalog,
) -> None:
    await imported(empty_catalog, BRAND, of_import(), with_id("A shelf"))
    stripped = with_id("A shelf", views=5, category="howto-style")
    stripped.video.title_hash = title_hash(stripped.video.title)
    stripped.video.ClearField("title")
    stripped.video.ClearField("sponsorships")
    await imported(
        empty_catalog, of_import(source="channel-list", country="IE", handle="@old"), stripped
    )
    (shown,) = (await empty_catalog.call("ListYoutuberVideos", youtuber=CHANNEL)).videos
    assert (shown.video.title, shown.video.views, shown.video.category) == (
        "A shelf", 20, "howto-style",
    )  # fmt: skip
    assert len(shown.sponsorships) == 1
    card = (await empty_catalog.call("GetYoutuber", youtuber=CHANNEL)).youtuber
    assert (card.handle, card.country, card.coverage.source) == ("@marla", "IE", "youtube-api")


async def test_a_file_behind_an_import_joins_it_too(empty_catalog: Catalog) -> None:
    await imported(empty_catalog, BRAND, of_import(), with_id("A shelf"))
    await imported(empty_catalog, of_file(), without_id("A shelf"))
    assert keys(empty_catalog) == {(CHANNEL, key("A shelf"))}
    listed = await empty_catalog.call("ListYoutuberVideos", youtuber=CHANNEL)
    assert [(item.video.title, item.video.views) for item in listed.videos] == [("A shelf", 20)]


async def test_both_in_one_batch_are_one(empty_catalog: Catalog) -> None:
    await imported(
        empty_catalog, BRAND, of_file(), of_import(), without_id("A shelf"), with_id("A shelf")
    )
    assert keys(empty_catalog) == {(CHANNEL, key("A shelf"))}


async def test_a_video_id_and_a_handle_join_channels(empty_catalog: Catalog) -> None:
    known = with_id("A shelf", by=NAMED)
    known.video.ClearField("title")
    await imported(empty_catalog, BRAND, of_file(), known)
    await imported(empty_catalog, of_import(), with_id("A shelf"))
    assert keys(empty_catalog) == {(CHANNEL, key("A shelf"))}
    await imported(
        empty_catalog,
        youtuber("name:bob", "Bob", handle="@Bobby"),
        video("b1", "name:bob", "2023-05-01", 1, PAID),
    )
    await imported(empty_catalog, youtuber(OTHER, "Bob Builds", channel_id=OTHER, handle="@bobby"))
    assert (OTHER, "b1") in keys(empty_catalog)
    shown = await empty_catalog.call("GetYoutuber", youtuber="Bob")
    assert shown.youtuber.channel_id == OTHER


async def test_views_identify_a_video_whose_title_is_not_known(empty_catalog: Catalog) -> None:
    seldom, often = without_id("A shelf", views=999), without_id("A chair", views=54_321)
    for item in (seldom, often):
        item.video.ClearField("title_hash")
    await imported(empty_catalog, BRAND, of_file(), seldom, often)
    await imported(
        empty_catalog, of_import(), with_id("Shelf!", views=999), with_id("Chair!", views=54_321)
    )
    assert keys(empty_catalog) == {
        (CHANNEL, key("Shelf!")),
        (CHANNEL, key("Chair!")),
        (CHANNEL, seldom.video.key),
    }


async def test_a_namesake_without_a_common_video_stays_another(empty_catalog: Catalog) -> None:
    await imported(empty_catalog, BRAND, of_file(), without_id("A shelf"))
    await imported(
        empty_catalog, of_import(), with_id("A shelf", "2023-05-03"), with_id("Others", views=10)
    )
    assert (NAMED, f"x:{title_hash('A shelf')}") in keys(empty_catalog)
    # Neither takes the name of the other: both are named, and each answers to its id.
    with pytest.raises(Conflict) as caught:
        await empty_catalog.call("GetYoutuber", youtuber="Marla Makes")
    assert "yt_1 Marla Makes" in caught.value.public_message
    assert CHANNEL in caught.value.public_message or "@marla" in caught.value.public_message
    for reference in ("yt_1", "@marla", CHANNEL):
        assert (await empty_catalog.call("GetYoutuber", youtuber=reference)).youtuber.name
    await imported(empty_catalog, of_import(OTHER, handle="@marla2"))
    with pytest.raises(Conflict):
        await empty_catalog.call("GetYoutuber", youtuber="Marla Makes")


async def test_a_namesake_without_videos_takes_no_part_in_a_name(empty_catalog: Catalog) -> None:
    await imported(empty_catalog, BRAND, of_file(), of_import(), with_id("A shelf"))
    shown = await empty_catalog.call("GetYoutuber", youtuber="Marla Makes")
    assert shown.youtuber.channel_id == CHANNEL


async def test_what_operators_decided_about_a_video_holds_when_its_id_is_known(
    empty_catalog: Catalog,
) -> None:
    await imported(empty_catalog, BRAND, of_file(), without_id("A shelf"))
    await accepted(empty_catalog, video=f"x:{title_hash('A shelf')}")
    await imported(empty_catalog, of_import(), with_id("A shelf"))
    listed = await empty_catalog.call("ListYoutuberVideos", youtuber=CHANNEL)
    assert [list(item.sponsorships) for item in listed.videos] == [[]]
