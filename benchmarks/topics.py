"""Searches by words beside `sponsor.search`, at the catalog service: `python -m benchmarks.topics --videos 200000`.

Calls are interleaved, one at a time, on one connection. Texts are made-up words with the frequencies of a natural language (Zipf).
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final

import psycopg
from google.protobuf.message_factory import GetMessageClass
from pydantic import SecretStr

from benchmarks import bulk
from benchmarks.catalogue import Size, name, parties, videos
from catalog_service import MIGRATIONS, app
from catalog_service.settings import CatalogSettings
from devstack.engines import Postgres
from devstack.ports import free_port
from import_worker.clients.catalog import GrpcCatalogWriter
from import_worker.domain.ingest import Record
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc
from servicekit.errors import ServiceError
from servicekit.grpc import client as grpc_client
from servicekit.migration.command import migrate
from servicekit.peer_credentials import PeerCredentials

_TOKEN: Final = SecretStr("b" * 40)
_VOCABULARY: Final = 20_000
_POSTGRES: Final = {"shared_buffers": "512MB", "max_wal_size": "4GB", "checkpoint_timeout": "30min"}
_TEXTS: Final = f"""
INSERT INTO video_texts (video_id, config, words, has_description)
SELECT id, config, setweight(to_tsvector(CAST(config AS regconfig), title), 'A')
  || setweight(to_tsvector(CAST(config AS regconfig), description), 'B'), true
FROM (
  SELECT v.id, (ARRAY['english', 'english', 'english', 'german', 'simple'])[1 + v.id % 5] AS config,
    string_agg(word, ' ') FILTER (WHERE n <= 8) AS title, string_agg(word, ' ') FILTER (WHERE n > 8) AS description
  FROM videos AS v, LATERAL (
    SELECT n, translate(floor(power({_VOCABULARY}, random()) + 0 * v.id)::int::text, '0123456789', 'bcdfghklmp') || 'ax' AS word
    FROM generate_series(1, 48) AS n
  ) AS made
  GROUP BY v.id
) AS text
"""  # noqa: S608 - a number of ours
"""Each video has eight words of title and forty of description."""

_INDEX: Final = "CREATE INDEX video_texts_words_idx ON video_texts USING gin (words)"


def word(rank: int) -> str:
    """Return the word of this rank by frequency."""
    return str(rank).translate(str.maketrans("0123456789", "bcdfghklmp")) + "ax"


def requests(rank: int, number: int) -> Mapping[str, tuple[str, Mapping[str, Any]]]:
    """Return an RPC and its arguments for each kind of search."""
    first, second = word(rank + number), word(rank + number + 1)
    searches = {
        "one word": first,
        "two words": f"{first} {second}",
        "one without another": f"{first} -{second}",
    }
    return {
        f"{rpc}, {kind} of rank {rank:,}": (rpc, {"about": about})
        for kind, about in searches.items()
        for rpc in ("SearchVideos", "ListYoutubersAbout")
    }


async def _fill(target: str, size: Size, credentials: PeerCredentials) -> None:
    async with grpc_client.open_channel(target, credentials=credentials) as channel:
        writer = GrpcCatalogWriter(channel, timeout=3_600)
        await writer.write(parties(size))
        await writer.write(_some_videos(size))


async def _some_videos(size: Size) -> AsyncIterator[Record]:
    async for record in videos(size, 1_000):
        yield record


def _fill_texts(url: str) -> float:
    started = time.perf_counter()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET maintenance_work_mem = '512MB'; SET synchronous_commit = off")
        connection.execute("DROP INDEX video_texts_words_idx")
        connection.execute(_TEXTS.encode())
        connection.execute(_INDEX.encode())
        connection.execute("VACUUM ANALYZE video_texts")
    return time.perf_counter() - started


async def _measure(call: Callable[[str, Mapping[str, Any]], Awaitable[Any]], rounds: int) -> None:
    times: dict[str, list[float]] = {}
    matches: dict[str, list[int]] = {}
    for number in range(rounds):
        named: dict[str, tuple[str, Mapping[str, Any]]] = {
            "SearchSponsors": ("SearchSponsors", {"search": name(number)[:6]})
        }
        for rank in (20, 100, 1_000, 10_000):
            named |= requests(rank, number)
        for label, (rpc, arguments) in named.items():
            started = time.perf_counter()
            try:
                reply = await call(rpc, arguments)
            except ServiceError as error:
                print(f"{label}: {error}")
                continue
            times.setdefault(label, []).append(time.perf_counter() - started)
            matches.setdefault(label, []).append(getattr(reply, "matches", 0))
    base = statistics.median(times["SearchSponsors"])
    print("| search | matches | p50 ms | worst ms | of sponsor.search |")
    print("| --- | --- | --- | --- | --- |")
    for label, taken in times.items():
        median = statistics.median(taken)
        found = statistics.median(matches[label])
        print(
            f"| {label} | {found:,.0f} | {median * 1e3:.1f} | {max(taken) * 1e3:.0f} | {median / base:.1f} |"
        )


async def _run(postgres: Postgres, size: Size, rounds: int) -> None:
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE catalog")
    settings = CatalogSettings(
        database_url=postgres.url("catalog"),
        cursor_secret=_TOKEN,
        operator_token=_TOKEN,
        grpc_token=_TOKEN,
        grpc_port=0,
    )
    migrate(settings.database_url, MIGRATIONS)
    async with app.serve(settings) as port:
        target = f"127.0.0.1:{port}"
        credentials = PeerCredentials((_TOKEN.get_secret_value(),))
        await _fill(target, size, credentials)
        seconds = await asyncio.to_thread(
            bulk.add, settings.database_url, size.videos - 1_000, size.share
        )
        print(f"{size.videos:,} videos: {seconds:.0f} s", flush=True)
        seconds = await asyncio.to_thread(_fill_texts, settings.database_url)
        print(f"their texts and the index: {seconds:.0f} s", flush=True)
        async with grpc_client.open_channel(target, credentials=credentials) as channel:
            stub = catalog_pb2_grpc.CatalogStub(channel)

            async def call(rpc: str, arguments: Mapping[str, Any]) -> Any:
                method = pb.DESCRIPTOR.services_by_name["Catalog"].methods_by_name[rpc]
                request = GetMessageClass(method.input_type)(**arguments, limit=10)
                return await grpc_client.call(getattr(stub, rpc), request, timeout=20)

            await _measure(call, rounds)
    for table in bulk.sizes(settings.database_url):
        if "text" in table[0] or "toast" in table[0]:
            print(table)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.topics", description=__doc__)
    parser.add_argument("--videos", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=15)
    namespace = parser.parse_args()
    size = Size(20_000, max(100, namespace.videos // 100), namespace.videos, namespace.videos // 5)
    with tempfile.TemporaryDirectory(prefix="sponsorgraph-bench-") as folder:
        home = Path(folder)
        postgres = Postgres(home / "postgres", free_port(), "bench", _POSTGRES, home / "pg.log")
        postgres.start()
        try:
            asyncio.run(_run(postgres, size, namespace.rounds))
        finally:
            postgres.stop()


if __name__ == "__main__":
    main()
