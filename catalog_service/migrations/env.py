"""Alembic's entry: runs the revisions on the database of this service."""

from catalog_service.storage.tables import metadata
from servicekit.migration import environment

environment.run(metadata, lock_key="95461864")
