"""Alembic's entry: runs the revisions on the database of this service."""

from alembic import context
from sqlalchemy import create_engine, pool, text

from import_worker.storage.tables import metadata


def run() -> None:
    url = context.config.get_main_option("sqlalchemy.url")
    if url is None:
        raise RuntimeError("Start migrations by `python -m import_worker migrate`.")
    engine = create_engine(url, poolclass=pool.NullPool)
    with engine.connect() as connection:
        # A migration that has to wait long for a lock would hold up every query behind it.
        connection.execute(text("SET lock_timeout = '4s'"))
        connection.execute(text("SELECT pg_advisory_lock(hashtext('alembic'))"))
        connection.commit()
        context.configure(connection=connection, target_metadata=metadata)
        with context.begin_transaction():
            context.run_migrations()


run()
