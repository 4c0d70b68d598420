"""The bundled brand directory: every name, alias and domain belongs to one brand."""

from collections import Counter, defaultdict

from catalog_service.domain.categories import SPONSOR_CATEGORIES
from import_worker.detector import bundled_directory
from import_worker.detector.folding import name_key
from import_worker.detector.hosts import (
    NETWORKS,
    OPAQUE_NETWORKS,
    PLATFORMS,
    SHORTENERS,
    STORES,
)


def test_no_two_brands_share_a_name_or_an_alias() -> None:
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for brand in bundled_directory().brands:
        for name in (brand.name, *brand.aliases):
            owners[name_key(name)].add(brand.name)

    assert {key: names for key, names in owners.items() if len(names) > 1} == {}


def test_no_two_brands_share_a_domain() -> None:
    domains = Counter(domain for brand in bundled_directory().brands for domain in brand.domains)

    assert [domain for domain, brands in domains.items() if brands > 1] == []


def test_no_two_brands_share_a_slug() -> None:
    slugs = Counter(brand.slug for brand in bundled_directory().brands)

    assert [slug for slug, brands in slugs.items() if brands > 1] == []


def test_a_host_means_one_thing() -> None:
    tables = (SHORTENERS, NETWORKS, OPAQUE_NETWORKS)

    assert set() == SHORTENERS & NETWORKS
    assert set() == OPAQUE_NETWORKS & (SHORTENERS | NETWORKS)
    assert all(not table & (PLATFORMS | STORES) for table in tables)


def test_every_brand_is_in_a_category_of_the_catalogue() -> None:
    known = {entry.id for entry in SPONSOR_CATEGORIES}

    assert {
        brand.name for brand in bundled_directory().brands if brand.category not in known
    } == set()


def test_bookmakers_are_no_streaming_services() -> None:
    directory = bundled_directory()
    named = {name: directory.named(name) for name in ("bet365", "DraftKings", "Winamax", "Netflix")}

    assert {name: brand and brand.category for name, brand in named.items()} == {
        "bet365": "betting",
        "DraftKings": "betting",
        "Winamax": "betting",
        "Netflix": "streaming",
    }
