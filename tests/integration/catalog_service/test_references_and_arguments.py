"""References find their sponsor, youtuber or video; bad arguments get readable errors."""

import json
from typing import Any

import pytest

from auth_service.clients.catalog import GrpcCatalogSubjects
from protos.catalog.v1 import catalog_pb2 as pb
from servicekit.errors import Conflict, InvalidInput, NotFound
from tests.integration.catalog_service.conftest import Catalog
from tests.integration.catalog_service.example import ADA_CHANNEL, youtuber


@pytest.mark.parametrize(
    "reference",
    [
        "azura-vpn",
        "azuravpn.com",
        "www.azuravpn.com",
        "https://go.azuravpn.com/ada?x=1",
        "AZURA vpn",
        "Azura",
        " azuravpn ",
    ],
)
async def test_a_sponsor_is_known_by_slug_domain_url_name_and_alias(
    catalog: Catalog, reference: str
) -> None:
    response = await catalog.call("GetSponsor", sponsor=reference)
    assert response.sponsor.slug == "azura-vpn"
    again = await catalog.call("GetSponsor", sponsor=response.sponsor.id)
    assert again.sponsor.slug == "azura-vpn"


async def test_a_creator_that_is_sent_for_a_brand_is_named_with_what_takes_it(
    catalog: Catalog,
) -> None:
    ada = (await catalog.call("GetYoutuber", youtuber="ada")).youtuber.id
    for reference in (ada, "@AdaLoeve", ADA_CHANNEL):
        with pytest.raises(NotFound, match=rf"is a creator, 'Ada Löve' \({ada}\)") as caught:
            await catalog.call("GetSponsor", sponsor=reference)
        assert "give it to `youtuber.get`" in caught.value.public_message
        assert caught.value.reason == "SPONSOR_NOT_FOUND"
        assert caught.value.details["field"] == "sponsor"
    with pytest.raises(
        NotFound, match=f"It is the name of the creator {ada}, which `youtuber.get` takes"
    ):
        await catalog.call("GetSponsor", sponsor="Ada Löve")


async def test_a_brand_that_is_sent_for_a_creator_is_named_with_what_takes_it(
    catalog: Catalog,
) -> None:
    azura = (await catalog.call("GetSponsor", sponsor="azura-vpn")).sponsor.id
    for reference in (azura, "azuravpn.com"):
        with pytest.raises(NotFound, match=rf"is a brand, 'Azura VPN' \({azura}\)") as caught:
            await catalog.call("GetYoutuber", youtuber=reference)
        assert "give it to `sponsor.get`" in caught.value.public_message
        assert caught.value.reason == "YOUTUBER_NOT_FOUND"
    with pytest.raises(
        NotFound, match=f"It is the name of the brand {azura}, which `sponsor.get` takes"
    ):
        await catalog.call("GetYoutuber", youtuber="Azura VPN")
    # The page of a creator on a site is the creator's, whosever the site is.
    for page in ("https://azuravpn.com/ada", "https://www.youtube.com/@nobody-known"):
        with pytest.raises(NotFound, match="The catalogue knows no creator"):
            await catalog.call("GetYoutuber", youtuber=page)


async def test_the_name_of_a_creator_takes_no_suggestion_of_brands_away(
    own_catalog: Catalog,
) -> None:
    await own_catalog.ingest([youtuber("azur", "Azura VP"), youtuber("azur2", "Azura VP")])
    with pytest.raises(
        NotFound, match="Did you mean Azura VPN\\? It is the name of several creators"
    ):
        await own_catalog.call("GetSponsor", sponsor="Azura VP")


async def test_a_part_of_a_domain_before_the_brands_own_one_is_no_name_of_it(
    empty_catalog: Catalog,
) -> None:
    fact = pb.SponsorFact(slug="tobii", name="Tobii", domains=["tobi.se", "gaming.tobi.se"])
    await empty_catalog.ingest([pb.IngestItem(sponsor=fact)])
    for reference in ("gaming.tobi.se", "tobi.se", "tobi"):
        found = await empty_catalog.call("GetSponsor", sponsor=reference)
        assert found.sponsor.slug == "tobii"
    with pytest.raises(NotFound):
        await empty_catalog.call("GetSponsor", sponsor="gaming")


