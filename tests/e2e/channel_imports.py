"""Imports end to end: a stack that reads a stand-in for YouTube with a made catalogue."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Self

import psutil
import psycopg
import redis
from mcp import Client

from devstack.engines import Postgres, Valkey
from devstack.home import Addresses, Home
from devstack.ports import free_port
from devstack.services import specs
from devstack.youtube import Catalogue, Fault, MadeChannel, MadeVideo, YouTube
from servicekit.http import server as http_server
from tests.clients.person import Person
from tests.clients.python_oauth import GenerationStore, connected
from tests.e2e.conftest import RunningStack, start, wait_for
from tests.e2e.fleet import ready

PAGE: Final = 50
LAST_DAY: Final = datetime(2025, 6, 30, 12, tzinfo=UTC)
SCOPE: Final = "channels:import"
ENDED: Final = ("done", "failed", "cancelled")
_BRANDS: Final = (
    ("nordvpn", "NordVPN", "https://nordvpn.com/maker"),
    ("squarespace", "Squarespace", "https://squarespace.com/maker"),
    ("brilliant", "Brilliant", "https://brilliant.org/maker"),
)
_EVERY: Final = 3
_HOLD: Final = """
    CREATE OR REPLACE FUNCTION hold_job() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        new.scheduled_at := now() + interval '1 hour'; RETURN new;
    END $$;
    CREATE TRIGGER hold BEFORE INSERT ON procrastinate_jobs FOR EACH ROW EXECUTE FUNCTION hold_job()
"""
_RELEASE: Final = """
    DROP TRIGGER hold ON procrastinate_jobs;
    UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE status = 'todo';
    SELECT pg_notify('procrastinate_any_queue_v1', '{"type": "job_inserted", "job_id": 0}')
"""
_redis: Any = redis.Redis  # its stubs are partial


class Effort:
    """CPU seconds since it was made: those of this test with all it started, and of all others."""

    def __init__(self) -> None:
        self._machine, self._own = self._now()
        self._began = time.monotonic()

    def shares(self) -> tuple[float, float]:
        """The shares of the machine that this test and others took, each from 0 to 1."""
        machine, own = self._now()
        whole = (time.monotonic() - self._began) * (psutil.cpu_count() or 1)
        mine = own - self._own
        return mine / whole, max(0.0, machine - self._machine - mine) / whole

    @staticmethod
    def _now() -> tuple[float, float]:
        times = psutil.cpu_times()
        own = 0.0
        me = psutil.Process()
        for process in (me, *me.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                used = process.cpu_times()
                own += used.user + used.system
        return times.user + times.nice + times.system + times.softirq + times.steal, own


def sponsor_of(number: int) -> str | None:
    """The pattern: every third video has a sponsor, each time the next of three."""
    return None if number % _EVERY else _BRANDS[number // _EVERY % len(_BRANDS)][0]


def made_channel(name: str, videos: int) -> MadeChannel:
    """A channel `@name`, newest video first; see `sponsor_of` for what is in them."""
    return MadeChannel(
        channel_id=f"UC{name:x<22}",
        title=f"The {name.title()} Workshop",
        handle=f"@{name}",
        country="IE",
        subscribers=51_000,
        videos=[_made_video(name, number) for number in range(videos)],
    )


def _made_video(name: str, number: int) -> MadeVideo:
    brand = f"\n{_AD.format(*_BRANDS[number // _EVERY % len(_BRANDS)])}" if _is_ad(number) else ""
    return MadeVideo(
        video_id=video_id(name, number),
        title=f"Workshop diary {number}",
        description=f"Day {number} of our shelf: sawing, sanding, waiting for glue.{brand}\n"
        f"Music by a friend.\n0:00 Hello\n{number % 9 + 1}:30 Glue",
        published_at=LAST_DAY - timedelta(hours=9 * number),
        category="26",
        views=1_000 + number,
        language="en",
    )


_AD: Final = "This video is sponsored by {1}. Get 20% off at {2}"


def _is_ad(number: int) -> bool:
    return sponsor_of(number) is not None


def video_id(name: str, number: int) -> str:
    """Eleven characters, as YouTube's are."""
    return f"{name[:6]:-<6}_{number:04}"


