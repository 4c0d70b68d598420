"""A service's own Postgres: the engine, its migrations, and whether it answers."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from servicekit.settings import DatabaseSettings


def driver_url(url: str) -> str:
    """The URL with the driver that SQLAlchemy is to use."""
    return url.replace("postgresql://", "postgresql+psycopg://", 1)


def open_engine(settings: DatabaseSettings, application: str) -> AsyncEngine:
    """An engine whose connections name `application` and end statements that run too long."""
    timeout_ms = round(settings.database_statement_timeout_seconds * 1000)
    # Pages are cheap to reach on SSDs and in memory, and short statements do not earn a compilation.
    options = (
        f"-c statement_timeout={timeout_ms} -c timezone=UTC -c plan_cache_mode=auto"
        " -c random_page_cost=1.1 -c jit=off"
    )
    return create_async_engine(
        driver_url(settings.database_url),
        pool_size=settings.database_pool_size,
        max_overflow=0,
        pool_timeout=5,
        pool_pre_ping=True,
        connect_args={
            "application_name": application,
            "options": options,
            "connect_timeout": 5,
            "prepare_threshold": 2,
        },
    )


def open_sync_engine(settings: DatabaseSettings, application: str) -> Engine:
    """The same for code that cannot await."""
    timeout_ms = round(settings.database_statement_timeout_seconds * 1000)
    return create_engine(
        driver_url(settings.database_url),
        pool_size=settings.database_pool_size,
        max_overflow=0,
        pool_timeout=5,
        pool_pre_ping=True,
        connect_args={
            "application_name": application,
            "options": f"-c statement_timeout={timeout_ms} -c timezone=UTC",
            "connect_timeout": 5,
        },
    )


async def answers(engine: AsyncEngine) -> bool:
    """Whether the database answers a trivial question now."""
    try:
        async with engine.connect() as connection:
            await connection.execute(text("SELECT 1"))
    except (DBAPIError, TimeoutError, OSError):
        return False
    return True


def migrate(url: str, migrations: Path) -> None:
    """Brings the database at `url` to the newest revision in the folder `migrations`."""
    config = Config()
    config.set_main_option("script_location", str(migrations))
    config.set_main_option("sqlalchemy.url", driver_url(url).replace("%", "%%"))
    command.upgrade(config, "head")
