"""Backups of a whole installation: one file with the three databases, and what of Valkey is needed."""

from cli.backups.archive import Manifest, manifest_of
from cli.backups.backup import make_backup
from cli.backups.errors import BackupError, DamagedBackupError
from cli.backups.locations import DatabaseLocations
from cli.backups.restore import restore_backup
from cli.backups.valkey_part import record_backup
from cli.backups.waiting import wait_for

__all__ = [
    "BackupError",
    "DamagedBackupError",
    "DatabaseLocations",
    "Manifest",
    "make_backup",
    "manifest_of",
    "record_backup",
    "restore_backup",
    "wait_for",
]
