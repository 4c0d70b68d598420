"""Pages of ranked lists stay right while the catalogue changes: no entry is listed twice, none is left out."""

from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest

from catalog_service.domain.paging import Cursors
from servicekit.errors import InvalidInput
from shapes.catalog.sponsors import TopSponsorsRequest
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog, new_settings, running_catalog

COUNT = 7
LIMIT = 2
LISTS: list[tuple[str, dict[str, Any], str]] = [
    *(
        ("SearchSponsors", {"sort": sort, **more}, "sponsors")
        for sort in ("relevance", "videos", "youtubers", "views", "recent", "name")
        for more in ({}, {"search": "brand"}, {"search": "brand", "category": "food"})
    ),
    ("SearchSponsors", {"search": "rand"}, "sponsors"),
    *(
        ("SearchYoutubers", {"sort": sort, **more}, "youtubers")
        for sort in ("relevance", "subscribers", "sponsored_videos", "recent", "name")
        for more in ({}, {"search": "creator"})
    ),
    *(
        ("TopSponsors", {"metric": metric, **more}, "sponsors")
        for metric in ("videos", "youtubers", "views")
        for more in (
            {},
            {"from_date": "2020-01-01", "to_date": "2023-12-31"},
            {"from_date": "2020-01-02"},
        )
    ),
    *(
        ("ListSponsorYoutubers", {"sponsor": "brand-0", "sort": sort}, "youtubers")
        for sort in ("videos", "views", "recent", "oldest", "subscribers")
    ),
    *(
        ("ListYoutuberSponsors", {"youtuber": "creator-0", "sort": sort}, "sponsors")
        for sort in ("videos", "views", "recent", "oldest")
    ),
    ("ListSharedSponsors", {"youtubers": ["creator-0", "creator-1"]}, "sponsors"),
    ("SearchCodes", {"code": "CODE"}, "codes"),
]
"""Lists with the arguments of each order that they have."""


def _video(key: str, sponsor: str, youtuber: str, day: str, code: str | None = None) -> Any:
    claim = example.claim(sponsor, "promo_code", 0.9, code)
    return example.video(key, youtuber, day, 1000 if sponsor == "front" else 10, claim)


