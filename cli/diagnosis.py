"""Findings that only the services themselves, or their databases, can make."""

import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import psycopg

from cli.clients.diagnostics import diagnosis
from devstack.settings import BackupSettings, StackSettings
from servicekit.errors import PermissionDenied, ServiceError
from servicekit.peer_credentials import PeerCredentials
from servicekit.settings import read
from shapes.auth.diagnostics import DiagnosisFinding

MIN_FREE_BYTES: Final = 500_000_000
_MAX_SKEW_SECONDS: Final = 2.0
_NOT_CHECKED: Final = (
    "was not asked about mails, prices and clocks: SPONSORGRAPH_OPERATOR_TOKEN is not set"
)


def of_the_auth_service(
    target: str, token: str, credentials: PeerCredentials
) -> Sequence[DiagnosisFinding]:
    """Return what the auth service at `target` finds of mails, prices, backups and clocks."""
    subject = "auth service's own checks"
    if not token:
        return [DiagnosisFinding(subject, fine=True, detail=_NOT_CHECKED)]
    try:
        return diagnosis(target, token, credentials)
    except PermissionDenied as error:
        remedy = "Set SPONSORGRAPH_OPERATOR_TOKEN to the service's AUTH_OPERATOR_TOKEN."
        return [DiagnosisFinding(subject, fine=False, detail=error.public_message, remedy=remedy)]
    except ServiceError as error:
        remedy = "Read its log; a service of an older version has no such checks."
        return [DiagnosisFinding(subject, fine=False, detail=error.public_message, remedy=remedy)]


def of_backup_folder() -> Sequence[DiagnosisFinding]:
    """Return whether the folder of backups has space, where the environment names one."""
    folder = read(StackSettings).backup_folder
    if folder == Path() or not folder.is_dir():
        return []
    free = shutil.disk_usage(folder).free
    detail = f"{free / 1e9:.1f} GB free in {folder}"
    remedy = "Free half a gigabyte, or delete old backups by `sponsorgraph backup --keep-days`."
    return [DiagnosisFinding("Disk of backups", free > MIN_FREE_BYTES, detail, remedy)]


def of_clocks() -> Sequence[DiagnosisFinding]:
    """Return how far this machine's clock is from those of the databases that the environment names."""
    found: list[DiagnosisFinding] = []
    for name, url in read(BackupSettings).database_urls.items():
        skew = clock_skew(url)
        if skew is not None:
            remedy = "Set the clocks of both machines by NTP."
            detail = f"{skew:.1f} s from this machine's"
            found.append(
                DiagnosisFinding(f"Clock of {name}", skew <= _MAX_SKEW_SECONDS, detail, remedy)
            )
    return found


def clock_skew(url: str) -> float | None:
    """Return the seconds between this machine's clock and a database's, None if it does not respond."""
    try:
        with psycopg.connect(url, connect_timeout=3) as connection:
            connection.execute("SELECT 1")
            begun = time.time()
            row = connection.execute("SELECT extract(epoch FROM clock_timestamp())").fetchone()
            ended = time.time()
    except psycopg.OperationalError:
        return None
    theirs = float(row[0]) if row else begun
    return max(begun - theirs, theirs - ended, 0.0)
