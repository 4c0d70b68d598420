"""Each service's storage on the public images of Postgres and Valkey."""

import asyncio
import hashlib
import secrets
from collections.abc import Callable
from typing import Any

import procrastinate
from pydantic import SecretStr

import auth_service.app
import import_worker
from auth_service.settings import AuthSettings
from gateway.quota.models import Seed, UsageRequest
from gateway.quota.valkey_counters import ValkeyQuota
from gateway.storage.valkey import USAGE_STREAM
from gateway.storage.valkey_client import open_valkey
from import_worker.settings import ImportSettings
from protos.auth.v1 import auth_pb2 as pb
from protos.auth.v1 import auth_pb2_grpc as pb_grpc
from servicekit import database
from servicekit.grpc import client as grpc_client
from servicekit.migration.command import migrate
from tests.fakes.gateway_ports import entitlements
from tests.fakes.imports import channel_id, some_videos
from tests.fakes.peers import CREDENTIALS, GRPC_TOKEN
from tests.integration.auth_service.conftest import RESOURCE, TOKEN, Service
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import new_settings, running_catalog
from tests.integration.import_worker.conftest import Bench

Fresh = Callable[[], str]


async def test_the_catalogue_is_stored_and_searched(postgres_image: Fresh) -> None:
    async with running_catalog(new_settings(postgres_image())) as catalog:
        reply = await catalog.ingest(example.FACTS)
        assert not reply.rejected
        found = await catalog.call("SearchSponsors", search="azura vnp")
        assert found.sponsors[0].name == "Azura VPN"


async def test_an_account_gets_a_key_that_resolves(
    postgres_image: Fresh, valkey_image: str
) -> None:
    settings = AuthSettings(
        database_url=postgres_image(),
        valkey_url=valkey_image,
        operator_token=SecretStr(TOKEN),
        grpc_token=GRPC_TOKEN,
        token_secret=SecretStr(secrets.token_hex(32)),
        resource_url=RESOURCE,
        client_documents="pinned",
        grpc_port=0,
        http_port=0,
    )
    await asyncio.to_thread(migrate, settings.database_url, auth_service.MIGRATIONS)
    async with (
        auth_service.app.serve(settings) as ports,
        grpc_client.open_channel(f"127.0.0.1:{ports.grpc}", credentials=CREDENTIALS) as channel,
    ):
        service = Service(
            settings,
            f"127.0.0.1:{ports.grpc}",
            pb_grpc.AccessStub(channel),  # pyright: ignore[reportArgumentType]
            pb_grpc.OperationsStub(channel),  # pyright: ignore[reportArgumentType]
        )
        created = await service.key(await service.account())
        request = pb.ResolveKeyRequest(key_sha256=hashlib.sha256(created.secret.encode()).digest())
        credential = await service.call(service.access.ResolveKey, request)
        assert credential.credential_id == created.key.key_id


async def test_an_import_goes_through_the_queue(postgres_image: Fresh) -> None:
    settings = ImportSettings(database_url=postgres_image(), grpc_port=0)
    await asyncio.to_thread(migrate, settings.database_url, import_worker.MIGRATIONS)
    engine = database.open_engine(settings, "test")
    connector = procrastinate.PsycopgConnector(conninfo=settings.database_url, min_size=1)
    jobs = procrastinate.App(connector=connector)
    async with jobs.open_async():
        bench = Bench(engine, jobs)
        bench.source.channels[channel_id(1)] = some_videos(channel_id(1), 20)
        started = await bench.start(channel_id(1))
        await bench.work()
        assert (await bench.get(started)).state == "done"
    await engine.dispose()


async def test_a_request_is_counted_and_recorded(valkey_image: str) -> None:
    valkey = open_valkey(valkey_image, timeout=5)
    usage = UsageRequest(secrets.token_hex(8), "account-of-images", "key-1", "sponsor.search", 1)
    decision = await ValkeyQuota(valkey).reserve(
        usage, entitlements(account_id=usage.account_id), Seed(10)
    )
    assert decision.outcome == "admitted"
    assert decision.state is not None
    assert decision.state.remaining == 989
    entries: Any = await valkey.xrange(USAGE_STREAM)
    entry_ids = [fields[b"entry_id"] for _, fields in entries]
    assert usage.entry_id.encode() in entry_ids
    await valkey.aclose()
