"""Similar sponsors and prospects rest on support, where the raw overlap rests on accidents."""

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from itertools import islice
from statistics import mean

import pytest
from sqlalchemy import Double, column, create_engine, select, values

from catalog_service.domain import support as domain
from catalog_service.storage.stats import support as storage
from protos.catalog.v1 import catalog_pb2 as pb
from servicekit.database_url import driver_url
from tests.integration.catalog_service.conftest import Catalog, new_settings, running_catalog
from tests.integration.catalog_service.example import claim, sponsor, video, youtuber
from tests.integration.catalog_service.planted_clusters import Clusters, planted

CLUSTERS = planted(seed=1)


@pytest.fixture(scope="module")
async def clustered(fresh_database: Callable[[], str]) -> AsyncGenerator[Catalog]:
    async with running_catalog(new_settings(fresh_database())) as catalog:
        reply = await catalog.ingest(*_batches(1_000))
        assert not reply.rejected
        yield catalog


def _batches(size: int) -> Iterator[list[pb.IngestItem]]:
    facts = CLUSTERS.facts()
    while batch := list(islice(facts, size)):
        yield batch


def _precision(slug: str, found: Sequence[str], clusters: Clusters) -> float:
    own = clusters.cluster[slug]
    return mean(clusters.cluster.get(other) == own for other in found[:10])


async def test_similar_sponsors_are_those_of_the_cluster(clustered: Catalog) -> None:
    precise: list[float] = []
    raw: list[float] = []
    for slug in CLUSTERS.cluster:
        response = await clustered.call("ListSimilarSponsors", sponsor=slug, limit=10)
        precise.append(_precision(slug, [row.sponsor.slug for row in response.sponsors], CLUSTERS))
        raw.append(_precision(slug, CLUSTERS.jaccard(slug), CLUSTERS))
    assert mean(precise) >= 0.9
    assert 0.4 <= mean(raw) <= 0.6


async def test_prospects_are_sponsors_of_the_cluster(clustered: Catalog) -> None:
    found: list[float] = []
    for key, own in list(CLUSTERS.sponsors().items())[::5]:
        cluster = key.partition("y")[0]
        rest = {slug for slug, at in CLUSTERS.cluster.items() if at == cluster} - own
        response = await clustered.call("ListProspects", youtuber=key, limit=min(10, len(rest)))
        found += [prospect.sponsor.slug in rest for prospect in response.prospects]
    assert mean(found) >= 0.9


async def test_a_row_that_rests_on_one_creator_says_so_and_comes_last(clustered: Catalog) -> None:
    response = await clustered.call("ListSimilarSponsors", sponsor="cluster0-3", limit=50)
    shared = [row.shared_youtubers for row in response.sponsors]
    assert 1 in shared
    assert 1 not in shared[: shared.index(1)]
    supported = [
        domain.is_supported(row.shared_youtubers, row.expected_youtubers)
        for row in response.sponsors
    ]
    assert supported == sorted(supported, reverse=True)
    assert {True, False} == set(supported)
    for row in response.sponsors:
        assert (row.support == "one creator") == (row.shared_youtubers == 1)
        assert row.score == pytest.approx(
            domain.score(row.shared_youtubers, row.expected_youtubers)
        )
    first = response.sponsors[0]
    sizes = [len(CLUSTERS.youtubers[slug]) for slug in ("cluster0-3", first.sponsor.slug)]
    assert first.expected_youtubers == pytest.approx(sizes[0] * sizes[1] / len(CLUSTERS.sponsors()))
    assert f"{first.shared_youtubers} creators sponsored by both, of {sizes[0]}" in first.evidence


async def test_a_lapsed_sponsor_comes_behind_the_active_and_before_the_unsupported(
    empty_catalog: Catalog,
) -> None:
    youtubers_of = {
        "asked": ("2024-06-01", range(6)),
        "gone": ("2020-06-01", range(6)),
        "there": ("2024-06-01", range(3)),
        "single": ("2024-06-01", range(1)),
        "elsewhere": ("2024-06-01", range(6, 30)),
    }
    facts = [sponsor(slug, slug, f"{slug}.example", None) for slug in youtubers_of]
    facts += [youtuber(f"y{n}", f"y{n}") for n in range(30)]
    for slug, (day, numbers) in youtubers_of.items():
        paid = claim(slug, "affiliate", 0.9)
        facts += [video(f"{slug}{n}", f"y{n}", day, 1, paid) for n in numbers]
    # Enough for the brand that is gone to have lapsed with each of its creators.
    facts += [video(f"later{n}-{y}", f"y{y}", "2024-06-01", 1) for y in range(6) for n in range(4)]
    assert not (await empty_catalog.ingest(facts)).rejected
    response = await empty_catalog.call("ListSimilarSponsors", sponsor="asked")
    found = [(row.sponsor.slug, row.shared_youtubers) for row in response.sponsors]
    assert found == [("there", 3), ("gone", 6), ("single", 1)]


async def test_chance_is_among_the_creators_with_these_kinds(
    empty_catalog: Catalog,
) -> None:
    facts = [sponsor(slug, slug, f"{slug}.example", None) for slug in ("asked", "like", "paying")]
    facts += [youtuber(f"y{n}", f"y{n}") for n in range(25)]
    for slug, kind, numbers in (
        ("asked", "free_product", range(2)),
        ("like", "free_product", range(1, 5)),
        ("paying", "affiliate", range(25)),
    ):
        sponsorship = claim(slug, kind, 0.9)
        facts += [video(f"{slug}{n}", f"y{n}", "2024-06-01", 1, sponsorship) for n in numbers]
    assert not (await empty_catalog.ingest(facts)).rejected
    response = await empty_catalog.call(
        "ListSimilarSponsors", sponsor="asked", kinds=["free_product"]
    )
    (row,) = response.sponsors
    # 2 of the 5 creators with free products, and 4 of them: not of the 25 with any sponsorship.
    assert row.expected_youtubers == pytest.approx(2 * 4 / 5)


def test_the_statement_scores_as_the_function_does(fresh_database: Callable[[], str]) -> None:
    pairs = [(shared, expected) for shared in range(1, 40) for expected in (0.0, 0.3, 2.0, 39.0)]
    rows = values(column("shared", Double), column("expected", Double), name="rows").data(pairs)
    score = storage.score(rows.c.shared, rows.c.expected)
    engine = create_engine(driver_url(fresh_database()))
    with engine.connect() as connection:
        found = connection.execute(select(rows.c.shared, rows.c.expected, score)).all()
    engine.dispose()
    assert len(found) == len(pairs)
    for shared, expected, scored in found:
        assert scored == pytest.approx(domain.score(shared, expected))
