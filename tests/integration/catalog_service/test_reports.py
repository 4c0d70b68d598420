"""Reports, and decisions that hold through later facts."""

import asyncio
import json
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError

from protos.catalog.v1 import catalog_pb2 as pb
from servicekit.errors import (
    Conflict,
    InvalidInput,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
)
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog
from tests.integration.catalog_service.example import claim, video
from tests.integration.catalog_service.sums import rows

YEAR: dict[str, Any] = {"from_date": "2023-01-01", "to_date": "2023-12-31"}


async def report(catalog: Catalog, kind: str = "wrong", **arguments: Any) -> pb.Report:
    fields: dict[str, Any] = {"account_id": "acc-1", "video": "a2", "kind": kind}
    if kind != "missing":
        fields["sponsor"] = "azura-vpn"
    return await catalog.call("ReportSponsorship", **(fields | arguments))


async def accepted(catalog: Catalog, kind: str = "wrong", **arguments: Any) -> pb.Decision:
    reported = await report(catalog, kind, **arguments)
    return await catalog.operate("DecideReport", id=reported.id, decision="accept", note="Checked.")


async def claims(catalog: Catalog, key: str = "a2") -> dict[str, pb.Sponsorship]:
    """Return the sponsorships of a video in the youtuber's list, by slug."""
    channel = {"a": "ada", "b": "bob", "c": "cyd", "e": "dan"}[key[0]]
    page = await catalog.call("ListYoutuberVideos", youtuber=channel, limit=50)
    days = {"a2": "2023-02-15", "b3": "2023-03-05", "c1": "2023-01-31", "a1": "2023-01-10"}
    (found,) = [item for item in page.videos if item.video.published_at == days[key]]
    return {sponsorship.sponsor.slug: sponsorship for sponsorship in found.sponsorships}


async def replacements(catalog: Catalog) -> dict[str, str]:
    """Return the later report that decided otherwise, by the report of the account that it replaced."""
    own = await catalog.call("ListOwnReports", account_id="acc-1", limit=50)
    return {
        item.report.id: item.report.replaced_by for item in own.reports if item.report.replaced_by
    }


async def test_a_report_is_stored_and_changes_no_result(filled: Catalog) -> None:
    before = await filled.call("TopSponsors", **YEAR)
    reported = await report(filled, note="  It is their own product.\nNo sponsor. ")
    assert (reported.id, reported.state, reported.kind) == ("r_1", "received", "wrong")
    assert (reported.sponsor.name, reported.video.published_at) == ("Azura VPN", "2023-02-15")
    assert reported.note == "It is their own product.\nNo sponsor."
    assert await filled.call("TopSponsors", **YEAR) == before
    assert (await filled.ingest()).catalog_version == 1


async def test_a_video_is_named_by_id_youtube_id_url_or_key(filled: Catalog) -> None:
    first = await report(filled, video="a1")
    for name in (
        first.video.id,
        "aaaaaaaaaa1",
        "https://www.youtube.com/watch?v=aaaaaaaaaa1&t=10s",
        "youtu.be/aaaaaaaaaa1",
        "https://m.youtube.com/shorts/aaaaaaaaaa1?feature=share",
    ):
        assert (await report(filled, video=name)).id == first.id


async def test_the_same_report_is_one_while_it_is_open(filled: Catalog) -> None:
    same = await asyncio.gather(*(report(filled, sponsor=name) for name in ("Azura", "sp_1") * 4))
    assert {item.id for item in same} == {"r_1"}
    others = [
        await report(filled, account_id="acc-2"),
        await report(filled, "wrong_kind", proposed_kind="affiliate"),
        await report(filled, sponsor="brightmeal"),
        await report(filled, "missing", brand="Nobody Knows"),
    ]
    assert len({other.id for other in others} | {"r_1"}) == 5
    assert (await report(filled, "missing", brand="nobody knows")).id == others[3].id
    await filled.operate("DecideReport", id="r_1", decision="reject", note="It is not.")
    assert (await report(filled)).id == "r_6"


