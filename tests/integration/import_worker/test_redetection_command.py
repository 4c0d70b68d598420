"""`sponsorgraph detect rerun`, with workers as processes, of which one is killed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import grpc.aio
import pytest
from pydantic import SecretStr
from sqlalchemy import text
from typer.testing import CliRunner, Result

import catalog_service
from catalog_service import app as catalog
from catalog_service.settings import CatalogSettings
from cli.commands.detect import app as command
from import_worker import MIGRATIONS, app
from import_worker.settings import ImportSettings
from protos.catalog.v1 import catalog_pb2 as catalog_pb
from protos.catalog.v1 import catalog_pb2_grpc as catalog_grpc
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit import database
from servicekit.errors import InvalidInput, NotFound, PermissionDenied
from servicekit.grpc import client as grpc_client
from servicekit.grpc.errors import from_rpc_error
from servicekit.migration.command import migrate
from tests.fakes.imports import channel_id
from tests.fakes.peers import CREDENTIALS, GRPC_TOKEN, TOKEN
from tests.integration.import_worker.test_worker_processes import worker

OPERATOR_TOKEN = "the operators' token of the tests"
CHANNELS = 3
VIDEOS = 2_000
_STORE = """
INSERT INTO imported_videos
    (video_id, channel_id, title, description, published_at, text_sha256, detector_version, found,
     brand_slugs, brand_names, read_at)
SELECT :prefix || lpad(number::text, 10, '0'), :channel, 'Episode ' || number,
    CASE WHEN number % 4 = 0 THEN 'Sponsored by NordVPN.' ELSE 'A walk by the lake.' END,
    timestamptz '2024-01-01', '', '0', '',
    CASE WHEN number % 4 = 1 THEN ARRAY['boltworks'] ELSE '{}' END,
    CASE WHEN number % 4 = 1 THEN ARRAY['Boltworks'] ELSE '{}' END, now()
FROM generate_series(1, :videos) AS number
"""


@dataclass
class Services:
    """A catalog, the import worker's server, and the settings for its workers."""

    settings: ImportSettings
    redetections: pb_grpc.RedetectionsAsyncStub
    catalog: catalog_grpc.CatalogAsyncStub
    environment: Mapping[str, str]

    async def rerun(self, *options: str) -> Result:
        """Run the command as an operator does."""
        arguments: Sequence[str] = ["rerun", *options]
        return await asyncio.to_thread(
            CliRunner().invoke, command, arguments, env=dict(self.environment)
        )


def signed(token: str) -> tuple[tuple[str, str]]:
    return (("x-operator-token", token),)


async def send(method: Any, request: Any, token: str = OPERATOR_TOKEN) -> Any:
    try:
        return await method(request, timeout=10, metadata=signed(token))
    except grpc.aio.AioRpcError as error:
        raise from_rpc_error(error) from error


@asynccontextmanager
async def running(fresh_database: Callable[[], str], valkey_url: str) -> AsyncGenerator[Services]:
    catalog_settings = CatalogSettings(
        database_url=fresh_database(),
        cursor_secret=SecretStr("a secret of the tests"),
        grpc_port=0,
        grpc_token=GRPC_TOKEN,
    )
    migrate(catalog_settings.database_url, catalog_service.MIGRATIONS)
    async with catalog.serve(catalog_settings) as catalog_port:
        settings = ImportSettings(
            database_url=fresh_database(),
            grpc_port=0,
            grpc_token=GRPC_TOKEN,
            catalog_target=f"127.0.0.1:{catalog_port}",
            valkey_url=valkey_url,
            youtube_api_key=SecretStr("a key of tests"),
            youtube_url="http://127.0.0.1:9",  # nothing listens there
            stalled_seconds=2,
            redetect_automatically=False,
            operator_token=SecretStr(OPERATOR_TOKEN),
        )
        migrate(settings.database_url, MIGRATIONS)
        async with (
            app.serve(settings) as port,
            grpc_client.open_channel(f"127.0.0.1:{port}", credentials=CREDENTIALS) as channel,
            grpc_client.open_channel(settings.catalog_target, credentials=CREDENTIALS) as facts,
        ):
            redetections: Any = pb_grpc.RedetectionsStub(channel)
            catalogue: Any = catalog_grpc.CatalogStub(facts)
            environment = {
                "SPONSORGRAPH_IMPORTS_GRPC": f"127.0.0.1:{port}",
                "SPONSORGRAPH_GRPC_TOKEN": TOKEN,
                "SPONSORGRAPH_OPERATOR_TOKEN": OPERATOR_TOKEN,
            }
            yield Services(settings, redetections, catalogue, environment)


