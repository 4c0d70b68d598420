"""Locks by name, held to the end of the transaction."""

from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

_LOCK: Final = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")


async def lock_name(connection: AsyncConnection, name: str) -> None:
    """Wait for other transactions that hold the lock of this name."""
    await connection.execute(_LOCK, {"name": name})