class StandIn:
    """YouTube's stand-in in a thread of its own, so that tests may block."""

    def __init__(self) -> None:
        self.youtube = YouTube(Catalogue(), daily_units=1_000_000)
        self.url = ""
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stand-in")

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(30)
        self._loop.close()

    def show(self, *channels: MadeChannel, delay: float = 0.0) -> None:
        """Shows these channels alone; what was asked and what was to fail is forgotten."""
        self.youtube.begin_again(Catalogue(list(channels)))
        self.youtube.units.budget = 1_000_000
        self.youtube.delay = delay

    def fail(self, kind: Any, path: str, **changes: Any) -> None:
        """Makes the next requests of a path fail."""
        self.youtube.faults.append(Fault(kind, path, **changes))

    def request_count(self, resource: str) -> int:
        """Return the number of requests for a resource of the API."""
        return self.youtube.requests[f"/youtube/v3/{resource}"]

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        async with http_server.serve_http(self.youtube, "127.0.0.1", 0, 1) as port:
            self.url = f"http://127.0.0.1:{port}"
            self._ready.set()
            await self._stopped.wait()


@dataclass(slots=True)
class ImportStack:
    """A running stack whose imports read the stand-in."""

    stack: RunningStack
    source: StandIn

    @property
    def postgres(self) -> Postgres:
        home = Home(self.stack.home)
        port = int(self._addresses.postgres.rpartition(":")[2])
        return Postgres(Path(), port, home.secrets().postgres_password, {}, Path())

    @property
    def valkey(self) -> Valkey:
        port = int(self._addresses.valkey.rpartition(":")[2])
        return Valkey(port, Home(self.stack.home).secrets().valkey_password, Path())

    @property
    def _addresses(self) -> Addresses:
        addresses = Home(self.stack.home).addresses()
        assert addresses is not None
        return addresses

    def rows(self, database: str, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a statement in one of the stack's databases."""
        with psycopg.connect(self.postgres.url(database), autocommit=True) as connection:
            found = connection.execute(statement.encode(), values or None)
            return found.fetchall() if found.description else []

    # Imports, over MCP with the demo account's key

    def begin(self, channel: str, **more: Any) -> dict[str, Any]:
        return self.stack.tool_result("channel.import", {"channel": channel, **more})

    def begin_all(self, channels: Sequence[MadeChannel]) -> list[str]:
        """Starts imports, which workers see once all are in the queue; their ids."""
        self.rows("imports", _HOLD)
        with ThreadPoolExecutor(5) as pool:
            begun = list(pool.map(self.begin, [channel.channel_id for channel in channels]))
        self.rows("imports", _RELEASE)
        return [item["import_id"] for item in begun]

    def status(self, import_id: str) -> dict[str, Any]:
        return self.stack.tool_result("channel.importStatus", {"import_id": import_id})

    def until(self, import_id: str, *states: str, seconds: float = 60) -> dict[str, Any]:
        """The import once it is in one of the states."""
        shown = self.status(import_id)
        deadline = time.monotonic() + seconds
        while shown["state"] not in states:
            assert time.monotonic() < deadline, shown
            time.sleep(0.1)
            shown = self.status(import_id)
        return shown

    def until_finished(self, import_ids: Sequence[str], seconds: float = 90) -> None:
        """Waits until imports have ended, looking seldom: the time is the workers'."""
        query = "SELECT count(*) FROM imports WHERE id = ANY(%s) AND finished_at IS NULL"
        deadline = time.monotonic() + seconds
        while left := self.rows("imports", query, list(import_ids))[0][0]:
            assert time.monotonic() < deadline, f"{left} imports are not finished"
            time.sleep(0.5)

    # What happens to a stack

    def kill(self, name: str) -> int:
        """Kills a process of the stack; the process id that it had."""
        pid = self.stack.connection["pids"][name]
        os.kill(pid, signal.SIGKILL)
        return pid

    def is_replaced(self, name: str, pid: int) -> bool:
        return self.stack.connection["pids"][name] != pid

    def forget_units(self) -> None:
        """No unit of YouTube is used, as at the beginning of its day."""
        with _redis.from_url(self.valkey.url()) as client:
            for key in client.scan_iter("sponsorgraph:youtube:units:*"):
                client.delete(key)

    def come_to_retry(self, import_id: str) -> None:
        """The time has come at which a waiting import goes on."""
        self.rows(
            "imports",
            "UPDATE procrastinate_jobs SET scheduled_at = now() WHERE args->>'import_id' = %s",
            import_id,
        )

    def save_catalog(self) -> None:
        """Keeps the catalog as it is now, for `restore_catalog`."""
        with self._closed("catalog") as server:
            self._copy(server, "catalog", "pristine")

    def restore_catalog(self) -> None:
        """Puts the catalog back as it was kept, and forgets all imports."""
        tables = "imports, import_requests, import_brands, import_videos, imported_videos"
        self.rows("imports", f"TRUNCATE {tables}, imported_channels CASCADE")
        with self._closed("catalog") as server:
            server.execute("DROP DATABASE catalog WITH (FORCE)")
            self._copy(server, "pristine", "catalog")
        before = self.kill("catalog_service")  # it may remember what is gone
        wait_for(lambda: self.is_replaced("catalog_service", before), 30, "no new catalog")
        wait_for(self.accepts_connections, 30, "the catalog does not answer")

    def accepts_connections(self) -> bool:
        return self.stack.call_tool("category.list", {}).status_code == 200

    def takes_connections(self) -> bool:
        """Return whether Postgres accepts connections, which it does not for a moment after a restart."""
        try:
            self.rows("imports", "SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    @staticmethod
    def _copy(server: psycopg.Connection[Any], source: str, target: str) -> None:
        # The other strategy takes the numbers that a sequence has in store for written down:
        # after a crash of the server the copy's sequences would give some of them twice.
        statement = f"CREATE DATABASE {target} TEMPLATE {source} STRATEGY file_copy"
        server.execute(statement.encode())

    @contextmanager
    def _closed(self, database: str) -> Generator[psycopg.Connection[Any]]:
        """A connection to the server while nobody is connected to the database."""
        allow = "UPDATE pg_database SET datallowconn = %s WHERE datname = %s"
        end = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s"
        with psycopg.connect(self.postgres.url(), autocommit=True) as server:
            server.execute(allow, (False, database))
            server.execute(end, (database,))
            try:
                yield server
            finally:
                server.execute(allow, (True, database))

    # Workers

    def worker_environment(self) -> Mapping[str, str]:
        """Return the environment of the stack's own worker."""
        home = Home(self.stack.home)
        made = specs(
            self._addresses, home.secrets(), self.postgres, self.valkey, "http://localhost:1", ""
        )
        (spec,) = (item for item in made if item.name == "import_worker")
        return {**self.stack.environment, **spec.environment}

    @contextmanager
    def another_gateway(self) -> Generator[str]:
        """One more gateway beside the stack's own; gives its MCP URL."""
        home, port = Home(self.stack.home), free_port()
        made = specs(
            self._addresses,
            home.secrets(),
            self.postgres,
            self.valkey,
            self.stack.connection["site_url"],
            "",
        )
        (spec,) = (item for item in made if item.name == "gateway")
        own = {"GATEWAY_PORT": str(port), "GATEWAY_INSTANCE": "second", "GATEWAY_METRICS_PORT": "0"}
        environment = {**self.stack.environment, **spec.environment, **own}
        process = subprocess.Popen([sys.executable, "-m", "gateway"], env=environment)
        try:
            address = f"127.0.0.1:{port}"
            wait_for(lambda: ready(address), 30, "no second gateway")
            yield f"http://{address}/mcp"
        finally:
            process.terminate()
            process.wait(30)

    def workers(self) -> int:
        """Worker processes that take jobs."""
        query = "SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now() - '2 s'::interval"
        return int(self.rows("imports", query)[0][0])

    @contextmanager
    def another_worker(self) -> Generator[None]:
        """One more worker process beside the stack's own."""
        environment = {**self.worker_environment(), "IMPORT_LOG_LEVEL": "warning"}
        before = self.workers()
        process = subprocess.Popen([sys.executable, "-m", "import_worker", "work"], env=environment)
        try:
            wait_for(lambda: self.workers() > before, 30, "no further worker")
            yield
        finally:
            process.terminate()
            process.wait(30)
            wait_for(lambda: self.workers() == before, 30, "the worker is still there")


@contextmanager
def import_stack(home: Path, **more: str) -> Generator[ImportStack]:
    """A stack on a throw-away home beside a stand-in that shows nothing yet."""
    with StandIn() as source:
        stack = start(
            home,
            IMPORT_YOUTUBE_URL=source.url,
            IMPORT_YOUTUBE_FEED_URL=source.url,
            IMPORT_YOUTUBE_API_KEY="any",
            IMPORT_STALLED_SECONDS="2",
            **more,
        )
        try:
            yield ImportStack(stack, source)
        finally:
            stack.end()


@asynccontextmanager
async def sdk(
    stack: RunningStack, person: Person
) -> AsyncGenerator[tuple[Client, GenerationStore]]:
    """The Python SDK, connected over OAuth by somebody who is logged in."""
    memory, url = GenerationStore(), stack.connection["mcp_url"]
    async with connected(url, person, memory=memory, scope=SCOPE) as client:
        yield client, memory


# What the catalog holds of imports, by names instead of ids and without instants of writing.
_NAMED: Final = {
    "sponsors": "SELECT {} FROM sponsors AS t",
    "youtubers": "SELECT {} FROM youtubers AS t",
    "sponsor_names": "SELECT s.slug, {} FROM sponsor_names AS t JOIN sponsors AS s ON s.id = sponsor_id",
    "youtuber_names": "SELECT y.key, {} FROM youtuber_names AS t "
    "JOIN youtubers AS y ON y.id = youtuber_id",
    "videos": "SELECT y.key, {} FROM videos AS t JOIN youtubers AS y ON y.id = youtuber_id",
    "sponsorships": "SELECT s.slug, y.key, v.key, {} FROM sponsorships AS t "
    "JOIN sponsors AS s ON s.id = sponsor_id JOIN youtubers AS y ON y.id = t.youtuber_id "
    "JOIN videos AS v ON v.id = t.video_id",
    "sponsor_youtubers": "SELECT s.slug, y.key, {} FROM sponsor_youtubers AS t "
    "JOIN sponsors AS s ON s.id = sponsor_id JOIN youtubers AS y ON y.id = youtuber_id",
    **{
        table: f"SELECT s.slug, {{}} FROM {table} AS t JOIN sponsors AS s ON s.id = sponsor_id"
        for table in (
            "sponsor_months",
            "sponsor_parts",
            "sponsor_returns",
            "sponsor_days",
            "sponsor_day_returns",
            "sponsor_facets",
            "sponsor_contents",
        )
    },
    "youtuber_contents": "SELECT y.key, {} FROM youtuber_contents AS t "
    "JOIN youtubers AS y ON y.id = youtuber_id",
    "video_days": "SELECT {} FROM video_days AS t",
    "category_days": "SELECT {} FROM category_days AS t",
    "category_day_returns": "SELECT {} FROM category_day_returns AS t",
    "facet_totals": "SELECT {} FROM facet_totals AS t",
    "category_facets": "SELECT {} FROM category_facets AS t",
    "category_months": "SELECT {} FROM category_months AS t",
    "category_returns": "SELECT {} FROM category_returns AS t",
    "youtuber_aliases": "SELECT y.key, {} FROM youtuber_aliases AS t "
    "JOIN youtubers AS y ON y.id = youtuber_id",
    "video_snapshots": "SELECT v.key, {} FROM video_snapshots AS t JOIN videos AS v ON v.id = t.video_id",
    "video_texts": "SELECT v.key, {} FROM video_texts AS t JOIN videos AS v ON v.id = t.video_id",
    "video_aliases": "SELECT v.key, {} FROM video_aliases AS t JOIN videos AS v ON v.id = t.video_id",
    "catalog_state": "SELECT {} FROM catalog_state AS t",
    "catalog_events": "SELECT t.id, t.kind, s.slug, y.key, t.category FROM catalog_events AS t "
    "JOIN sponsors AS s ON s.id = sponsor_id JOIN youtubers AS y ON y.id = youtuber_id",
}
_OF_PEOPLE: Final = frozenset(
    {
        "sponsorship_reports", "sponsorship_corrections", "sponsor_merges", "merged_sponsors",
        "correction_log", "saved_lists", "saved_list_entries",
    }
)  # fmt: skip
"""Columns that people decide on, which no import writes."""

# `version` counts writes and `change_id` names the last; the instants are those of writing.
_MAY_DIFFER: Final = frozenset(
    {"id", "sponsor_id", "youtuber_id", "imported_at", "last_import", "version", "change_id"}
)
_COLUMNS: Final = (
    "SELECT column_name, data_type FROM information_schema.columns "
    "WHERE table_schema = 'public' AND table_name = %s ORDER BY ordinal_position"
)


def dump(stack: ImportStack) -> dict[str, list[str]]:
    """Each table of the catalog, row for row as text, in one order."""
    tables = stack.rows(
        "catalog",
        "SELECT table_name FROM information_schema.tables "
        "WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
    )
    written = {name for (name,) in tables} - {"alembic_version"} - _OF_PEOPLE
    assert written == _NAMED.keys()
    return {name: _dumped(stack, name, query) for name, query in _NAMED.items()}


def _dumped(stack: ImportStack, table: str, query: str) -> list[str]:
    columns = [
        name
        for name, kind in stack.rows("catalog", _COLUMNS, table)
        if name not in _MAY_DIFFER and not (name == "video_id" and kind == "bigint")
    ]
    wanted = query.format(", ".join(f"t.{name}::text" for name in columns))
    return sorted(str(row) for row in stack.rows("catalog", wanted))