def _facts() -> list[Any]:
    """Brands and creators with equal and different numbers of videos, of which some have none."""
    facts: list[Any] = [
        example.sponsor(f"brand-{number}", f"Brand {number % 3}", f"brand{number}.com", "food")
        for number in range(COUNT)
    ]
    facts += [
        example.youtuber(
            f"creator-{number}",
            f"Creator {number % 3}",
            subscribers=None if number % 2 else 1000 * (number // 4),
        )
        for number in range(COUNT)
    ]
    facts += [
        _video(f"{i}-{j}-{k}", f"brand-{i}", f"creator-{j}", f"2022-0{k + i % 3}-10", f"CODE{i}{j}")
        for i in range(COUNT - 1)
        for j in range(COUNT - 1)
        for k in range(1, 2 + (i + j) % 3)
    ]
    return facts


@pytest.fixture(name="read", scope="module")
async def _read(fresh_database: Callable[[], str]) -> AsyncGenerator[Catalog]:
    """A catalogue that is only read."""
    async with running_catalog(new_settings(fresh_database())) as catalog:
        assert not (await catalog.ingest(_facts())).rejected
        yield catalog


async def _pages(
    catalog: Catalog, rpc: str, arguments: dict[str, Any], items: str
) -> AsyncGenerator[list[Any]]:
    """Yield the entries of each page."""
    cursor: dict[str, str] = {}
    while True:
        response = await catalog.call(rpc, limit=LIMIT, **arguments, **cursor)
        yield list(getattr(response, items))
        if not response.HasField("next_cursor"):
            return
        assert len(response.next_cursor) <= 1024
        cursor = {"cursor": response.next_cursor}


@pytest.mark.parametrize(("rpc", "arguments", "items"), LISTS)
async def test_pages_make_up_the_list_in_every_order(
    read: Catalog, rpc: str, arguments: dict[str, Any], items: str
) -> None:
    whole = list(getattr(await read.call(rpc, limit=50, **arguments), items))
    paged = [entry async for page in _pages(read, rpc, arguments, items) for entry in page]
    assert paged == whole
    assert len(whole) > 2 * LIMIT


def _identity(entry: Any) -> str:
    """Return what distinguishes the entry of a list, whatever its figures."""
    if hasattr(entry, "code"):
        return f"{entry.code} {entry.sponsor.id} {entry.youtuber.id}"
    if hasattr(entry, "sponsor"):
        return entry.sponsor.id
    return entry.youtuber.id if hasattr(entry, "youtuber") else entry.id


FRONT = [
    example.sponsor("front", "A Brand In Front", "brand.com", "food"),
    example.youtuber("fresh", "A Creator In Front", subscribers=10**9),
]
BETWEEN: dict[str, tuple[str, tuple[str, ...]]] = {
    "SearchSponsors": ("front", ("fresh",)),
    "SearchYoutubers": ("front", ("fresh",)),
    "TopSponsors": ("front", ("fresh", "fresh-1", "fresh-2", "fresh-3", "fresh-4", "fresh-5", "fresh-6")),
    "ListSponsorYoutubers": ("brand-0", ("fresh",)),
    "ListYoutuberSponsors": ("front", ("creator-0",)),
    "ListSharedSponsors": ("front", ("creator-0", "creator-1")),
    "SearchCodes": ("front", ("fresh",)),
}  # fmt: skip
"""The brand and the creators of videos that come between two pages, and are of no other entry."""


@pytest.mark.parametrize(
    ("rpc", "arguments", "items"),
    [
        ("SearchSponsors", {}, "sponsors"),
        ("SearchSponsors", {"sort": "name"}, "sponsors"),
        ("SearchSponsors", {"search": "brand"}, "sponsors"),
        ("SearchYoutubers", {"sort": "subscribers"}, "youtubers"),
        ("TopSponsors", {}, "sponsors"),
        ("TopSponsors", {"metric": "youtubers"}, "sponsors"),
        ("TopSponsors", {"from_date": "2020-01-01", "to_date": "2023-12-31"}, "sponsors"),
        ("TopSponsors", {"from_date": "2020-01-02", "metric": "views"}, "sponsors"),
        ("ListSponsorYoutubers", {"sponsor": "brand-0"}, "youtubers"),
        ("ListYoutuberSponsors", {"youtuber": "creator-0", "sort": "videos"}, "sponsors"),
        ("ListSharedSponsors", {"youtubers": ["creator-0", "creator-1"]}, "sponsors"),
        ("SearchCodes", {"code": "CODE"}, "codes"),
    ],
)
async def test_an_entry_that_comes_between_two_pages_shifts_no_other(
    empty_catalog: Catalog, rpc: str, arguments: dict[str, Any], items: str
) -> None:
    catalog = empty_catalog
    assert not (await catalog.ingest(_facts())).rejected
    before = list(getattr(await catalog.call(rpc, limit=50, **arguments), items))
    seen: list[str] = []
    sponsor, youtubers = BETWEEN[rpc]
    fresh = [example.youtuber(key, key) for key in youtubers if key.startswith("fresh-")]
    async for page in _pages(catalog, rpc, arguments, items):
        if not seen:
            videos = [
                _video(f"new-{key}-{day}", sponsor, key, f"2023-11-{day}", "CODE")
                for key in youtubers
                for day in range(10, 30)
            ]
            assert not (await catalog.ingest([*FRONT, *fresh, *videos])).rejected
        seen += map(_identity, page)
    assert seen == [_identity(entry) for entry in before]
    after = list(getattr(await catalog.call(rpc, limit=50, **arguments), items))
    assert _identity(after[0]) not in seen


async def test_an_entry_that_goes_to_the_end_hides_no_other(empty_catalog: Catalog) -> None:
    catalog = empty_catalog
    assert not (await catalog.ingest(_facts())).rejected
    arguments = {"youtuber": "creator-0", "sort": "oldest"}
    before = (await catalog.call("ListYoutuberSponsors", limit=50, **arguments)).sponsors
    ids = [_identity(entry) for entry in before]
    seen: list[str] = []
    async for page in _pages(catalog, "ListYoutuberSponsors", arguments, "sponsors"):
        if not seen:
            slug = before[0].sponsor.slug
            await catalog.ingest([_video("new", slug, "creator-0", "2023-11-01")])
        seen += map(_identity, page)
    assert seen == [*ids, ids[0]]


@pytest.mark.parametrize("metric", ["videos", "youtubers", "views"])
@pytest.mark.parametrize(
    "filters",
    [
        {},
        {"from_date": "2022-01-01", "to_date": "2022-06-30"},
        {"from_date": "2022-01-02", "to_date": "2022-03-20"},
        {"from_date": "2022-01-05", "to_date": "2022-12-20"},
        {"min_confidence": 0.5},
        {"min_confidence": 0.42},
        {"kinds": ["paid_sponsorship"]},
    ],
)
async def test_ranks_go_on_where_the_page_before_ended(
    read: Catalog, metric: str, filters: dict[str, Any]
) -> None:
    arguments = {"metric": metric, **filters}
    pages = [page async for page in _pages(read, "TopSponsors", arguments, "sponsors")]
    shown = [(entry.rank, getattr(entry, metric)) for page in pages for entry in page]
    figures = [figure for _, figure in shown]
    assert shown == [(1 + sum(other > figure for other in figures), figure) for figure in figures]


async def test_a_cursor_that_counts_entries_is_refused(read: Catalog) -> None:
    request = TopSponsorsRequest(
        None, None, None, None, None, "", 0.0, LIMIT, None, (), None, None, None
    )
    cursors = Cursors(read.settings.cursor_secret.get_secret_value())
    with pytest.raises(InvalidInput, match="without `cursor`") as refused:
        await read.call("TopSponsors", limit=LIMIT, cursor=cursors.issue(request, [LIMIT]))
    assert refused.value.details["field"] == "cursor"
    following = (await read.call("TopSponsors", limit=LIMIT)).next_cursor
    assert cursors.read(request, following)[0] == LIMIT


async def test_the_longest_names_fit_into_a_cursor(empty_catalog: Catalog) -> None:
    long = "\ufdfa" * 199
    facts = [
        example.sponsor(f"long-{number}", f"{long}{number}", f"long{number}.com", None)
        for number in range(5)
    ]
    assert not (await empty_catalog.ingest(facts)).rejected
    pages = _pages(empty_catalog, "SearchSponsors", {"sort": "name"}, "sponsors")
    assert [card.slug async for page in pages for card in page] == [f"long-{n}" for n in range(5)]
