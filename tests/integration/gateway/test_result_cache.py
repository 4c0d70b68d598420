"""Cached results: returned again while the catalogue stays as it is, and counted all the same."""

import pytest

from servicekit.errors import Unavailable
from tests.integration.gateway.conftest import CATALOG_VERSION, Service

QUERY = {"search": "nordvpn"}


async def query_count(service: Service, times: int, **changes: object) -> int:
    """Send the same query so often; return how often the catalog got it."""
    before = len(service.backends.requests)
    for _ in range(times):
        reply = await service.call("sponsor.search", QUERY | changes)
        assert reply.json()["result"]["isError"] is False
    return len(service.backends.requests) - before


async def test_the_same_query_is_sent_once_and_counted_each_time(service: Service) -> None:
    await service.valkey.set(CATALOG_VERSION, 1)
    assert await query_count(service, 5) == 1
    assert await service.counted() == 5
    assert await query_count(service, 1, limit=11) == 1


async def test_a_change_of_the_catalogue_ends_cached_results_at_once(service: Service) -> None:
    await service.valkey.set(CATALOG_VERSION, 1)
    assert await query_count(service, 2) == 1
    await service.valkey.set(CATALOG_VERSION, 2)
    service.backends.version = "2"
    assert await query_count(service, 2) == 1


@pytest.mark.parametrize(
    ("tool", "arguments"), [("sponsor.search", QUERY), ("sponsor.top", {"metric": "videos"})]
)
async def test_a_result_of_a_database_that_lags_is_not_cached_for_the_version_that_it_lacks(
    service: Service, tool: str, arguments: dict[str, object]
) -> None:
    await service.valkey.set(CATALOG_VERSION, 2)
    for version, queries in (("1", 3), ("-", 3), ("2", 1)):
        service.backends.version = version
        before = len(service.backends.requests)
        for _ in range(3):
            assert (await service.call(tool, arguments)).status_code == 200
        assert len(service.backends.requests) - before == queries


async def test_a_result_from_before_a_change_is_not_cached_for_after_it(service: Service) -> None:
    await service.valkey.set(CATALOG_VERSION, 1)

    async def change() -> None:
        await service.valkey.set(CATALOG_VERSION, 2)

    service.backends.before_response = change
    assert await query_count(service, 1) == 1
    service.backends.before_response = None
    service.backends.version = "2"
    assert await query_count(service, 2) == 1


async def test_without_a_known_version_nothing_is_cached(service: Service) -> None:
    assert await query_count(service, 3) == 3


async def test_a_failure_is_not_cached(service: Service) -> None:
    await service.valkey.set(CATALOG_VERSION, 1)
    service.backends.catalog_error = Unavailable("away")
    assert (await service.call("sponsor.search", QUERY)).status_code == 503
    service.backends.catalog_error = None
    assert await query_count(service, 2) == 1


async def test_results_by_a_saved_list_are_never_cached(service: Service) -> None:
    await service.valkey.set(CATALOG_VERSION, 1)
    for field in ("in_list", "not_in_list"):
        assert await query_count(service, 3, **{field: "Mine"}) == 3
    assert await query_count(service, 2) == 1


async def test_the_accounts_own_figures_are_never_cached(service: Service) -> None:
    await service.valkey.set(CATALOG_VERSION, 1)
    used = [
        (await service.call("account.usage")).json()["result"]["structuredContent"]["requests_used"]
        for _ in range(2)
    ]
    await query_count(service, 1)
    after = await service.call("account.usage")
    assert used == [0, 0]
    assert after.json()["result"]["structuredContent"]["requests_used"] == 1
