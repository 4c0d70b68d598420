"""Searches with one typing error, over the brands of the sample and those that creators mostly advertise."""

import random
import re
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator
from string import ascii_lowercase

import pytest

from devstack.catalog_files import read_catalog_files
from devstack.catalog_files.raw_videos import brand_record
from devstack.sample.build import TARGET
from import_worker.detector import bundled_directory
from import_worker.detector.directory import MOSTLY
from protos.catalog.v1 import catalog_pb2 as pb
from servicekit.grpc import codec
from shapes.catalog.ingest import SponsorFact
from tests.integration.catalog_service.conftest import Catalog, new_settings, running_catalog

LENGTHS = {"4-5": range(4, 6), "6-7": range(6, 8), "8+": range(8, 40)}
BRANDS = 40
NAMED = {"adidas", "samsung", "vivo-mobile", "vivo-brasil", "archero"}
SEED = 20_261_122


@pytest.fixture(scope="module")
async def brands(fresh_database: Callable[[], str]) -> AsyncGenerator[Catalog]:
    """A catalogue of these sponsors, and nothing else."""
    async with running_catalog(new_settings(fresh_database())) as catalog:
        items = [pb.IngestItem(sponsor=codec.encode(fact, pb.SponsorFact)) for fact in _sponsors()]
        for start in range(0, len(items), 1000):
            assert not (await catalog.ingest(items[start : start + 1000])).rejected
        yield catalog


def _sponsors() -> list[SponsorFact]:
    sample = [fact for fact in read_catalog_files([TARGET]) if isinstance(fact, SponsorFact)]
    known = {fact.slug for fact in sample}
    others = (brand for brand in bundled_directory().brands if brand.slug not in known)
    advertised = [brand for brand in others if brand.creator_ads == MOSTLY or brand.slug in NAMED]
    return [*sample, *map(brand_record, advertised)]


def _typos(name: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    at = chance.randrange(len(name))
    yield "drop", name[:at] + name[at + 1 :]
    at = chance.randrange(len(name))
    yield "double", name[: at + 1] + name[at:]
    at = chance.choice([at for at in range(len(name) - 1) if name[at] != name[at + 1]])
    yield "swap", name[:at] + name[at + 1] + name[at] + name[at + 2 :]
    at = chance.randrange(len(name))
    letter = chance.choice([letter for letter in ascii_lowercase if letter != name[at]])
    yield "replace", name[:at] + letter + name[at + 1 :]


def _samples(chance: random.Random) -> Iterator[tuple[str, str, str, str]]:
    """For each length its name, a kind of error, the mistyped name and the slug that is meant."""
    named = {fact.slug: fact.name.lower() for fact in _sponsors()}
    for length, letters in LENGTHS.items():
        fitting = sorted(
            slug
            for slug, name in named.items()
            if len(name) in letters and re.fullmatch("[a-z]+", name)
        )
        for slug in chance.sample(fitting, BRANDS):
            for kind, typo in _typos(named[slug], chance):
                yield length, kind, typo, slug


async def test_the_first_hit_is_the_brand_that_was_mistyped(brands: Catalog) -> None:
    searches: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    for length, kind, typo, slug in _samples(random.Random(SEED)):
        response = await brands.call("SearchSponsors", search=typo, limit=1)
        is_hit = [card.slug for card in response.sponsors] == [slug]
        searches.update((length, kind))
        hits.update({length: is_hit, kind: is_hit})
    share = {name: hits[name] / searches[name] for name in searches}
    assert share["4-5"] >= 0.80, share
    assert share["6-7"] >= 0.95, share
    assert share["8+"] >= 0.99, share
    assert share["swap"] >= 0.93, share


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("スキルシェア", ["skillshare"]),
        ("诺德", ["nordvpn"]),
        ("اديداس", ["adidas"]),
        ("أديداس", ["adidas"]),
        ("Адидас", ["adidas"]),
        ("아디다스", ["adidas"]),
        ("三星", ["samsung"]),
        ("НордВПН", ["nordvpn"]),
        # Not in the list of names: letter by letter.
        ("Серфшарк", ["surfshark"]),
        ("Скилшер", ["skillshare"]),
    ],
)
async def test_brands_are_found_in_other_alphabets(
    brands: Catalog, words: str, expected: list[str]
) -> None:
    response = await brands.call("SearchSponsors", search=words, limit=5)
    assert [card.slug for card in response.sponsors][: len(expected) or 5] == expected
    if words in {"اديداس", "Адидас"}:
        assert len(response.sponsors) == 1


@pytest.mark.parametrize("words", ["ООО", "LLC", "S.A.", "Co., Ltd.", "株式会社", "GmbH"])
async def test_a_legal_form_finds_nothing(brands: Catalog, words: str) -> None:
    response = await brands.call("SearchSponsors", search=words, limit=5)
    assert not response.sponsors
    assert response.note
    (resolution,) = (await brands.call("Resolve", names=[words], type="sponsor")).resolutions
    assert (resolution.status, len(resolution.matches)) == ("unknown", 0)


async def test_a_short_name_is_no_part_of_others(brands: Catalog) -> None:
    found = (await brands.call("SearchSponsors", search="Vivo", limit=10)).sponsors
    assert {card.slug for card in found} >= {"vivo", "vivo-mobile", "vivo-brasil"}
    assert "archero" not in {card.slug for card in found}
