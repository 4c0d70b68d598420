"""`sponsorgraph backup check`."""

import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer
from pydantic import SecretStr
from rich.status import Status

from cli.backups import BackupError, DamagedBackupError
from cli.backups.encryption import read_keys
from cli.backups.folder import LATEST
from cli.backups.settings import BackupCheckSettings
from cli.backups.sources import backup_file, is_newest
from cli.backups.storage import open_storage
from cli.backups.valkey_part import last_check, record_check
from cli.backups.verification import Verification, verify_backup
from cli.commands._backup_shell import (
    ValkeyUrl,
    folder,
    named_valkey,
    readable,
    valkey_of_running_home,
)
from cli.commands._shell import err, out, print_error, print_warning
from cli.text import plain_updates
from devstack.engines import EngineError
from servicekit.settings import read

_DAY: Final = 86_400.0
_EARLIER: Final = 0.5 * _DAY
"""A daily job is not begun at the same second each day."""


def check(
    name: Annotated[
        Path, typer.Argument(help="A backup, as for `restore`; the newest when left out.")
    ] = Path(LATEST),
    *,
    every_days: Annotated[
        int | None,
        typer.Option(min=1, help="Do nothing if one was found good in the last so many days."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    valkey_url: ValkeyUrl = None,
) -> None:
    """Restore a backup into scratch databases, compare it with its manifest, and remove them again.

    They are on a server that is started for it below TMPDIR, or on that of BACKUP_CHECK_SERVER_URL. With a storage, it is the
    copy there that is checked. It ends with 1 if the backup is not good.
    The metrics have when the newest was found good, and when any was not.
    """
    with readable():
        valkey = named_valkey(valkey_url) or valkey_of_running_home()
        if every_days is not None and _was_checked(valkey, every_days, as_json=as_json):
            return
        try:
            label, found, newest = _verify(name)
        except (BackupError, OSError, EngineError) as error:
            # Others say nothing about a backup: a wrong name or key, a full disk.
            if isinstance(error, DamagedBackupError):
                _record(valkey, passed=False)
            if as_json:
                out.print_json(data={"name": str(name), "problems": [str(error)]})
            raise
    if found.problems or newest:
        _record(valkey, passed=not found.problems)
    if as_json:
        out.print_json(data={"name": label, **asdict(found)})
    else:
        _print(label, found)
    if found.problems:
        raise typer.Exit(1)


def _was_checked(valkey: str | None, every_days: float, *, as_json: bool) -> bool:
    """Return whether a backup was found good within so many days, and say so."""
    if valkey is None:
        err.print(
            "When a backup was last checked is known to Valkey alone, which is neither named nor runs here: it is checked now."
        )
        return False
    age = time.time() - last_check(valkey)
    if age >= every_days * _DAY - _EARLIER:
        return False
    if as_json:
        out.print_json(data={"found_good_days_ago": round(age / _DAY, 1)})
    else:
        out.print(f"A backup was found good {age / _DAY:.1f} days ago.")
    return True


def _verify(name: Path) -> tuple[str, Verification, bool]:
    """Return the name of the backup, what was found, and whether it is the newest."""
    keys, storage = read_keys(), open_storage()
    server: SecretStr | None = read(BackupCheckSettings).server_url
    with (
        Status("", console=err) as status,
        backup_file(
            folder(), storage, name, keys, plain_updates(status), stored_first=True
        ) as source,
    ):
        url = server.get_secret_value() if server else None
        found = verify_backup(source, url or None, plain_updates(status), keys)
        return source.name, found, is_newest(folder(), storage, name)


def _record(valkey_url: str | None, *, passed: bool) -> None:
    """Leave the result for the metrics."""
    if valkey_url is None:
        return
    try:
        record_check(valkey_url, time.time(), passed=passed)
    except BackupError as error:
        print_warning("The result is not recorded:", str(error))


def _print(name: str, found: Verification) -> None:
    if not found.problems:
        out.print(
            f"{name} of {found.made_at} is good: {found.tables} tables with {found.rows} rows, restored and "
            f"compared in {found.seconds:.0f} s.",
            soft_wrap=True,
        )
        return
    print_error(f"{name} of {found.made_at} is restored and is not what was backed up:")
    for problem in found.problems:
        err.print(f"- {problem}", soft_wrap=True)
