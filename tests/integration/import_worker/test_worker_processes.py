"""Workers as processes, beside a real catalog and a stand-in for YouTube; one of them is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta

import pytest
from pydantic import SecretStr

import catalog_service
from catalog_service import app as catalog
from catalog_service.settings import CatalogSettings
from devstack.ports import free_port
from devstack.youtube import Catalogue, MadeChannel, YouTube
from import_worker import MIGRATIONS, app
from import_worker.settings import ImportSettings
from protos.catalog.v1 import catalog_pb2, catalog_pb2_grpc
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.grpc import client as grpc_client
from servicekit.http import server as http_server
from servicekit.migration.command import migrate
from tests.fakes.peers import CREDENTIALS, GRPC_TOKEN
from tests.fakes.youtube import FIRST_DAY, MAKER, made_video

VIDEOS = 400
MAX_MEDIAN_SECONDS = 0.1
"""Of a request's wait while the detector works in the same process."""


def catalogue_of_the_past() -> Catalogue:
    """The catalog takes no video of the future."""
    days = (FIRST_DAY - timedelta(days=number) for number in range(VIDEOS, 0, -1))
    videos = [made_video(number, published_at=day) for number, day in enumerate(days)]
    return Catalogue([MadeChannel(MAKER, "Maker & Sons", handle="@MakerSons", videos=videos)])


@contextmanager
def worker(settings: ImportSettings, command: str = "work") -> Generator[subprocess.Popen[bytes]]:
    """A process that works on the queue; killed at the end when it still runs."""
    own = {
        "IMPORT_DATABASE_URL": settings.database_url,
        "IMPORT_CATALOG_TARGET": settings.catalog_target,
        "IMPORT_GRPC_TOKEN": settings.grpc_token.get_secret_value(),
        "IMPORT_VALKEY_URL": settings.valkey_url,
        "IMPORT_YOUTUBE_API_KEY": settings.youtube_api_key.get_secret_value(),
        "IMPORT_YOUTUBE_URL": settings.youtube_url,
        "IMPORT_STALLED_SECONDS": str(settings.stalled_seconds),
        "IMPORT_GRPC_PORT": str(settings.grpc_port),
    }
    environment = {**os.environ, **own}
    process = subprocess.Popen([sys.executable, "-m", "import_worker", command], env=environment)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
async def worker_settings(
    fresh_database: Callable[[], str], valkey_url: str
) -> AsyncGenerator[ImportSettings]:
    """The settings of a worker whose database is migrated, whose catalog serves, and whose YouTube takes its time."""
    catalog_settings = CatalogSettings(
        database_url=fresh_database(),
        cursor_secret=SecretStr("a secret of the tests"),
        grpc_port=0,
        grpc_token=GRPC_TOKEN,
    )
    migrate(catalog_settings.database_url, catalog_service.MIGRATIONS)
    youtube = YouTube(catalogue_of_the_past(), daily_units=1_000)
    youtube.delay = 0.1
    async with (
        catalog.serve(catalog_settings) as catalog_port,
        http_server.serve_http(youtube, "127.0.0.1", 0, 1) as youtube_port,
    ):
        settings = ImportSettings(
            database_url=fresh_database(),
            grpc_port=0,
            grpc_token=GRPC_TOKEN,
            catalog_target=f"127.0.0.1:{catalog_port}",
            valkey_url=valkey_url,
            youtube_api_key=SecretStr("a key of tests"),
            youtube_url=f"http://127.0.0.1:{youtube_port}",
            stalled_seconds=2,
        )
        migrate(settings.database_url, MIGRATIONS)
        yield settings


@asynccontextmanager
async def imports_at(port: int) -> AsyncGenerator[pb_grpc.ImportsAsyncStub]:
    target = f"127.0.0.1:{port}"
    async with grpc_client.open_channel(target, credentials=CREDENTIALS) as channel:
        yield pb_grpc.ImportsStub(channel)  # pyright: ignore[reportReturnType]


async def test_another_worker_goes_on_after_one_was_killed(worker_settings: ImportSettings) -> None:
    settings = worker_settings
    catalog_channel = grpc_client.open_channel(settings.catalog_target, credentials=CREDENTIALS)
    async with (
        app.serve(settings) as port,
        imports_at(port) as stub,
        catalog_channel as channel,
    ):
        begun = await stub.StartImport(
            pb.StartImportRequest(account_id="ann", channel=MAKER, max_concurrent=1)
        )
        request = pb.ImportRequest(account_id="ann", import_id=begun.import_id)
        shown = begun
        with worker(settings) as first:
            async for shown in stub.WatchImport(request, timeout=60):
                if shown.videos_seen:
                    first.send_signal(signal.SIGKILL)
                    break
        assert 0 < shown.videos_seen < VIDEOS
        with worker(settings) as second:
            changes = [item async for item in stub.WatchImport(request, timeout=60)]
            shown = changes[-1]
            second.terminate()
            assert second.wait(15) == 0
        assert (shown.state, shown.videos_seen) == ("done", VIDEOS)
        assert shown.sponsorships == sum(brand.videos for brand in shown.brands) > 0
        facts = catalog_pb2_grpc.CatalogStub(channel)
        reply: catalog_pb2.Youtuber = await facts.GetYoutuber(  # pyright: ignore[reportGeneralTypeIssues]
            catalog_pb2.YoutuberRequest(youtuber=MAKER)
        )
        assert "Maker & Sons" in str(reply)
        assert str(VIDEOS) in str(reply)


async def test_one_process_that_does_both_goes_on_after_it_was_killed_and_serves_while_it_detects(
    worker_settings: ImportSettings,
) -> None:
    settings = worker_settings.model_copy(update={"grpc_port": free_port()})
    waits: list[float] = []
    with worker(settings, "serve-and-work") as first:
        async with imports_at(settings.grpc_port) as stub:
            wanted = pb.StartImportRequest(account_id="ann", channel=MAKER, max_concurrent=1)
            begun = await stub.StartImport(wanted, wait_for_ready=True, timeout=60)
            request = pb.ImportRequest(account_id="ann", import_id=begun.import_id)
            shown = begun
            while shown.videos_seen < VIDEOS // 2:
                sent = time.monotonic()
                shown = await stub.GetImport(request, timeout=60)
                waits.append(time.monotonic() - sent)
                await asyncio.sleep(0.005)
        first.kill()
        first.wait()
    assert shown.videos_seen < VIDEOS
    assert statistics.median(waits) < MAX_MEDIAN_SECONDS
    with worker(settings, "serve-and-work") as second:
        async with imports_at(settings.grpc_port) as stub:
            await stub.GetImport(request, wait_for_ready=True, timeout=60)
            changes = [item async for item in stub.WatchImport(request, timeout=60)]
        second.terminate()
        assert second.wait(15) == 0
    assert (changes[-1].state, changes[-1].videos_seen) == ("done", VIDEOS)
