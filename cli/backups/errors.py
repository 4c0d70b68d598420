"""The error of all that is done with backups."""


class BackupError(Exception):
    """A backup cannot be made or restored; the message says why."""
