"""Runs the catalogue's migrations in one transaction, in one process at a time."""

from alembic import context
from sqlalchemy import create_engine, pool, text

from catalog_service.storage.tables import metadata

LOCK_TIMEOUT = "4s"
MIGRATOR = 0x5B0_A1E8
"""Advisory lock of the process that migrates; others wait and then find nothing to do."""


def migrate_online() -> None:
    url = context.config.get_main_option("sqlalchemy.url")
    if url is None:
        raise RuntimeError("sqlalchemy.url is not set")
    engine = create_engine(url, poolclass=pool.NullPool)
    with engine.connect() as connection, connection.begin():
        connection.execute(text(f"SELECT pg_advisory_xact_lock({MIGRATOR})"))
        connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'"))
        context.configure(connection=connection, target_metadata=metadata)
        context.run_migrations()


migrate_online()
