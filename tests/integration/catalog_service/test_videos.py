"""Responses about single videos and promo codes, against the example catalogue."""

from typing import Any

import pytest

from servicekit.errors import InvalidInput, NotFound
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog


async def test_a_video_is_found_by_any_form_of_its_id(own_catalog: Catalog) -> None:
    await own_catalog.ingest(
        [
            example.video(
                "v:AbCdEfGhIjK", "ada", "2023-06-01", 10,
                example.claim("azura-vpn", "affiliate", 0.6),
                example.claim("brightmeal", "paid_sponsorship", 0.9),
                video_id="AbCdEfGhIjK",
            )
        ]
    )  # fmt: skip
    found = await own_catalog.call("GetVideo", video="https://youtu.be/AbCdEfGhIjK?t=10")
    assert (found.video.video_id, found.youtuber.name) == ("AbCdEfGhIjK", "Ada Löve")
    assert [(claim.sponsor.name, claim.kind) for claim in found.sponsorships] == [
        ("BrightMeal", "paid_sponsorship"),
        ("Azura VPN", "affiliate"),
    ]
    assert found.coverage.videos_scanned == 5
    for reference in ("AbCdEfGhIjK", "https://www.youtube.com/watch?v=AbCdEfGhIjK", found.video.id):
        assert (await own_catalog.call("GetVideo", video=reference)).video == found.video


async def test_a_video_without_sponsors_is_known_and_an_unknown_one_is_not(
    catalog: Catalog,
) -> None:
    assert not (await catalog.call("GetVideo", video="a3")).sponsorships
    with pytest.raises(NotFound, match="knows no video 'zzz'") as error:
        await catalog.call("GetVideo", video="zzz")
    assert error.value.reason == "VIDEO_NOT_FOUND"


async def test_a_disclosure_is_true_false_or_unknown_and_survives_a_source_that_does_not_say(
    own_catalog: Catalog,
) -> None:
    for disclosed in (True, False, None):
        await own_catalog.ingest(
            [example.video("d", "ada", "2023-06-01", 10, paid_promotion_disclosed=disclosed)]
        )
        found = await own_catalog.call("GetVideo", video="d")
        assert found.HasField("paid_promotion_disclosed")
        assert found.paid_promotion_disclosed is (disclosed or False)
    unknown = await own_catalog.call("GetVideo", video="a1")
    assert not unknown.HasField("paid_promotion_disclosed")


async def test_evidence_has_the_segment_and_a_link_to_its_first_second(
    own_catalog: Catalog,
) -> None:
    claim = example.claim("azura-vpn", "paid_sponsorship", 0.9)
    claim.segment_start, claim.segment_end, claim.segment_source = 195, 250, "sponsorblock"
    bare = example.claim("brightmeal", "paid_sponsorship", 0.8)
    await own_catalog.ingest(
        [
            example.video("s", "ada", "2023-12-01", 10, claim, bare, video_id="AbCdEfGhIjK"),
            example.video("t", "ada", "2023-12-02", 10, claim),
        ]
    )
    link = "https://youtu.be/AbCdEfGhIjK?t=195"
    first, second = (await own_catalog.call("GetVideo", video="s")).sponsorships
    segment = first.evidence.segment
    assert (segment.start, segment.end, segment.link) == (195, 250, link)
    assert segment.source == "sponsorblock"
    assert not second.evidence.HasField("segment")
    listed = await own_catalog.call("ListSponsorVideos", sponsor="azura-vpn", limit=2)
    assert [video.evidence.segment.link for video in listed.videos] == ["", link]
    listed = await own_catalog.call("ListYoutuberVideos", youtuber="ada", limit=2)
    assert [video.sponsorships[0].evidence.segment.link for video in listed.videos] == ["", link]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("ADA", [("ADA", "Azura VPN", "Ada Löve", 2, "2023-01-10", "2023-02-15")]),
        ("ada", [("ADA", "Azura VPN", "Ada Löve", 2, "2023-01-10", "2023-02-15")]),
        ("cy", [("CYD", "Azura VPN", "Cyd Plays", 1, "2023-01-31", "2023-01-31")]),
        ("ADAM", []),
        ("%", []),
    ],
)
async def test_codes_are_found_by_their_beginning_in_any_case(
    catalog: Catalog, code: str, expected: list[Any]
) -> None:
    found = await catalog.call("SearchCodes", code=code)
    assert [
        (use.code, use.sponsor.name, use.youtuber.name, use.videos, use.first_seen, use.last_seen)
        for use in found.codes
    ] == expected


async def test_the_code_itself_comes_before_newer_ones_that_begin_with_it(
    own_catalog: Catalog,
) -> None:
    await own_catalog.ingest(
        [
            example.video(
                "c9", "cyd", "2023-12-01", 1,
                example.claim("brightmeal", "promo_code", 0.9, "ADA20"),
            )
        ]
    )  # fmt: skip
    first = await own_catalog.call("SearchCodes", code="ada", limit=1)
    assert [use.code for use in first.codes] == ["ADA"]
    second = await own_catalog.call("SearchCodes", code="ada", limit=1, cursor=first.next_cursor)
    assert [use.code for use in second.codes] == ["ADA20"]
    assert not second.HasField("next_cursor")


async def test_a_code_has_no_blanks(catalog: Catalog) -> None:
    with pytest.raises(InvalidInput, match="one promo code without blanks"):
        await catalog.call("SearchCodes", code="ADA 20")
