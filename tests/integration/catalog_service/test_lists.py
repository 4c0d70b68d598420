"""Saved lists, and the filters by them, over the service's RPCs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from protos.catalog.v1 import catalog_pb2 as pb
from servicekit.errors import Conflict, InvalidInput, NotFound, ResourceExhausted
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog


@dataclass(frozen=True)
class Account:
    """An account that calls the catalog."""

    catalog: Catalog
    account_id: str

    async def call(self, rpc: str, **arguments: Any) -> Any:
        return await self.catalog.call(rpc, **({"account_id": self.account_id} | arguments))

    @property
    def other(self) -> Account:
        return Account(self.catalog, f"{self.account_id}-other")


@pytest.fixture
def mine(catalog: Catalog, request: pytest.FixtureRequest) -> Account:
    """An account of its own for each test: lists change nothing of what others read."""
    return Account(catalog, request.node.name)


async def create(
    account: Account, *names: str, name: str = "Mine", kind: str = "sponsor"
) -> pb.ListChange:
    return await account.call("CreateList", name=name, type=kind, names=names)


async def entries(account: Account, reference: str = "Mine", **arguments: Any) -> list[str]:
    page = await account.call("GetList", list=reference, **arguments)
    return [entry.sponsor.slug or entry.youtuber.name for entry in page.entries]


async def top(account: Account, **arguments: Any) -> list[str]:
    ranking = await account.call("TopSponsors", **arguments)
    return [ranked.sponsor.slug for ranked in ranking.sponsors]


async def searched(account: Account, **arguments: Any) -> list[str]:
    page = await account.call("SearchSponsors", sort="name", **arguments)
    return [card.slug for card in page.sponsors]


async def test_a_list_is_made_mine_read_and_deleted(mine: Account) -> None:
    every = await searched(mine)
    first, second = every[:2]
    change = await create(mine, first)
    assert (change.changed, change.list.entries, change.list.type) == (1, 1, "sponsor")
    change = await mine.call("AddToList", list="mine", names=[first, second])
    assert (change.changed, change.list.entries) == (1, 2)
    assert await entries(mine, change.list.id) == [first, second]
    change = await mine.call("RemoveFromList", list="Mine", names=[first])
    assert (change.changed, change.list.entries) == (1, 1)
    renamed = await mine.call("RenameList", list="Mine", name="Ours")
    assert (renamed.name, renamed.id) == ("Ours", change.list.id)
    lists = await mine.call("ListSavedLists")
    assert [item.name for item in lists.lists] == ["Ours"]
    deleted = await mine.call("DeleteList", list="Ours")
    assert deleted.list.entries == 1
    assert not (await mine.call("ListSavedLists")).lists


async def test_the_same_name_again_returns_the_list(mine: Account) -> None:
    made = await create(mine)
    again = await create(mine, name="  MINE ")
    assert again.list.id == made.list.id
    with pytest.raises(Conflict, match="a list of brands, has this name"):
        await create(mine, kind="youtuber")


async def test_a_list_that_was_there_is_said_to_be_added_to(mine: Account) -> None:
    first, second = (await searched(mine))[:2]
    made = await create(mine, first)
    assert not made.HasField("note")
    again = await create(mine, second, "no brand of this name at all")
    assert (again.changed, again.list.entries) == (1, 2)
    assert again.note == (
        f"No new list was made: 'Mine' was there already as {made.list.id}, with 1 entry, and names are added to it."
    )


async def test_names_that_a_list_has_not_are_named_by_their_removal(mine: Account) -> None:
    first, second, third = (await searched(mine))[:3]
    await create(mine, first)
    change = await mine.call("RemoveFromList", list="Mine", names=[third, first, second, second])
    assert (change.changed, change.list.entries) == (1, 0)
    assert change.note == f"Not in the list: '{third}', '{second}'."


async def test_unclear_names_come_back_and_the_others_are_added(mine: Account) -> None:
    (first, *_) = await searched(mine)
    change = await create(mine, first, "no brand of this name at all")
    assert change.changed == 1
    assert [(item.name, item.status) for item in change.unclear] == [
        ("no brand of this name at all", "unknown")
    ]
    assert not change.HasField("note")


async def test_a_brand_is_said_to_be_none_of_the_creators_of_a_list(mine: Account) -> None:
    change = await create(mine, "Azura VPN", kind="youtuber")

    assert [item.status for item in change.unclear] == ["unknown"]
    assert change.note.endswith("is a brand, no creator.")


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("sponsor", "yt_1", "(yt_1) is a creator, no brand."),
        ("sponsor", "UCaaaaaaaaaaaaaaaaaaaaaa", "(yt_1) is a creator, no brand."),
        ("sponsor", "@nobody", ""),
        ("sponsor", "https://www.youtube.com/@nobody", ""),
        ("youtuber", "sp_1", "(sp_1) is a brand, no creator."),
    ],
)
async def test_what_is_of_the_other_type_comes_back_and_the_others_are_added(
    mine: Account, kind: str, name: str, words: str
) -> None:
    right = {"sponsor": "sp_1", "youtuber": "yt_1"}[kind]
    await create(mine, kind=kind)
    for rpc, arguments, entered in (
        ("AddToList", {"list": "Mine"}, 1),
        ("RemoveFromList", {"list": "Mine"}, 0),
        ("CreateList", {"name": "Mine", "type": kind}, 1),
    ):
        change = await mine.call(rpc, **arguments, names=[right, name])
        assert (change.changed, change.list.entries) == (1, entered)
        assert [item.name for item in change.unclear] == [name]
        was_there = rpc == "CreateList" and "No new list was made"
        assert change.note.startswith(was_there or (f"{name!r} {words}" if words else ""))
        assert change.note.endswith(words)


async def test_pages_of_entries_follow_each_other(mine: Account) -> None:
    every = await searched(mine)
    await create(mine, *every)
    page = await mine.call("GetList", list="Mine", limit=1)
    following = await entries(mine, limit=50, cursor=page.next_cursor)
    assert [page.entries[0].sponsor.slug, *following] == every


async def test_lists_filter_searches_and_rankings(mine: Account) -> None:
    every = await searched(mine)
    first, *others = every
    made = (await create(mine, first)).list
    assert await searched(mine, in_list=made.id) == [first]
    assert await searched(mine, not_in_list="mine") == others
    ranked = await top(mine)
    assert await top(mine, in_list=made.id) == [slug for slug in ranked if slug == first]
    assert await top(mine, not_in_list=made.id) == [slug for slug in ranked if slug != first]
    assert await searched(mine, search=first, not_in_list=made.id) == []


async def test_a_list_of_creators_filters_creators_and_rankings_of_brands(mine: Account) -> None:
    page = await mine.call("SearchYoutubers", sort="name", limit=50)
    names = [card.name for card in page.youtubers]
    ids = [card.id for card in page.youtubers]
    await create(mine, ids[0], name="Theirs", kind="youtuber")
    by_list = {"in_list": "Theirs"}
    found = await mine.call("SearchYoutubers", sort="name", **by_list)
    assert [card.name for card in found.youtubers] == names[:1]
    by_name = await mine.call("SearchYoutubers", search=names[0], **by_list)
    assert [card.id for card in by_name.youtubers] == ids[:1]
    ranking = await mine.call("TopSponsors", **by_list)
    history = await mine.call("ListYoutuberSponsors", youtuber=ids[0], limit=50)
    paid = {item.sponsor.slug for item in history.sponsors if set(item.kinds) != {"free_product"}}
    assert {item.sponsor.slug for item in ranking.sponsors} == paid
    assert ranking.totals.youtubers == 1


@pytest.mark.parametrize(
    ("rpc", "arguments", "kind"),
    [
        ("ListSponsorVideos", {"sponsor": "azura-vpn"}, "youtuber"),
        ("ListSponsorYoutubers", {"sponsor": "azura-vpn"}, "youtuber"),
        ("ListSimilarSponsors", {"sponsor": "azura-vpn"}, "sponsor"),
        ("ListYoutuberSponsors", {"youtuber": "ada"}, "sponsor"),
        ("ListProspects", {"youtuber": "ada"}, "sponsor"),
        ("ListTrends", {"from_date": "2023-01-01", "to_date": "2023-12-31"}, "youtuber"),
        ("ListTrends", {"from_date": "2023-01-01", "to_date": "2023-12-31"}, "sponsor"),
        ("SearchVideos", {"sponsor": "azura-vpn"}, "youtuber"),
        ("SearchVideos", {"youtuber": "ada"}, "sponsor"),
        ("ListYoutubersAbout", {"about": "review"}, "youtuber"),
    ],
)
async def test_an_empty_list_leaves_nothing_and_without_it_all_is_left(
    mine: Account, rpc: str, arguments: dict[str, Any], kind: str
) -> None:
    await create(mine, kind=kind)
    everything = await mine.call(rpc, **arguments)
    (entries,) = [
        field.name
        for field in everything.DESCRIPTOR.fields
        if field.name in {"videos", "youtubers", "sponsors", "prospects"} and field.message_type
    ]
    none = await mine.call(rpc, in_list="Mine", **arguments)
    assert not getattr(none, entries)
    assert "The list 'Mine' of `in_list` is empty: fill it by list.add" in none.note
    assert "`in_list`" not in everything.note
    both = await mine.call(rpc, in_list="Mine", not_in_list="mine", **arguments)
    assert "`in_list` and `not_in_list` name the same list: they exclude each other" in both.note
    all_but_none = await mine.call(rpc, not_in_list="Mine", **arguments)
    assert getattr(all_but_none, entries) == getattr(everything, entries)


@pytest.mark.parametrize(
    ("rpc", "arguments"),
    [
        ("TopSponsors", {}),
        ("TopSponsors", {"from_date": "2023-01-01", "to_date": "2023-06-30"}),
        ("TopSponsors", {"content_category": "science-technology"}),
        ("SearchYoutubers", {}),
        ("SearchVideos", {"sponsor": "azura-vpn"}),
        ("ListSponsorYoutubers", {"sponsor": "azura-vpn"}),
        ("SearchCodes", {"code": "ADA"}),
    ],
)
async def test_coverage_is_that_of_the_listed_creators(
    catalog: Catalog, mine: Account, rpc: str, arguments: dict[str, Any]
) -> None:
    await create(mine, "Ada Löve", kind="youtuber")

    async def counted(**by_list: str) -> tuple[int, int, int]:
        shown = (await mine.call(rpc, **arguments, **by_list)).coverage
        return shown.youtubers, shown.videos, shown.sponsored_videos

    whole, hers, others = (
        await counted(),
        await counted(in_list="Mine"),
        await counted(not_in_list="Mine"),
    )
    period = {name: day for name, day in arguments.items() if name.endswith("_date")}
    stats = await catalog.call("GetYoutuberStats", youtuber="Ada Löve", **period)
    known = stats.coverage
    assert hers[0] == 1
    if "content_category" not in arguments:
        assert hers[1] == (known.videos_in_period if period else known.videos_scanned)
    assert tuple(a + b for a, b in zip(hers, others, strict=True)) == whole


async def test_counts_of_what_is_left_out_follow_a_changed_list(mine: Account) -> None:
    page = await mine.call("SearchYoutubers", sort="name", limit=50)
    await create(mine, kind="youtuber")
    query = {"in_list": "Mine", "content_category": "gaming"}
    before = await mine.call("TopSponsors", **query)
    assert before.coverage.left_out == 0
    ids = [card.id for card in page.youtubers]
    await mine.call("AddToList", list="Mine", names=ids)
    after = await mine.call("TopSponsors", **query)
    everybody = await mine.call("TopSponsors", content_category="gaming")
    assert after.coverage.left_out == everybody.coverage.left_out
    assert after.sponsors == everybody.sponsors


@pytest.mark.parametrize("field", ["in_list", "not_in_list"])
async def test_anothers_list_is_none(mine: Account, field: str) -> None:
    made = (await create(mine.other)).list
    for reference in (made.id, made.name):
        with pytest.raises(NotFound, match=f"`{field}` .* is none of your lists") as caught:
            await mine.call("SearchSponsors", **{field: reference})
        assert caught.value.details["field"] == field
        for rpc in ("GetList", "DeleteList"):
            with pytest.raises(NotFound, match="none of your lists"):
                await mine.call(rpc, list=reference)


async def test_a_list_of_the_other_type_is_refused(mine: Account) -> None:
    await create(mine, kind="youtuber")
    with pytest.raises(InvalidInput, match="is a list of creators, and this takes one of brands"):
        await mine.call("SearchSponsors", in_list="Mine")


async def test_a_filter_without_an_account_is_refused(catalog: Catalog) -> None:
    with pytest.raises(InvalidInput, match="account_id"):
        await catalog.call("SearchSponsors", in_list="Mine")


@pytest.mark.parametrize("name", ["", " \t ", "n" * 61, "two\nlines\x00", "l_12"])
async def test_a_name_that_is_none_is_refused(mine: Account, name: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await create(mine, name=name)
    assert caught.value.details["field"] == "name"


async def test_an_account_has_so_many_lists(mine: Account) -> None:
    for number in range(50):
        await create(mine, name=f"List {number}")
    with pytest.raises(ResourceExhausted, match="at most 50 lists"):
        await create(mine, name="One more")
    await create(mine, name="List 0")


async def test_the_end_of_an_account_takes_its_lists_alone(mine: Account) -> None:
    await create(mine, name="First")
    await create(mine, name="Second")
    await create(mine.other, name="Other")
    assert (await mine.call("EraseLists")).lists == 2
    assert (await mine.call("EraseLists")).lists == 0
    left = await mine.other.call("ListSavedLists")
    assert [item.name for item in left.lists] == ["Other"]


async def test_a_merged_brand_stays_in_its_lists_once(empty_catalog: Catalog) -> None:
    await empty_catalog.ingest(example.FACTS)
    mine = Account(empty_catalog, "acc-1")
    gone, stays = (await searched(mine))[:2]
    await create(mine, gone, stays, name="Both")
    await create(mine, gone, name="Gone")
    await empty_catalog.operate("MergeSponsors", from_sponsor=gone, into_sponsor=stays)
    assert await entries(mine, "Both") == [stays]
    assert await entries(mine, "Gone") == [stays]


async def test_codes_are_those_of_a_list_or_of_others(mine: Account) -> None:
    await create(mine, "azura-vpn")
    await create(mine, "ada", name="Creators", kind="youtuber")
    everywhere = await codes(mine)
    assert len(everywhere) > 1
    assert await codes(mine, in_list="Mine") == everywhere
    assert await codes(mine, not_in_list="Mine") == []
    assert await codes(mine, in_list="Mine", not_in_list="Creators") == [
        (code, name) for code, name in everywhere if name != "Ada Löve"
    ]


async def codes(account: Account, **arguments: Any) -> list[tuple[str, str]]:
    found = [
        (use.code, use.youtuber.name)
        for beginning in ("AD", "CY")
        for use in (await account.call("SearchCodes", code=beginning, **arguments)).codes
    ]
    return sorted(found)
