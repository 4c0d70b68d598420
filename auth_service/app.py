"""Wires the auth service."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import grpc.aio
import redis.asyncio as redis

from auth_service.domain.access import Access
from auth_service.domain.operations import Operations
from auth_service.domain.passwords import Passwords
from auth_service.grpc_face import serve_on
from auth_service.settings import AuthSettings
from auth_service.storage.retention import keep_tidy
from auth_service.storage.store import transactions
from auth_service.storage.valkey import ValkeyFeed
from servicekit import database, grpc_server

MIGRATIONS: Final = Path(__file__).parent / "migrations"
_redis: Any = redis.Redis  # its stubs are partial


def now() -> datetime:
    return datetime.now(UTC)


@asynccontextmanager
async def running(settings: AuthSettings) -> AsyncGenerator[int]:
    """The service, answering until the block ends; yields its gRPC port."""
    engine = database.open_engine(settings, "auth_service")
    valkey: redis.Redis = _redis.from_url(settings.valkey_url, socket_timeout=2)
    plans = settings.effective_plans()
    open_store = transactions(engine)
    access = Access(open_store, plans, now, f"{settings.site_url}/account")
    operations = Operations(
        open_store, ValkeyFeed(valkey), Passwords(), plans, now, settings.max_keys_per_account
    )

    def register(server: grpc.aio.Server) -> str:
        return serve_on(server, access, operations, settings.operator_token.get_secret_value())

    tidying = asyncio.create_task(keep_tidy(engine, settings.usage_entry_days))
    try:
        async with grpc_server.running(settings, register) as port:
            yield port
    finally:
        tidying.cancel()
        await asyncio.gather(tidying, return_exceptions=True)
        await valkey.aclose()
        await engine.dispose()
