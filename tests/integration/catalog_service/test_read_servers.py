"""Questions that standbys answer: which one is asked, of which version an answer is, and what goes to the primary."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis

from catalog_service.storage import read_servers
from catalog_service.storage.connections import VERSION
from devstack.engines import Postgres
from devstack.ports import HOST
from protos.catalog.v1 import catalog_pb2 as pb
from servicekit.grpc.metadata import CATALOG_VERSION
from servicekit.migration import role_parameters
from servicekit.valkey_keys import SINGLE
from tests.integration.catalog_service import example, standbys
from tests.integration.catalog_service.conftest import Catalog, new_settings, running_catalog
from tests.integration.catalog_service.standbys import Replicated, replicated
from tests.integration.gateway.conftest import until
from tests.poolers import needs_new, pgbouncer

pytestmark = [pytest.mark.timeout(120)]

LAG_SECONDS = 2.0
REPORT = {"account_id": "account-1", "video": "a2", "kind": "wrong", "sponsor": "azura-vpn"}


@pytest.fixture(scope="module")
def servers() -> Generator[Replicated]:
    with tempfile.TemporaryDirectory(prefix="sponsorgraph-standbys-") as folder:
        Path(folder).chmod(0o755)
        with replicated(Path(folder), 2) as found:
            yield found


@pytest.fixture
async def catalog(servers: Replicated, fresh_valkey: str) -> AsyncGenerator[Catalog]:
    async with filled(servers, fresh_valkey) as running:
        yield running


@asynccontextmanager
async def filled(servers: Replicated, valkey: str) -> AsyncGenerator[Catalog]:
    """A service on a new database of the primary that holds the example, with both standbys up to date."""
    name = f"catalog_{next(_NUMBERS)}"
    with psycopg.connect(servers.primary.url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    settings = new_settings(servers.primary.url(name)).model_copy(
        update={
            "read_url": servers.read_url(name),
            "read_max_lag_seconds": LAG_SECONDS,
            "valkey_url": valkey,
        }
    )
    async with running_catalog(settings) as running:
        await running.ingest(example.FACTS)
        await until(lambda: is_up_to_date(running, servers), 30)
        yield running


async def is_up_to_date(catalog: Catalog, servers: Replicated) -> bool:
    newest = version_of(servers.primary, catalog)
    return used(servers.standbys[0]) == 1 and await is_at_version(catalog, newest)


_NUMBERS = iter(range(1_000))


async def youtubers_and_version(catalog: Catalog) -> tuple[int, str]:
    """How many creators there are, and the version that the answer says it is of."""
    call: Any = catalog.stub.SearchYoutubers(pb.SearchYoutubersRequest(limit=50))
    page = await call
    trailing = dict(await call.trailing_metadata())
    return len(page.youtubers), trailing[CATALOG_VERSION]


async def is_at_version(catalog: Catalog, version: str) -> bool:
    return (await youtubers_and_version(catalog))[1] == version


def database_of(catalog: Catalog) -> str:
    return catalog.settings.database_url.rpartition("/")[2].partition("?")[0]


def version_of(server: Postgres, catalog: Catalog) -> str:
    with psycopg.connect(server.url(database_of(catalog)), autocommit=True) as connection:
        row = connection.execute(VERSION).fetchone()
    assert row is not None
    return str(row[0])


def used(server: Postgres) -> float:
    value: Any = read_servers.IN_USE.labels(f"127.0.0.1:{server.port}")._value
    return value.get()


def processes_of(server: Postgres) -> list[int]:
    """The server's first process and that one's children."""
    assert server.process is not None
    first = server.process.pid
    children = Path(f"/proc/{first}/task/{first}/children").read_text(encoding="ascii")
    return [first, *map(int, children.split())]


def another_channel() -> pb.IngestItem:
    return pb.IngestItem(
        youtuber=pb.YoutuberFact(key="late", name="Late", channel_id="UC" + "l" * 22)
    )


async def test_a_result_of_a_standby_that_lags_says_so(
    catalog: Catalog, servers: Replicated, fresh_valkey: str
) -> None:
    """Before, a gateway kept it under the version that had been announced, for good."""
    first, _second = servers.standbys
    before, old = await youtubers_and_version(catalog)
    assert used(first) == 1
    for standby in servers.standbys:
        standbys.pause(standby)
    try:
        assert not (await catalog.ingest([another_channel()])).rejected
        new = version_of(servers.primary, catalog)
        with redis.Redis.from_url(fresh_valkey) as valkey:  # pyright: ignore[reportUnknownMemberType]
            assert valkey.get(SINGLE.shards[0].catalog_version) == new.encode()
        assert await youtubers_and_version(catalog) == (before, old)
        assert new != old
        # Beyond the limit nobody waits for them: the primary answers.
        await until(lambda: is_at_version(catalog, new), LAG_SECONDS + 5)
        assert (used(first), (await youtubers_and_version(catalog))[0]) == (0, before + 1)
        lag: Any = read_servers.LAG.labels(f"127.0.0.1:{first.port}")._value
        assert lag.get() > LAG_SECONDS
    finally:
        for standby in servers.standbys:
            standbys.resume(standby)

    async def is_used_again() -> bool:
        return used(first) == 1 and await youtubers_and_version(catalog) == (before + 1, new)

    await until(is_used_again)


async def test_the_next_standby_is_queried_while_the_first_is_silent(
    catalog: Catalog, servers: Replicated
) -> None:
    first, second = servers.standbys
    expected = await youtubers_and_version(catalog)
    processes = processes_of(first)
    for pid in processes:
        os.kill(pid, signal.SIGSTOP)
    try:

        async def is_next() -> bool:
            return used(second) == 1

        await until(is_next, 10)
        assert await youtubers_and_version(catalog) == expected
    finally:
        for pid in processes:
            os.kill(pid, signal.SIGCONT)

    async def is_first() -> bool:
        return used(first) == 1

    await until(is_first)
    assert await youtubers_and_version(catalog) == expected


async def test_writes_and_queries_of_what_was_just_written_go_to_the_primary(
    catalog: Catalog, servers: Replicated
) -> None:
    for standby in servers.standbys:
        standbys.pause(standby)
    try:
        sponsor = (await catalog.call("SearchSponsors", limit=1)).sponsors[0]
        reported = await catalog.call("ReportSponsorship", **REPORT)
        assert reported.state == "received"
        made = await catalog.call(
            "CreateList", account_id="account-1", name="Mine", type="sponsor", names=[sponsor.name]
        )
        assert made.list.name == "Mine"
        listed = await catalog.call("SearchSponsors", account_id="account-1", in_list="Mine")
        assert [item.id for item in listed.sponsors] == [sponsor.id]
    finally:
        for standby in servers.standbys:
            standbys.resume(standby)


@needs_new
async def test_a_standby_behind_a_pooler_serves_once_its_connections_have_the_limits(
    servers: Replicated,
) -> None:
    name = f"catalog_{next(_NUMBERS)}"
    with psycopg.connect(servers.primary.url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    standby = servers.standbys[0]
    settings = new_settings(servers.primary.url(name))
    with pgbouncer(standby, ignore_startup_parameters="options") as pooler:
        in_use: Any = read_servers.IN_USE.labels(f"{HOST}:{pooler.port}")._value
        settings = settings.model_copy(update={"read_url": pooler.url(standby.url(name))})
        async with running_catalog(settings) as running:
            await running.call("ListCategories")
            assert in_use.get() == 0
            pooled = settings.model_copy(update={"database_direct_url": settings.database_url})
            role_parameters.write(pooled)
            pooler.console("RECONNECT")

            async def is_in_use() -> bool:
                return bool(in_use.get() == 1)

            await until(is_in_use, 30)
            await running.call("ListCategories")