async def test_an_unknown_category_is_refused_with_the_nearest_wherever_it_is_sent(
    catalog: Catalog,
) -> None:
    for rpc in ("ListCategories", "TopSponsors"):
        with pytest.raises(InvalidInput, match=r"Did you mean finance\?") as caught:
            await catalog.call(rpc, category="finanse")
        assert caught.value.details["field"] == "category"
    with pytest.raises(
        InvalidInput, match="'nonsense' is no sponsor or content category"
    ) as caught:
        await catalog.call("ListCategories", category="nonsense")
    assert "Allowed of content: film-animation" in caught.value.public_message
    known = await catalog.call("ListCategories", category="vpn")
    assert [(item.scope, item.id) for item in known.categories] == [("sponsor", "security")]
    both = await catalog.call("ListCategories", category="Gaming")
    assert [item.scope for item in both.categories] == ["sponsor", "content"]


async def test_a_watch_of_an_unknown_category_is_refused_by_its_own_field(
    catalog: Catalog,
) -> None:
    subjects = GrpcCatalogSubjects(catalog.channel)
    assert (await subjects.category("vpn")).subject_id == "security"
    with pytest.raises(NotFound, match="is a content category, and only categories of brands can"):
        await subjects.category("science-technology")
    with pytest.raises(NotFound, match="no category of brands called 'nonsense'") as caught:
        await subjects.category("nonsense")
    assert caught.value.details["field"] == "subject"


@pytest.mark.parametrize(
    ("rpc", "arguments", "remedy"),
    [
        ("TopSponsors", {"content_category": "vpn"}, "give it as `category`"),
        ("TopSponsors", {"category": "music"}, "give it as `content_category`"),
        ("SearchYoutubers", {"category": "food"}, "give it as `sponsored_by_category`"),
        ("SearchYoutubers", {"sponsored_by_category": "music"}, "give it as `category`"),
        (
            "ListYoutubersAbout",
            {"about": "review", "category": "food"},
            "as `sponsored_by_category`",
        ),
        ("SearchVideos", {"content_category": "vpn"}, "give it as `sponsor_category`"),
        ("ListCategories", {"scope": "content", "category": "vpn"}, "leave `scope` out"),
        (
            "SearchSponsors",
            {"category": "music"},
            "a content category, which this tool does not take",
        ),
    ],
)
async def test_a_category_of_the_other_vocabulary_is_refused_with_what_takes_it(
    catalog: Catalog, rpc: str, arguments: dict[str, str], remedy: str
) -> None:
    with pytest.raises(InvalidInput, match=remedy):
        await catalog.call(rpc, **arguments)


@pytest.mark.parametrize(
    "reference",
    [
        "ada",
        ADA_CHANNEL,
        "@adaloeve",
        "Ada Löve",
        "adaloeve",
        f"https://www.youtube.com/channel/{ADA_CHANNEL}/videos",
        "https://m.youtube.com/@AdaLoeve",
        "youtube.com/c/AdaLoeve",
    ],
)
async def test_a_youtuber_is_known_by_id_handle_url_key_and_name(
    catalog: Catalog, reference: str
) -> None:
    response = await catalog.call("GetYoutuber", youtuber=reference)
    assert response.youtuber.name == "Ada Löve"
    again = await catalog.call("GetYoutuber", youtuber=response.youtuber.id)
    assert again.youtuber.name == "Ada Löve"


async def test_an_ambiguous_name_gives_the_candidates(catalog: Catalog) -> None:
    with pytest.raises(Conflict, match=r"Call again with one of the ids") as caught:
        await catalog.call("GetSponsor", sponsor="Echo")
    assert caught.value.reason == "AMBIGUOUS"
    candidates = json.loads(caught.value.details["candidates"])
    assert [candidate["hint"].split(",")[0] for candidate in candidates] == [
        "echobooks.com",
        "echotools.com",
    ]
    chosen = await catalog.call("GetSponsor", sponsor=candidates[1]["id"])
    assert chosen.sponsor.slug == "echo-tools"


@pytest.mark.parametrize(
    ("method", "field", "text"),
    [
        ("GetSponsor", "sponsor", "sp_azura"),
        ("GetSponsor", "sponsor", "sp_"),
        ("GetYoutuber", "youtuber", "yt_bob"),
        ("GetYoutuber", "youtuber", "l_1x"),
    ],
)
async def test_what_is_like_an_id_is_no_misspelt_name(
    catalog: Catalog, method: str, field: str, text: str
) -> None:
    with pytest.raises(NotFound) as caught:
        await catalog.call(method, **{field: text})
    assert "Did you mean" not in caught.value.public_message
    assert f"`{field}.search`" in caught.value.public_message


