"""The common parts of the Python peers: the search on a pool, the bearer check, uvicorn.

Psycopg at its fastest: prepared statements, one generic plan, no transaction around a statement.
"""

import base64
import contextlib
import hmac
import json
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any, Final

import psycopg
import uvicorn
from psycopg_pool import AsyncConnectionPool

_SQL: Final = Path(__file__).with_name("search.sql").read_text().encode()
_LIMIT: Final = 10
_CONNECTIONS: Final = 8
FIELDS: Final = (
    "id slug name domain website category country first_seen last_seen status videos "
    "paid_videos youtubers views known_until"
).split()

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Settings:
    """Command line of a peer: port, database, bearer token, file with the tools to list."""

    def __init__(self) -> None:
        port, self.database, self.token, tools = sys.argv[1:5]
        self.port = int(port)
        self.tools: list[dict[str, Any]] = json.loads(Path(tools).read_text())


class Search:
    """The search, with the fields that our response has."""

    def __init__(self, settings: Settings) -> None:
        self._pool = AsyncConnectionPool[psycopg.AsyncConnection[tuple[Any, ...]]](
            settings.database,
            min_size=_CONNECTIONS,
            max_size=_CONNECTIONS,
            open=False,
            kwargs={
                "autocommit": True,
                "prepare_threshold": 0,
                "cursor_factory": psycopg.AsyncRawCursor,
                "options": "-c jit=off -c random_page_cost=1.1"
                " -c plan_cache_mode=force_generic_plan",
            },
        )

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncGenerator[None]:
        async with self._pool:
            yield

    async def __call__(self, words: str) -> dict[str, Any]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_SQL, (words, _LIMIT + 1))
            rows = await cursor.fetchall()
        cursor = base64.urlsafe_b64encode(b"[10]").decode() if len(rows) > _LIMIT else None
        found = [dict(zip(FIELDS, row, strict=True)) for row in rows[:_LIMIT]]
        return {"sponsors": found, "next_cursor": cursor}


def guarded(app: App, token: str) -> App:
    """The application behind a check of the bearer token."""
    expected = f"Bearer {token}".encode()

    async def check(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            authorization = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(authorization, expected):
                headers = [(b"content-length", b"0")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b""})
                return
        await app(scope, receive, send)

    return check


def serve(app: Any, port: int) -> None:
    """Runs the application: one process, uvloop, httptools, no access log."""
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=port,
        loop="uvloop",
        http="httptools",
        log_level="warning",
        access_log=False,
    )
