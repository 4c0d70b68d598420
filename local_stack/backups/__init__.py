"""Backups of a whole installation: one file with the three databases, and what of Valkey is needed."""

from local_stack.backups.archive import BackupError, Manifest
from local_stack.backups.making import make_backup
from local_stack.backups.places import Places
from local_stack.backups.restoring import read_manifest, restore_backup

__all__ = ["BackupError", "Manifest", "Places", "make_backup", "read_manifest", "restore_backup"]
