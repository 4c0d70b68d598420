"""Backups of a whole installation: one file with the three databases, and what of Valkey is needed."""

from cli.backups.archive import BackupError, Manifest
from cli.backups.backup import make_backup
from cli.backups.locations import DatabaseLocations
from cli.backups.restore import read_manifest, restore_backup

__all__ = [
    "BackupError",
    "DatabaseLocations",
    "Manifest",
    "make_backup",
    "read_manifest",
    "restore_backup",
]
