"""The gRPC server and a worker, each as it is really started, without a source that answers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable

import pytest
from pydantic import SecretStr

from import_worker import MIGRATIONS, app
from import_worker.settings import ImportSettings
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.errors import InvalidInput, NotFound, ResourceExhausted
from servicekit.grpc import client as grpc_client
from servicekit.migration.command import migrate
from tests.fakes.imports import channel_id
from tests.fakes.peers import CREDENTIALS, GRPC_TOKEN


@pytest.fixture(scope="module")
def server_settings(fresh_database: Callable[[], str], valkey_url: str) -> ImportSettings:
    settings = ImportSettings(
        database_url=fresh_database(),
        valkey_url=valkey_url,
        grpc_port=0,
        grpc_token=GRPC_TOKEN,
        youtube_api_key=SecretStr("a key of tests"),
        youtube_url="http://127.0.0.1:9",  # nothing listens there
        catalog_target="127.0.0.1:9",
        retry_seconds=3_600,
        retry_max_seconds=3_600,
    )
    migrate(settings.database_url, MIGRATIONS)
    return settings


@pytest.fixture
async def stub(server_settings: ImportSettings) -> AsyncGenerator[pb_grpc.ImportsAsyncStub]:
    async with (
        app.serve(server_settings) as port,
        grpc_client.open_channel(f"127.0.0.1:{port}", credentials=CREDENTIALS) as channel,
    ):
        yield pb_grpc.ImportsStub(channel)  # pyright: ignore[reportReturnType]


def start(number: int, **options: object) -> pb.StartImportRequest:
    wanted = {"account_id": "ann", "channel": channel_id(number), "max_concurrent": 3, **options}
    return pb.StartImportRequest(**wanted)  # pyright: ignore[reportArgumentType]


async def test_errors_have_their_reasons(stub: pb_grpc.ImportsAsyncStub) -> None:
    for request, field in (
        (start(1, channel="no channel at all"), "channel"),
        (start(1, channel="UC123"), "channel"),
        (start(1, since="2999-01-01"), "since"),
        (start(1, since="yesterday"), "since"),
        (start(1, max_videos=0), "max_videos"),
        (start(1, account_id=""), "account_id"),
        (start(1, idempotency_key="k" * 101), "idempotency_key"),
    ):
        with pytest.raises(InvalidInput) as refused:
            await grpc_client.call(stub.StartImport, request, timeout=10)
        assert refused.value.details["field"] == field
    with pytest.raises(ResourceExhausted) as full:
        await grpc_client.call(stub.StartImport, start(1, max_concurrent=0), timeout=10)
    assert full.value.reason == "TOO_MANY_IMPORTS"
    request = pb.ImportRequest(account_id="ann", import_id="imp_none")
    with pytest.raises(NotFound) as absent:
        await grpc_client.call(stub.GetImport, request, timeout=10)
    assert absent.value.reason == "IMPORT_NOT_FOUND"


async def test_a_worker_takes_what_was_requested_by_rpc(
    server_settings: ImportSettings, stub: pb_grpc.ImportsAsyncStub
) -> None:
    begun = await grpc_client.call(stub.StartImport, start(2), timeout=10)
    assert (begun.state, begun.source, begun.joined) == ("queued", "youtube-api", False)
    request = pb.ImportRequest(account_id="ann", import_id=begun.import_id)
    shown = begun
    async with app.work(server_settings):
        async for shown in stub.WatchImport(request, timeout=30):
            if shown.state == "waiting":
                break
    assert shown.retry_at
    assert shown.message.startswith("YouTube does not answer now. The import goes on by itself")
    page = await grpc_client.call(
        stub.ListImports, pb.ListImportsRequest(account_id="ann", limit=1), timeout=10
    )
    assert [item.import_id for item in page.imports] == [begun.import_id]
    ended = await grpc_client.call(stub.CancelImport, request, timeout=10)
    assert ended.state == "cancelled"
    assert [item.state async for item in stub.WatchImport(request, timeout=10)] == ["cancelled"]