async def test_an_unknown_name_gives_the_nearest(catalog: Catalog) -> None:
    with pytest.raises(NotFound, match=r"Did you mean Azura VPN\?") as caught:
        await catalog.call("ListSimilarSponsors", sponsor="azzura vpn")
    assert caught.value.details["field"] == "sponsor"
    with pytest.raises(NotFound, match=r"Did you mean Bob Cooks\?"):
        await catalog.call("GetYoutuber", youtuber="bob cook")
    with pytest.raises(NotFound) as caught:
        await catalog.call("SearchYoutubers", sponsored_by="sp_99999")
    assert caught.value.details["field"] == "sponsored_by"


@pytest.mark.parametrize(
    "reference", ["***", "sp_0", "sp_" + "9" * 30, "https://[", "UC", "\u200b"]
)
async def test_an_odd_reference_is_merely_unknown(catalog: Catalog, reference: str) -> None:
    with pytest.raises(NotFound):
        await catalog.call("GetSponsor", sponsor=reference)
    with pytest.raises(NotFound):
        await catalog.call("GetYoutuber", youtuber=reference)


@pytest.mark.parametrize(
    ("rpc", "arguments", "field"),
    [
        ("GetSponsor", {"sponsor": " "}, "sponsor"),
        ("GetSponsor", {"sponsor": "x" * 301}, "sponsor"),
        ("GetSponsor", {"sponsor": "a\x00b"}, "sponsor"),
        ("GetYoutuber", {"youtuber": ""}, "youtuber"),
        ("SearchSponsors", {"search": ""}, "search"),
        ("SearchSponsors", {"search": "!?"}, "search"),
        ("SearchSponsors", {"search": "x" * 201}, "search"),
        ("SearchSponsors", {"limit": 0}, "limit"),
        ("SearchSponsors", {"limit": 51}, "limit"),
        ("SearchSponsors", {"limit": -1}, "limit"),
        ("SearchSponsors", {"sort": "fame"}, "sort"),
        ("SearchSponsors", {"category": "securty"}, "category"),
        ("SearchSponsors", {"country": "Germany"}, "country"),
        ("SearchSponsors", {"active_since": "2024-13-01"}, "active_since"),
        ("SearchSponsors", {"active_since": "20240101"}, "active_since"),
        ("SearchSponsors", {"min_videos": -1}, "min_videos"),
        ("SearchSponsors", {"cursor": ""}, "cursor"),
        ("SearchSponsors", {"cursor": "bm90IG91cnM"}, "cursor"),
        ("SearchSponsors", {"cursor": "é" * 9}, "cursor"),
        ("TopSponsors", {"metric": "likes"}, "metric"),
        ("TopSponsors", {"content_category": "security"}, "content_category"),
        ("TopSponsors", {"min_confidence": 1.1}, "min_confidence"),
        ("TopSponsors", {"min_confidence": float("nan")}, "min_confidence"),
        ("TopSponsors", {"from_date": "2024-02-02", "to_date": "2024-02-01"}, "since"),
        ("TopSponsors", {"to_date": "yesterday"}, "until"),
        ("GetSponsorStats", {"sponsor": "azura", "granularity": "week"}, "granularity"),
        ("GetSponsorStats", {"sponsor": "azura", "from_date": "1900-01-01", "granularity": "month"}, "granularity"),
        ("ListSponsorVideos", {"sponsor": "azura", "kind": "bribe"}, "kind"),
        ("ListSponsorYoutubers", {"sponsor": "azura", "sort": "name"}, "sort"),
        ("SearchYoutubers", {"min_subscribers": -5}, "min_subscribers"),
        ("SearchYoutubers", {"min_subscribers": 9, "max_subscribers": 8}, "min_subscribers"),
        ("SearchYoutubers", {"category": "tech-stuff"}, "category"),
        ("ListProspects", {"youtuber": "ada", "limit": 99}, "limit"),
        ("ListCategories", {"scope": "all"}, "scope"),
    ],
)  # fmt: skip
async def test_a_bad_argument_is_refused_by_its_field(
    catalog: Catalog, rpc: str, arguments: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        await catalog.call(rpc, **arguments)
    assert caught.value.details["field"] == field


async def test_an_unknown_category_gives_the_nearest_and_all(catalog: Catalog) -> None:
    with pytest.raises(InvalidInput, match=r"Did you mean security\?.*gaming-gear"):
        await catalog.call("TopSponsors", category="securty")


@pytest.mark.parametrize(
    ("rpc", "arguments", "items"),
    [
        ("SearchSponsors", {}, "sponsors"),
        ("SearchSponsors", {"search": "e"}, "sponsors"),
        ("TopSponsors", {}, "sponsors"),
        ("ListSponsorVideos", {"sponsor": "azura-vpn"}, "videos"),
        ("ListSponsorYoutubers", {"sponsor": "azura-vpn"}, "youtubers"),
        ("SearchYoutubers", {"sort": "name"}, "youtubers"),
        ("ListYoutuberSponsors", {"youtuber": "ada"}, "sponsors"),
        ("ListYoutuberVideos", {"youtuber": "ada"}, "videos"),
    ],
)
async def test_pages_of_one_element_make_up_the_whole_list(
    catalog: Catalog, rpc: str, arguments: dict[str, Any], items: str
) -> None:
    whole = await catalog.call(rpc, limit=50, **arguments)
    pages: list[Any] = []
    response = await catalog.call(rpc, limit=1, **arguments)
    pages += getattr(response, items)
    while response.HasField("next_cursor"):
        response = await catalog.call(rpc, limit=1, cursor=response.next_cursor, **arguments)
        pages += getattr(response, items)
    assert pages == list(getattr(whole, items))
    assert len(pages) > 1


async def test_a_cursor_of_another_query_is_refused(catalog: Catalog) -> None:
    cursor = (await catalog.call("SearchSponsors", limit=1)).next_cursor
    for arguments in ({"sort": "name"}, {"country": "US"}, {"search": "a"}):
        with pytest.raises(InvalidInput, match="without `cursor`"):
            await catalog.call("SearchSponsors", cursor=cursor, **arguments)
    with pytest.raises(InvalidInput):
        await catalog.call("SearchYoutubers", cursor=cursor)


@pytest.mark.parametrize(
    ("method", "search", "hint"),
    [
        ("SearchSponsors", "@AdaLoeve", "is a creator: Ada Löve (yt_1). Search with `youtuber.search`"),
        ("SearchSponsors", "Ada Löve", "Search with `youtuber.search`."),
        ("SearchSponsors", "yt_1", "Search with `youtuber.search`."),
        ("SearchYoutubers", "azuravpn.com", "is a brand: Azura VPN (sp_1). Search with `sponsor.search`"),
        ("SearchYoutubers", "Azura VPN", "Search with `sponsor.search`."),
        ("SearchYoutubers", "zzqqxx", "Check the spelling"),
        ("SearchSponsors", "zzqqxx", "Check the spelling"),
    ],
)  # fmt: skip
async def test_a_search_that_finds_nothing_says_what_else_has_the_name(
    catalog: Catalog, method: str, search: str, hint: str
) -> None:
    assert hint in (await catalog.call(method, search=search)).note


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        # The brand is there, and another filter hides it.
        ("SearchSponsors", {"search": "Ada Löve", "category": "food"}),
        ("SearchYoutubers", {"search": "azuravpn.com", "country": "JP"}),
        # A page of a site is not the site's brand, and a video not its creator.
        ("SearchYoutubers", {"search": "https://azuravpn.com/nobody"}),
        ("SearchSponsors", {"search": "aaaaaaaaaa1"}),
    ],
)
async def test_a_search_names_nothing_else_where_something_else_is_why(
    catalog: Catalog, method: str, arguments: dict[str, str]
) -> None:
    found = await catalog.call(method, **arguments)
    assert "Search with" not in found.note


@pytest.mark.parametrize(
    ("video", "words"),
    [
        ("sp_1", "is the id of a brand, and no video: `sponsor.recentVideos` lists"),
        ("yt_1", "is the id of a creator, and no video: `youtuber.recentVideos` lists"),
        ("@AdaLoeve", "is the handle of a channel, and no video: `youtuber.recentVideos` lists"),
        ("v_2.sp_1", "is the id of a sponsorship, and no video: give the id of its video, v_2."),
        ("zzqqxx", "The catalogue knows no video 'zzqqxx'."),
    ],
)
async def test_what_is_no_video_is_named(catalog: Catalog, video: str, words: str) -> None:
    with pytest.raises(NotFound) as caught:
        await catalog.call("GetVideo", video=video)
    assert words in caught.value.public_message
    assert caught.value.details["field"] == "video"