async def fill(services: Services) -> None:
    """Store videos as an older detector left them; the catalogue knows their channels."""
    engine = database.open_engine(services.settings, "test")
    async with engine.begin() as connection:
        for number in range(CHANNELS):
            values = {"prefix": "abc"[number], "channel": channel_id(number), "videos": VIDEOS}
            await connection.execute(text(_STORE), values)
    await engine.dispose()
    youtubers = (
        catalog_pb.YoutuberFact(key=channel_id(number), name=f"Lakeside {number}")
        for number in range(CHANNELS)
    )
    items = [catalog_pb.IngestItem(youtuber=fact) for fact in youtubers]
    reply: Any = await services.catalog.Ingest(iter([catalog_pb.IngestRequest(items=items)]))  # pyright: ignore[reportArgumentType]
    assert reply.created == CHANNELS


async def test_a_run_survives_a_killed_worker_and_reports_what_it_changed(
    fresh_database: Callable[[], str], valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.commands.detect_rerun.out.width", 200)
    async with running(fresh_database, valkey_url) as services:
        await fill(services)
        with pytest.raises(NotFound, match="no such run"):
            await send(services.redetections.GetRedetection, pb.RedetectionRequest())
        shown = await send(services.redetections.StartRedetection, pb.StartRedetectionRequest())
        following = asyncio.create_task(services.rerun())
        begun = pb.RedetectionRequest(run_id=shown.run_id)
        with worker(services.settings) as first:
            async for shown in services.redetections.WatchRedetection(
                begun, timeout=60, metadata=signed(OPERATOR_TOKEN)
            ):
                if shown.videos_done:
                    first.kill()
                    break
        assert 0 < shown.videos_done < CHANNELS * VIDEOS
        with worker(services.settings):
            result = await asyncio.wait_for(following, 90)
        assert result.exit_code == 0, result.output
        count = CHANNELS * VIDEOS // 4
        assert f"done. 6,000 of 6,000 videos of {CHANNELS} channels read" in result.output
        assert f"{count:,} added, {count:,} removed, 0 changed" in result.output
        assert "Boltworks" in result.output
        totals: Any = await services.catalog.GetSponsor(
            catalog_pb.SponsorRequest(sponsor="nordvpn")
        )  # pyright: ignore[reportGeneralTypeIssues]
        assert totals.sponsor.videos == count

        status = await services.rerun("--status")
        assert f"{count:,} added" in status.output
        with worker(services.settings):
            dry = await services.rerun("--dry-run")
        assert "(dry run): done" in dry.output
        assert "0 added, 0 removed, 0 changed" in dry.output


async def test_a_run_without_a_worker_is_cancelled_by_the_command(
    fresh_database: Callable[[], str], valkey_url: str
) -> None:
    async with running(fresh_database, valkey_url) as services:
        request = pb.StartRedetectionRequest(dry_run=True)
        await send(services.redetections.StartRedetection, request)
        refused = await services.rerun()
        assert refused.exit_code == 1
        assert "other options" in refused.output
        cancelled = await services.rerun("--cancel")
        assert (cancelled.exit_code, "cancelled" in cancelled.output) == (0, True)


async def test_a_run_without_the_operators_token_is_refused(
    fresh_database: Callable[[], str], valkey_url: str
) -> None:
    async with running(fresh_database, valkey_url) as services:
        stranger = {**services.environment, "SPONSORGRAPH_OPERATOR_TOKEN": "x"}
        result = await replace(services, environment=stranger).rerun("--dry-run")
        assert result.exit_code == 1
        assert "operators' token" in result.output
        with pytest.raises(PermissionDenied):
            await send(services.redetections.CancelRedetection, pb.RedetectionRequest(), token="x")
        with pytest.raises(NotFound):
            await send(services.redetections.GetRedetection, pb.RedetectionRequest())


async def test_operators_read_the_stored_texts_of_videos(
    fresh_database: Callable[[], str], valkey_url: str
) -> None:
    async with running(fresh_database, valkey_url) as services:
        await fill(services)
        engine = database.open_engine(services.settings, "test")
        async with engine.connect() as connection:
            rows = await connection.execute(
                text("SELECT video_id, title, description FROM imported_videos LIMIT 3")
            )
            stored = sorted(tuple(row) for row in rows)
        await engine.dispose()
        read = services.redetections.ReadStoredTexts
        ids = [video_id for video_id, _, _ in stored]
        request = pb.StoredTextsRequest(video_ids=[*reversed(ids), "unknown"])
        found: Any = await send(read, request)
        assert [(item.video_id, item.title, item.description) for item in found.texts] == stored
        with pytest.raises(InvalidInput, match="at most 50"):
            await send(read, pb.StoredTextsRequest(video_ids=[str(n) for n in range(51)]))
        with pytest.raises(PermissionDenied):
            await send(read, request, token="x")
