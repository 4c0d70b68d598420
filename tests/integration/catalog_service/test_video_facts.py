"""Facts of videos: format, likes, comments, language, and views by age."""

from typing import Any

import pytest
from sqlalchemy import create_engine, text

from servicekit.database_url import driver_url
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog
from tests.integration.catalog_service.example import claim, video

DAY = "2024-03-01"


def observed(day: str, views: int | None, **more: Any) -> Any:
    return video("w", "ada", DAY, views, observed_at=day, **more)


async def curve(catalog: Catalog, key: str = "w") -> list[tuple[str, int, int]]:
    found = await catalog.call("GetVideo", video=key)
    return [(item.observed_at, item.age_days, item.views) for item in found.snapshots]


async def test_each_day_of_observation_is_a_point_of_the_curve(own_catalog: Catalog) -> None:
    for day, views in (("2024-03-02", 100), ("2024-03-04", 250), ("2024-03-31", 900)):
        reply = await own_catalog.ingest([observed(day, views, likes=views // 10, comments=3)])
        assert not reply.rejected
    assert await curve(own_catalog) == [
        ("2024-03-02", 1, 100),
        ("2024-03-04", 3, 250),
        ("2024-03-31", 30, 900),
    ]
    found = await own_catalog.call("GetVideo", video="w")
    assert (found.video.views, found.likes, found.comments) == (900, 90, 3)
    assert found.video.observed_at == "2024-03-31"
    assert (found.snapshots[0].likes, found.snapshots[0].comments) == (10, 3)


async def test_unchanged_views_of_another_day_are_a_point_and_those_of_the_same_day_replace_it(
    own_catalog: Catalog,
) -> None:
    await own_catalog.ingest([observed("2024-03-02", 100)])
    first = await own_catalog.ingest([observed("2024-03-02", 100)])
    assert (first.created, first.updated, first.unchanged) == (0, 0, 1)
    await own_catalog.ingest([observed("2024-03-03", 100)])
    await own_catalog.ingest([observed("2024-03-03T23:00:00Z", 120)])
    assert await curve(own_catalog) == [("2024-03-02", 1, 100), ("2024-03-03", 2, 120)]


async def test_an_older_observation_is_a_point_but_not_the_latest_look(
    own_catalog: Catalog,
) -> None:
    await own_catalog.ingest([observed("2024-05-30", 900, likes=90)])
    await own_catalog.ingest([observed("2024-03-08", 300, likes=30)])
    assert await curve(own_catalog) == [("2024-03-08", 7, 300), ("2024-05-30", 90, 900)]
    found = await own_catalog.call("GetVideo", video="w")
    assert (found.video.views, found.likes, found.video.observed_at) == (900, 90, "2024-05-30")


async def test_counts_of_one_look_are_not_mixed_with_those_of_another(own_catalog: Catalog) -> None:
    await own_catalog.ingest([observed("2024-03-02", 100, likes=10)])
    await own_catalog.ingest([observed("2024-03-03", 150)])  # likes hidden, or a source without
    found = await own_catalog.call("GetVideo", video="w")
    assert found.video.views == 150
    assert not found.HasField("likes")
    # A file that knows no day says nothing about the day of its count.
    await own_catalog.ingest([video("w", "ada", DAY, 160)])
    found = await own_catalog.call("GetVideo", video="w")
    assert (found.video.views, found.video.HasField("observed_at")) == (160, False)
    assert len(found.snapshots) == 2


async def test_observations_are_thinned_to_the_ages_that_matter(own_catalog: Catalog) -> None:
    days = [f"2024-03-{day:02}" for day in range(2, 32)]
    for number, day in enumerate(days):
        await own_catalog.ingest([observed(day, 100 * (number + 1))])
    assert [age for _, age, _ in await curve(own_catalog)] == [1, 2, 3, 7, 14, 30]
    await own_catalog.ingest([observed("2024-04-05", 9_000)])
    assert [age for _, age, _ in await curve(own_catalog)] == [1, 2, 3, 7, 14, 30, 35]


async def test_what_is_refused_leaves_no_snapshot(own_catalog: Catalog) -> None:
    bad = video("bad", "ada", DAY, 10, claim("nobody", "affiliate", 0.9), observed_at=DAY)
    reply = await own_catalog.ingest([bad, observed("2024-03-02", 100)])
    assert len(reply.rejected) == 1
    assert rows(own_catalog, "SELECT count(*) FROM video_snapshots") == [(1,)]


@pytest.mark.parametrize(
    ("facts", "format_"),
    [
        ({"duration_seconds": 600, "broadcast": "none"}, "longform"),
        ({"duration_seconds": 45, "broadcast": "none"}, "short"),
        ({"duration_seconds": 5_400, "broadcast": "ended"}, "live"),
        ({"duration_seconds": 600}, "unknown"),
        ({}, "unknown"),
    ],
)
async def test_a_video_has_its_format_language_and_length(
    own_catalog: Catalog, facts: dict[str, Any], format_: str
) -> None:
    await own_catalog.ingest([video("f", "ada", DAY, 10, language="pt-BR", **facts)])
    found = await own_catalog.call("GetVideo", video="f")
    assert (found.video.format, found.language) == (format_, "pt-BR")
    assert found.duration_seconds == facts.get("duration_seconds", 0)
    listed = await own_catalog.call("ListYoutuberVideos", youtuber="Ada Löve")
    assert {item.video.id: item.video.format for item in listed.videos}[found.video.id] == format_


async def test_a_format_follows_what_becomes_known_later(own_catalog: Catalog) -> None:
    await own_catalog.ingest([video("f", "ada", DAY, 10, broadcast="live")])
    await own_catalog.ingest(
        [video("f", "ada", DAY, 10, broadcast="ended", duration_seconds=9_000)]
    )
    await own_catalog.ingest([video("g", "ada", DAY, 10, duration_seconds=9_000)])
    await own_catalog.ingest([video("g", "ada", DAY, 10, broadcast="none")])
    formats = {
        key: (await own_catalog.call("GetVideo", video=key)).video.format for key in ("f", "g")
    }
    assert formats == {"f": "live", "g": "longform"}


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"broadcast": "soon"}, "broadcast must be one of"),
        ({"language": "not a tag"}, "language"),
        ({"likes": -1}, "likes is out of range"),
        ({"observed_at": "yesterday"}, "observed_at is neither a day nor"),
        ({"observed_at": "2999-01-01"}, "observed_at 2999-01-01 is before"),
    ],
)
async def test_facts_that_break_a_rule_are_refused(
    own_catalog: Catalog, facts: dict[str, Any], reason: str
) -> None:
    reply = await own_catalog.ingest([video("r", "ada", DAY, 10, **facts)])
    (refused,) = reply.rejected
    assert refused.reason.startswith(reason)


async def test_snapshots_of_two_videos_that_are_one_become_those_of_one(
    own_catalog: Catalog,
) -> None:
    await own_catalog.ingest(
        [
            example.youtuber("name:zoe", "Zoe"),
            example.youtuber("UC" + "z" * 22, "Zoe", channel_id="UC" + "z" * 22),
            video("x:1", "name:zoe", DAY, 5_000, observed_at="2024-03-02", title_hash="0" * 16),
            video("x:1", "name:zoe", DAY, 6_000, observed_at="2024-03-03", title_hash="0" * 16),
        ]
    )
    await own_catalog.ingest(
        [
            video(
                "v:AbCdEfGhIjK", "UC" + "z" * 22, DAY, 7_000,
                observed_at="2024-03-03", title_hash="0" * 16, video_id="AbCdEfGhIjK",
            )
        ]
    )  # fmt: skip
    assert await curve(own_catalog, "AbCdEfGhIjK") == [
        ("2024-03-02", 1, 5_000),
        ("2024-03-03", 2, 7_000),
    ]


def rows(catalog: Catalog, statement: str) -> list[Any]:
    engine = create_engine(driver_url(catalog.settings.database_url))
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(text(statement))]
    engine.dispose()
    return found
