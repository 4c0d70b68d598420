"""The error of all that is done with backups."""


class BackupError(Exception):
    """A backup cannot be made or restored; the message says why."""


class DamagedBackupError(BackupError):
    """A backup was found and is not what was made; the message says how."""
