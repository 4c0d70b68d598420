"""A service's own Postgres: the engine and its readiness."""

import weakref
from typing import Any, Final

import sqlalchemy
from prometheus_client import Gauge
from sqlalchemy import Connection, Engine, event
from sqlalchemy.ext import asyncio as sqlalchemy_asyncio
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import ConnectionPoolEntry

from servicekit import database_parameters, list_parameters
from servicekit.database_url import driver_url
from servicekit.settings import DatabaseSettings

CONNECTIONS_IN_USE: Final = Gauge(
    "sponsorgraph_database_connections_in_use",
    "Connections to Postgres that are at work.",
    ["pool"],
)
CONNECTIONS_ALLOWED: Final = Gauge(
    "sponsorgraph_database_connections_allowed",
    "Connections to Postgres that may be open; work waits when all are in use.",
    ["pool"],
)

_PLANS: Final = "auto"
"""The mode of plans of what writes."""


def open_engine(settings: DatabaseSettings, application: str) -> AsyncEngine:
    """Return an engine whose connections name `application` and end statements that run too long."""
    parameters = database_parameters.parameters(settings, _PLANS)
    # Looked up in its module: tracing puts its own in that place.
    engine = sqlalchemy_asyncio.create_async_engine(
        driver_url(settings.database_url),
        **_bounds(settings),
        pool_pre_ping=True,
        connect_args={
            "application_name": application,
            **database_parameters.startup_options(settings, parameters),
            **silence_bounds(settings),
            "prepare_threshold": 2,
        },
    )
    if settings.is_pooled and settings.plan_cache_mode != _PLANS:
        event.listen(engine.sync_engine, "begin", _set_plans)
    _set_up(engine.sync_engine, application, settings)
    return engine


def open_reading_engine(settings: DatabaseSettings, application: str) -> AsyncEngine:
    """Return an engine that only keeps connections, for statements that each are a transaction.

    Nothing is asked of Postgres when a connection is taken or given back. The plans of its
    statements do not depend on their values: making one costs more than most of them run.
    """
    parameters = database_parameters.parameters(settings, "force_generic_plan")
    engine = sqlalchemy_asyncio.create_async_engine(
        driver_url(settings.database_url),
        **_bounds(settings),
        pool_reset_on_return=None,
        isolation_level="AUTOCOMMIT",
        connect_args={
            "application_name": application,
            **database_parameters.startup_options(settings, parameters),
            **silence_bounds(settings),
            "prepare_threshold": 0,
        },
    )
    _set_up(engine.sync_engine, f"{application} reads", settings)
    return engine


def open_sync_engine(settings: DatabaseSettings, application: str) -> Engine:
    """Open an engine for code that cannot await."""
    parameters = database_parameters.base_parameters(settings)
    engine = sqlalchemy.create_engine(
        driver_url(settings.database_url),
        **_bounds(settings),
        pool_pre_ping=True,
        connect_args={
            "application_name": application,
            **database_parameters.startup_options(settings, parameters),
            **silence_bounds(settings),
        },
    )
    _set_up(engine, f"{application} threads", settings)
    return engine


def silence_bounds(settings: DatabaseSettings) -> dict[str, int]:
    """Return libpq's options that bound the wait for a server that is silent, and for one that does not take what is sent."""
    return {
        "connect_timeout": settings.database_connect_timeout_seconds,
        "tcp_user_timeout": round(settings.database_silence_timeout_seconds * 1000),
        "keepalives_idle": max(1, round(settings.database_silence_timeout_seconds)),
        "keepalives_interval": 1,
        "keepalives_count": 3,
    }


def _bounds(settings: DatabaseSettings) -> dict[str, Any]:
    """Return the options of every engine: no more connections than allowed, no values in errors."""
    return {
        "pool_size": settings.database_pool_size,
        "max_overflow": 0,
        "pool_timeout": 5,
        "hide_parameters": True,
    }


def _set_up_connection(_wrapped: object, entry: ConnectionPoolEntry) -> None:
    """Set up a new connection, which SQLAlchemy may have wrapped."""
    list_parameters.register(entry.driver_connection)


def _set_plans(connection: Connection) -> None:
    """Set for one transaction what the role has otherwise."""
    connection.exec_driver_sql(f"SET LOCAL plan_cache_mode = {_PLANS}")


def _set_up(engine: Engine, pool: str, settings: DatabaseSettings) -> None:
    """Have the engine's connections write lists at once, and the metrics read its pool while there is one."""
    event.listen(engine, "connect", _set_up_connection)
    reference = weakref.ref(engine)

    def in_use() -> float:
        living = reference()
        queue: Any = living and living.pool
        return queue.checkedout() if queue else 0

    CONNECTIONS_IN_USE.labels(pool).set_function(in_use)
    CONNECTIONS_ALLOWED.labels(pool).set(settings.database_pool_size)