async def test_a_report_that_names_another_brand_is_another(filled: Catalog) -> None:
    first, second, third = [
        await report(filled, brand=brand) for brand in (None, "Azura Pass", "Azura Mail")
    ]
    assert len({first.id, second.id, third.id}) == 3
    assert second.brand == "Azura Pass"
    assert (await report(filled, brand="azura pass")).id == second.id
    assert (await report(filled)).id == first.id


async def test_an_account_has_twenty_open_reports_at_most(filled: Catalog) -> None:
    brands = [f"Brand {number}" for number in range(25)]
    reported = await asyncio.gather(
        *(report(filled, "missing", brand=brand) for brand in brands), return_exceptions=True
    )
    refused = [item for item in reported if isinstance(item, BaseException)]
    assert len(refused) == 5
    assert all(isinstance(item, ResourceExhausted) for item in refused)
    stored = next(item for item in reported if isinstance(item, pb.Report))
    again = await report(filled, "missing", brand=stored.brand)
    assert again.id == stored.id
    await report(filled, account_id="acc-2")
    await filled.operate("DecideReport", id=stored.id, decision="reject", note="It is not.")
    await report(filled)
    with pytest.raises(ResourceExhausted, match="20 reports"):
        await report(filled, sponsor="brightmeal")


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"video": "v_99"}, NotFound, "no video 'v_99'"),
        ({"sponsor": "nobody"}, NotFound, "no brand 'nobody'"),
        ({"sponsor": "Echo"}, Conflict, "fits several"),
        ({"sponsor": "dexter-games"}, NotFound, "there is nothing to report"),
        ({"kind": "bad"}, InvalidInput, "wrong, missing, wrong_kind"),
        ({"kind": "missing"}, InvalidInput, "needs `brand`"),
        ({"kind": "missing", "brand": "Azura"}, Conflict, "of kind promo_code"),
        ({"kind": "wrong_kind"}, InvalidInput, "needs `proposed_kind`"),
        ({"kind": "wrong_kind", "proposed_kind": "gift"}, InvalidInput, "paid_sponsorship"),
        ({"kind": "wrong_kind", "proposed_kind": "promo_code"}, Conflict, "is of kind promo_code"),
        ({"note": "x" * 501}, InvalidInput, "500"),
        ({"note": "a\x00b"}, InvalidInput, "control"),
        ({"account_id": ""}, InvalidInput, "account_id"),
    ],
)
async def test_a_report_that_cannot_be_is_refused(
    filled: Catalog, arguments: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        await report(filled, **arguments)


async def test_operators_calls_need_the_token(filled: Catalog) -> None:
    reported = await report(filled)
    for rpc, arguments in (
        ("ListReports", {}),
        ("GetReport", {"id": reported.id}),
        ("DecideReport", {"id": reported.id, "decision": "accept"}),
        ("MergeSponsors", {"from_sponsor": "echo-books", "into_sponsor": "echo-tools"}),
        ("ListCorrectionLog", {}),
    ):
        for token in ("", "wrong"):
            with pytest.raises(PermissionDenied):
                await filled.operate(rpc, token, **arguments)


async def test_accepting_wrong_hides_the_sponsorship_from_every_result(filled: Catalog) -> None:
    decision = await accepted(filled)
    assert decision.catalog_version == 2
    reviewed = decision.report
    assert (reviewed.report.state, reviewed.decided_by) == ("applied", "olga")
    assert (reviewed.decision_note, reviewed.account_id) == ("Checked.", "acc-1")
    assert [sponsorship.sponsor.slug for sponsorship in reviewed.sponsorships] == ["brightmeal"]

    assert set(await claims(filled)) == {"brightmeal"}
    shown = await filled.call("GetSponsor", sponsor="azura-vpn")
    assert (shown.sponsor.videos, shown.sponsor.views) == (2, 1000)
    assert shown.sponsor.last_seen == "2023-01-31"
    assert {kind.key: kind.videos for kind in shown.kinds} == {
        "paid_sponsorship": 1,
        "promo_code": 1,
    }
    stats = await filled.call("GetSponsorStats", sponsor="azura-vpn", **YEAR)
    by_month = {point.start: (point.videos, point.views) for point in stats.series if point.videos}
    assert by_month == {"2023-01-01": (2, 1000)}
    videos = await filled.call("ListSponsorVideos", sponsor="azura-vpn")
    assert [item.video.published_at for item in videos.videos] == ["2023-01-31", "2023-01-10"]
    people = await filled.call("ListSponsorYoutubers", sponsor="azura-vpn")
    assert {youtuber.youtuber.name: youtuber.videos for youtuber in people.youtubers} == {
        "Ada Löve": 1, "Cyd Plays": 1,
    }  # fmt: skip
    top = await filled.call("TopSponsors", **YEAR)
    assert {sponsor.sponsor.slug: sponsor.videos for sponsor in top.sponsors} == {
        "brightmeal": 2, "azura-vpn": 2, "dexter-games": 2,
    }  # fmt: skip
    assert (top.totals.videos, top.totals.sponsorships) == (6, 6)
    sponsors = await filled.call("ListYoutuberSponsors", youtuber="ada")
    assert {sponsor.sponsor.slug: sponsor.videos for sponsor in sponsors.sponsors}["azura-vpn"] == 1
    counted = await filled.call("ListCategories", scope="sponsor")
    assert (
        next(category.videos for category in counted.categories if category.id == "security") == 2
    )


async def test_a_report_names_a_sponsorship_by_its_id(filled: Catalog) -> None:
    listed = (await filled.call("ListSponsorVideos", sponsor="azura-vpn")).videos[0]
    in_video = await filled.call("GetVideo", video=listed.video.id)
    found = {item.sponsor.slug: item.id for item in in_video.sponsorships}
    assert found["azura-vpn"] == listed.id
    reported = await filled.call(
        "ReportSponsorship", account_id="acc-1", kind="wrong", sponsorship=listed.id
    )
    assert (reported.video.id, reported.sponsor.slug) == (listed.video.id, "azura-vpn")
    await filled.operate("DecideReport", id=reported.id, decision="accept")
    left = await filled.call("GetVideo", video=listed.video.id)
    assert "azura-vpn" not in [item.sponsor.slug for item in left.sponsorships]


@pytest.mark.parametrize("sponsorship", ["v_1", "sp_1.v_1", "v_1.sp_x", "v_1.sp_1.sp_2", "x"])
async def test_what_is_no_id_of_a_sponsorship_is_refused_by_its_field(
    filled: Catalog, sponsorship: str
) -> None:
    with pytest.raises(InvalidInput, match="no id of a sponsorship") as caught:
        await filled.call(
            "ReportSponsorship", account_id="acc-1", kind="wrong", sponsorship=sponsorship
        )
    assert caught.value.details["field"] == "sponsorship"


@pytest.mark.parametrize(("field", "other"), [("video", "b3"), ("sponsor", "brightmeal")])
async def test_a_sponsorship_of_another_video_or_sponsor_than_named_is_refused(
    filled: Catalog, field: str, other: str
) -> None:
    row = (await filled.call("ListSponsorVideos", sponsor="azura-vpn")).videos[0]
    with pytest.raises(InvalidInput, match="another one than that of `sponsorship`") as caught:
        await report(
            filled, **{"video": "", "sponsor": "azura-vpn", "sponsorship": row.id, field: other}
        )
    assert caught.value.details["field"] == field


async def test_what_the_catalogue_had_already_is_accepted_and_not_applied(filled: Catalog) -> None:
    first = await report(filled)
    second = await report(filled, account_id="acc-2")
    states: list[str] = []
    for item in (first, second):
        decision = await filled.operate("DecideReport", id=item.id, decision="accept")
        states.append(decision.report.report.state)
    assert states == ["applied", "accepted"]
    for state, ids in (("applied", [first.id]), ("accepted", [second.id]), ("received", [])):
        page = await filled.operate("ListReports", state=state)
        assert [item.report.id for item in page.reports] == ids


async def test_a_brand_that_is_merged_into_the_right_one_meanwhile_is_right(
    filled: Catalog,
) -> None:
    wrong = await report(filled, brand="brightmeal", video="c1")
    reverse = await report(filled, sponsor="brightmeal", brand="azura-vpn")
    await filled.operate("MergeSponsors", from_sponsor="azura-vpn", into_sponsor="brightmeal")
    shown = await filled.operate("GetReport", id=wrong.id)
    assert (shown.report.sponsor.slug, shown.report.reported_sponsor) == ("brightmeal", "azura-vpn")
    for item in (wrong, reverse):
        decision = await filled.operate("DecideReport", id=item.id, decision="accept")
        assert decision.report.report.state == "accepted"
        assert [claim.sponsor.slug for claim in decision.report.sponsorships] == ["brightmeal"]
    await filled.ingest()
    assert set(await claims(filled, "c1")) == {"brightmeal"}


async def test_what_an_operator_added_outlives_a_merge_into_what_was_hidden_before(
    filled: Catalog,
) -> None:
    await accepted(filled, brand="dexter-games", video="c1")
    assert set(await claims(filled, "c1")) == {"dexter-games"}
    await filled.operate("MergeSponsors", from_sponsor="dexter-games", into_sponsor="azura-vpn")
    assert set(await claims(filled, "c1")) == {"azura-vpn"}
    await filled.ingest()
    assert set(await claims(filled, "c1")) == {"azura-vpn"}


async def test_a_brand_counts_by_its_exact_name_alone(filled: Catalog) -> None:
    (near,) = (await filled.call("Resolve", names=["echobooks"], type="sponsor")).resolutions
    assert near.status == "similar"
    reported = await report(filled, "missing", video="b3", brand="echobooks")
    assert not reported.HasField("sponsor")
    shown = await filled.operate("GetReport", id=reported.id)
    assert not shown.HasField("brand_sponsor")
    exact = await report(filled, brand="BrightMeal", video="c1")
    shown = await filled.operate("GetReport", id=exact.id)
    assert shown.brand_sponsor.slug == "brightmeal"


async def test_a_report_of_a_new_brand_has_the_sponsor_that_it_became(filled: Catalog) -> None:
    reported = await report(filled, "missing", video="b3", brand="Glimmerfen Teas")
    assert not reported.HasField("sponsor")
    await filled.operate("DecideReport", id=reported.id, decision="accept", note="Checked.")
    page = await filled.call("ListOwnReports", account_id="acc-1", limit=10)
    (own,) = [item.report for item in page.reports if item.report.id == reported.id]
    assert (own.state, own.sponsor.name) == ("applied", "Glimmerfen Teas")
    assert (await filled.call("GetSponsor", sponsor=own.sponsor.id)).sponsor.videos == 1


async def test_a_brand_in_other_letters_becomes_a_sponsor(filled: Catalog) -> None:
    await accepted(filled, "missing", video="b3", brand="新しいブランド")
    (added,) = [item for item in (await claims(filled, "b3")).values() if item.confidence == 1]
    assert added.sponsor.name == "新しいブランド"
    assert added.sponsor.slug.isascii()


@pytest.mark.parametrize(
    ("arguments", "field", "words"),
    [
        ({"brand": "Azura VPN"}, "brand", "which is listed already"),
        ({"proposed_kind": "affiliate"}, "proposed_kind", "report wrong_kind"),
        ({"sponsor": None, "sponsorship": "v_1.sp_999"}, "sponsorship", "has no sponsorship"),
        (
            {"kind": "wrong_kind", "proposed_kind": "affiliate", "brand": "BrightMeal"},
            "brand",
            "the brand stays Azura VPN",
        ),
        (
            {"kind": "missing", "brand": "New", "sponsor": "azura-vpn"},
            "sponsor",
            "leave `sponsor` out",
        ),
    ],
)
async def test_a_report_that_contradicts_itself_is_refused_by_its_field(
    filled: Catalog, arguments: dict[str, Any], field: str, words: str
) -> None:
    with pytest.raises((InvalidInput, NotFound), match=words) as caught:
        await report(filled, **arguments)
    assert caught.value.details["field"] == field


@pytest.mark.parametrize(
    "brand", ["@marenka", "https://www.youtube.com/@marenka", "UC" + "a" * 22, "yt_1", "v_1", "sp_x", "\u202eevil", "Ac\u200bme"]
)  # fmt: skip
async def test_what_is_no_brands_name_is_not_reported_as_one(filled: Catalog, brand: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await report(filled, "missing", video="b3", brand=brand)
    assert caught.value.details["field"] == "brand"


async def test_a_brand_in_a_script_with_joiners_is_reported(filled: Catalog) -> None:
    reported = await report(filled, "missing", video="b3", brand="می\u200cخواهم")
    assert reported.brand == "می\u200cخواهم"


async def test_a_report_of_a_kind_may_name_the_listed_brand_again(filled: Catalog) -> None:
    reported = await report(filled, "wrong_kind", proposed_kind="affiliate", brand="Azura VPN")
    assert not reported.HasField("brand")


async def test_a_correction_is_not_an_import(filled: Catalog) -> None:
    before = (await filled.call("GetYoutuber", youtuber="ada")).youtuber.coverage
    await accepted(filled)
    assert (await filled.call("GetYoutuber", youtuber="ada")).youtuber.coverage == before


async def test_a_decision_survives_the_same_facts_and_those_of_a_newer_detector(
    filled: Catalog,
) -> None:
    await accepted(filled)
    await accepted(filled, "wrong_kind", sponsor="brightmeal", proposed_kind="affiliate")
    await accepted(filled, "missing", video="b3", brand="Dexter Games")
    version = (await filled.ingest()).catalog_version
    again = await filled.ingest(example.FACTS)
    assert (again.updated, again.catalog_version) == (0, version)

    newer = [
        claim("azura-vpn", "paid_sponsorship", 0.99),
        claim("brightmeal", "free_product", 0.99),
    ]
    for item in newer:
        item.detector_version = "d2"
    await filled.ingest(
        [video("a2", "ada", "2023-02-15", 2500, *newer), video("b3", "bob", "2023-03-05", 600)]
    )
    after = await claims(filled)
    assert set(after) == {"brightmeal"}
    brightmeal = after["brightmeal"]
    assert (brightmeal.kind, brightmeal.confidence) == ("affiliate", 0.99)
    assert brightmeal.detector_version == "d2"
    added = (await claims(filled, "b3"))["dexter-games"]
    assert (added.detector_version, added.confidence) == ("review", 1)
    stats = await filled.call("GetSponsorStats", sponsor="dexter-games", **YEAR)
    assert {point.start: point.views for point in stats.series if point.videos}["2023-03-01"] == 600


async def test_facts_that_say_nothing_new_of_a_corrected_video_are_unchanged(
    filled: Catalog,
) -> None:
    await accepted(filled)
    version = (await filled.ingest()).catalog_version
    reply = await filled.ingest(
        [video("a2", "ada", "2023-02-15", 2000, claim("brightmeal", "paid_sponsorship", 0.9))]
    )
    assert (reply.unchanged, reply.catalog_version) == (1, version)


async def test_accepting_wrong_kind_changes_the_kind(filled: Catalog) -> None:
    await accepted(filled, "wrong_kind", proposed_kind="free_product")
    azura = (await claims(filled))["azura-vpn"]
    assert (azura.kind, azura.code, azura.detector_version) == ("free_product", "ADA", "d1")
    free = await filled.call("ListSponsorVideos", sponsor="azura-vpn", kind="free_product")
    assert len(free.videos) == 1
    shown = await filled.call("GetSponsor", sponsor="azura-vpn")
    assert {kind.key for kind in shown.kinds} == {"paid_sponsorship", "promo_code", "free_product"}


async def test_accepting_missing_adds_a_sponsorship(filled: Catalog) -> None:
    await accepted(filled, "missing", video="b3", brand="azuravpn.com", proposed_kind="affiliate")
    azura = (await claims(filled, "b3"))["azura-vpn"]
    assert (azura.kind, azura.confidence, azura.detector_version) == ("affiliate", 1, "review")
    shown = await filled.call("GetSponsor", sponsor="azura-vpn")
    assert (shown.sponsor.videos, shown.sponsor.youtubers) == (4, 3)


async def test_a_brand_that_is_not_known_becomes_a_sponsor(filled: Catalog) -> None:
    decision = await accepted(filled, "missing", video="b3", brand="Fénix Büro & Co")
    assert [sponsorship.sponsor.slug for sponsorship in decision.report.sponsorships] == [
        "fenix-buro-co"
    ]
    found = await filled.call("SearchSponsors", search="fenix")
    assert [(sponsor.name, sponsor.videos) for sponsor in found.sponsors] == [
        ("Fénix Büro & Co", 1)
    ]


async def test_an_operator_says_which_brand_is_meant(filled: Catalog) -> None:
    nameless = await report(filled, "missing", video="b3", brand="!!!")
    with pytest.raises(InvalidInput, match="name it as `sponsor`"):
        await filled.operate("DecideReport", id=nameless.id, decision="accept")
    decision = await filled.operate(
        "DecideReport", id=nameless.id, decision="accept", sponsor="echo-books"
    )
    assert [sponsorship.sponsor.slug for sponsorship in decision.report.sponsorships] == [
        "echo-books"
    ]


async def test_a_sponsorship_of_another_brand_changes_hands(filled: Catalog) -> None:
    await accepted(filled, brand="dexter-games")
    after = await claims(filled)
    assert set(after) == {"brightmeal", "dexter-games"}
    assert (after["dexter-games"].kind, after["dexter-games"].confidence) == ("promo_code", 1)


async def test_the_latest_decision_holds(filled: Catalog) -> None:
    await accepted(filled)
    await accepted(filled, "missing", brand="azura-vpn")
    await accepted(filled, "wrong_kind", proposed_kind="affiliate")
    await filled.ingest([video("a2", "ada", "2023-02-15", 2100)])
    azura = (await claims(filled))["azura-vpn"]
    assert (azura.kind, azura.detector_version) == ("affiliate", "review")


async def test_an_accepted_report_names_the_later_one_that_decided_otherwise(
    filled: Catalog,
) -> None:
    hides = (await accepted(filled)).report.report.id
    elsewhere = (await accepted(filled, video="a1")).report.report.id
    adds = (await accepted(filled, "missing", brand="azura-vpn")).report.report.id
    assert await replacements(filled) == {hides: adds}
    of_kind = (await accepted(filled, "wrong_kind", proposed_kind="affiliate")).report.report.id
    assert await replacements(filled) == {hides: adds}
    again = (await accepted(filled)).report.report.id
    assert await replacements(filled) == {adds: again, of_kind: again}
    shown = await filled.operate("GetReport", id=adds)
    assert {item.id: item.replaced_by for item in shown.others} == {
        hides: "",
        of_kind: again,
        again: "",
    }
    listed = await filled.operate("ListReports", state="applied")
    found = {item.report.id: item.report.replaced_by for item in listed.reports}
    assert (found[adds], found[elsewhere]) == (again, "")


async def test_a_report_that_results_still_follow_is_not_replaced(filled: Catalog) -> None:
    changes = (await accepted(filled, brand="dexter-games")).report.report.id
    hides = (await accepted(filled, sponsor="dexter-games")).report.report.id
    adds = (await accepted(filled, "missing", brand="Dexter Games")).report.report.id
    assert await replacements(filled) == {hides: adds}
    kinds = [
        (await accepted(filled, "wrong_kind", sponsor="dexter-games", proposed_kind=kind))
        for kind in ("free_product", "promo_code")
    ]
    free, promo = [decision.report.report.id for decision in kinds]
    assert await replacements(filled) == {hides: adds, free: promo}
    again = (await accepted(filled, sponsor="dexter-games")).report.report.id
    assert await replacements(filled) == {changes: hides, adds: again, free: promo, promo: again}


async def test_a_missing_one_of_a_named_kind_is_replaced_by_one_of_another_kind(
    filled: Catalog,
) -> None:
    first = await accepted(filled, "missing", brand="dexter-games", proposed_kind="affiliate")
    same = {"sponsor": "dexter-games", "proposed_kind": "promo_code"}
    second = await accepted(filled, "wrong_kind", **same)
    assert await replacements(filled) == {first.report.report.id: second.report.report.id}
    back = same | {"proposed_kind": "affiliate"}
    third = await accepted(filled, "wrong_kind", **back)
    assert await replacements(filled) == {second.report.report.id: third.report.report.id}


async def test_a_brand_that_was_merged_into_the_right_one_replaces_nothing(filled: Catalog) -> None:
    await accepted(filled, brand="dexter-games")
    await filled.operate("MergeSponsors", from_sponsor="azura-vpn", into_sponsor="dexter-games")
    await accepted(filled, "wrong_kind", sponsor="dexter-games", proposed_kind="affiliate")
    assert await replacements(filled) == {}


async def test_a_report_that_changes_a_brand_is_replaced_by_one_that_says_another(
    filled: Catalog,
) -> None:
    first = (await accepted(filled, brand="dexter-games")).report.report.id
    second = (await accepted(filled, sponsor="dexter-games", brand="azura-vpn")).report.report.id
    assert await replacements(filled) == {first: second}
    await filled.operate("MergeSponsors", from_sponsor="dexter-games", into_sponsor="azura-vpn")
    assert second not in await replacements(filled)


async def test_a_report_is_shown_with_the_others_of_its_video(filled: Catalog) -> None:
    first = await report(filled)
    await filled.operate("DecideReport", id=first.id, decision="accept")
    second = await report(filled, "missing", sponsor=None, brand="Azura VPN")
    shown = await filled.operate("GetReport", id=second.id)
    assert [(item.id, item.kind, item.state) for item in shown.others] == [
        (first.id, "wrong", "applied")
    ]
    listed = await filled.operate("ListReports", state="received")
    assert [len(item.others) for item in listed.reports] == [0]


async def test_rejecting_changes_nothing_but_the_report(filled: Catalog) -> None:
    reported = await report(filled)
    before = await claims(filled)
    decision = await filled.operate(
        "DecideReport", id=reported.id, decision="reject", note="It is."
    )
    assert (decision.report.report.state, decision.catalog_version) == ("rejected", 1)
    assert await claims(filled) == before
    assert not rows(filled, "SELECT 1 FROM sponsorship_corrections")


async def test_a_decision_stands(filled: Catalog) -> None:
    reported = await report(filled)
    await filled.operate("DecideReport", id=reported.id, decision="accept")
    for decision in ("accept", "reject"):
        with pytest.raises(Conflict, match="r_1 was accepted by olga"):
            await filled.operate("DecideReport", id=reported.id, decision=decision, note="Why.")
    with pytest.raises(InvalidInput, match="why a report is rejected"):
        await filled.operate("DecideReport", id=reported.id, decision="reject")
    with pytest.raises(NotFound, match="no report r_9"):
        await filled.operate("DecideReport", id="r_9", decision="accept")
    with pytest.raises(InvalidInput, match="no id of a report"):
        await filled.operate("GetReport", id="9")
    with pytest.raises(InvalidInput, match="accept, reject"):
        await filled.operate("DecideReport", id="r_1", decision="")


async def test_the_kind_of_what_is_gone_cannot_change(filled: Catalog) -> None:
    reported = await report(filled, "wrong_kind", proposed_kind="affiliate")
    await accepted(filled)
    with pytest.raises(NotFound, match="any more"):
        await filled.operate("DecideReport", id=reported.id, decision="accept")
    assert (await filled.operate("GetReport", id=reported.id)).report.state == "received"


async def test_reports_are_listed_by_state_and_page(filled: Catalog) -> None:
    for number in range(5):
        await report(filled, "missing", brand=f"Brand {number}")
    await filled.operate("DecideReport", id="r_2", decision="reject", note="It is not.")
    first = await filled.operate("ListReports", limit=3)
    assert [item.report.id for item in first.reports] == ["r_1", "r_3", "r_4"]
    rest = await filled.operate("ListReports", limit=3, cursor=first.next_cursor)
    assert ([item.report.id for item in rest.reports], rest.next_cursor) == (["r_5"], "")
    rejected = await filled.operate("ListReports", state="rejected")
    assert [item.report.id for item in rejected.reports] == ["r_2"]


async def test_the_correction_log_has_every_change_for_ever(filled: Catalog) -> None:
    await accepted(filled, brand="Phoenix")
    await filled.operate(
        "DecideReport",
        id=(await report(filled, sponsor="brightmeal")).id,
        decision="reject",
        note="It is not.",
    )
    await filled.operate("MergeSponsors", from_sponsor="echo-books", into_sponsor="echo-tools")
    page = await filled.operate("ListCorrectionLog", limit=3)
    rest = await filled.operate("ListCorrectionLog", limit=50, cursor=page.next_cursor)
    entries = [*page.entries, *rest.entries][::-1]
    assert [
        (entry.action, entry.actor, entry.report_id, entry.sponsor_slug) for entry in entries
    ] == [
        ("reported", "account acc-1", "r_1", "azura-vpn"),
        ("sponsor_created", "olga", "r_1", "phoenix"),
        ("hidden", "olga", "r_1", "azura-vpn"),
        ("added", "olga", "r_1", "phoenix"),
        ("accepted", "olga", "r_1", "azura-vpn"),
        ("reported", "account acc-1", "r_2", "brightmeal"),
        ("rejected", "olga", "r_2", "brightmeal"),
        ("merged", "olga", "", "echo-books"),
    ]
    hidden = json.loads(entries[2].detail)
    assert (hidden["before"]["code"], hidden["after"]) == ("ADA", None)
    for statement in (
        "UPDATE correction_log SET actor = 'nobody'",
        "DELETE FROM correction_log",
        "TRUNCATE correction_log",
    ):
        with pytest.raises(DBAPIError, match="append-only"):
            rows(filled, statement)


async def test_an_account_reads_its_own_reports_and_what_became_of_them(filled: Catalog) -> None:
    first = await report(filled, note="Theirs.")
    await report(filled, account_id="acc-2")
    second = await report(filled, sponsor="brightmeal")
    await filled.operate("DecideReport", id=first.id, decision="reject", note="It says so at 0:40.")
    own = await filled.call("ListOwnReports", account_id="acc-1")
    assert [item.report.id for item in own.reports] == [second.id, first.id]
    newest, decided = own.reports
    assert (newest.report.state, newest.HasField("decided_at")) == ("received", False)
    assert (decided.report.state, decided.decision_note) == ("rejected", "It says so at 0:40.")
    assert decided.HasField("decided_at")
    for state, ids in (("received", [second.id]), ("rejected", [first.id]), ("applied", [])):
        page = await filled.call("ListOwnReports", account_id="acc-1", state=state)
        assert [item.report.id for item in page.reports] == ids
    with pytest.raises(InvalidInput, match="state"):
        await filled.call("ListOwnReports", account_id="acc-1", state="done")


async def test_own_reports_come_in_pages_that_no_other_account_can_go_on_with(
    filled: Catalog,
) -> None:
    ids = [(await report(filled, "missing", brand=f"Brand {number}")).id for number in range(3)]
    page = await filled.call("ListOwnReports", account_id="acc-1", limit=2)
    assert [item.report.id for item in page.reports] == ids[:0:-1]
    rest = await filled.call("ListOwnReports", account_id="acc-1", limit=2, cursor=page.next_cursor)
    assert [item.report.id for item in rest.reports] == ids[:1]
    assert not rest.HasField("next_cursor")
    with pytest.raises(InvalidInput):
        await filled.call("ListOwnReports", account_id="acc-2", limit=2, cursor=page.next_cursor)
