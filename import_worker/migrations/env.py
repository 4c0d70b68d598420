"""Alembic's entry: runs the revisions on the database of this service."""

from import_worker.storage.tables import metadata
from servicekit.migration import environment

environment.run(metadata, lock_key="hashtext('alembic')")
