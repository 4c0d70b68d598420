"""`sponsorgraph backup` and `sponsorgraph restore`."""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.status import Status
from typer.core import TyperGroup

from cli.backups import (
    Manifest,
    make_backup,
    restore_backup,
)
from cli.backups.encryption import read_keys
from cli.backups.errors import BackupError
from cli.backups.folder import discard_old, new_backup
from cli.backups.sources import backup_file
from cli.backups.storage import open_storage
from cli.commands._backup_shell import (
    AuthUrl,
    CatalogUrl,
    ImportsUrl,
    ValkeyUrl,
    Wait,
    folder,
    locations,
    readable,
    record,
    wait_until_reachable,
)
from cli.commands._shell import err, out
from cli.commands.backup_check import check
from cli.commands.backup_copies import check_encryption, copy_to, list_backups, upload_backup
from cli.commands.backup_keys import generate_key
from cli.commands.backup_withdrawals import read, repeat, report_withdrawals
from cli.text import plain_updates

_MAKE = "create"


class _Group(TyperGroup):
    """Commands of backups; the name of the first may be left out before a path or an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        first = args[0] if args else "-"
        means_create = first.startswith("-") or _is_path(first)
        if means_create and first not in self.get_help_option_names(ctx):
            args = [_MAKE, *args]
        return super().parse_args(ctx, args)


def _is_path(argument: str) -> bool:
    """Return whether an argument is a file rather than a mistyped command."""
    return "/" in argument or argument.endswith((".tar", ".tar.age"))


backups = typer.Typer(
    cls=_Group,
    help="Back up all databases into one file (`create`, which may be left out), and look after the files.",
)


@backups.command(_MAKE)
def create(  # noqa: PLR0913 - options of the command
    file: Annotated[
        Path | None,
        typer.Argument(
            dir_okay=False,
            help="Where the backup is written to; named by the moment, in SPONSORGRAPH_BACKUP_FOLDER, when left out.",
        ),
    ] = None,
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file if it is there.")
    ] = False,
    keep_days: Annotated[
        int | None,
        typer.Option(min=1, help="Delete older backups of that folder once this one is made."),
    ] = None,
    upload: Annotated[
        bool,
        typer.Option(
            "--upload/--no-upload", help="Copy it to the storage, where BACKUP_S3_BUCKET names one."
        ),
    ] = True,
    wait: Wait = 0,
    catalog_url: CatalogUrl = None,
    auth_url: AuthUrl = None,
    imports_url: ImportsUrl = None,
    valkey_url: ValkeyUrl = None,
) -> None:
    """Back up all databases into one file, while everything runs or when it is stopped.

    It is encrypted where BACKUP_RECIPIENTS or BACKUP_IDENTITIES names a key.

    Secrets are not in it: keep `secrets.json`, or what your services get theirs from, elsewhere.
    """
    urls = (catalog_url, auth_url, imports_url, valkey_url)
    with readable():
        keys, storage = read_keys(), open_storage()
        if upload:
            check_encryption(storage, encrypted=bool(keys.recipients))
        target = file or new_backup(folder(), datetime.now(UTC), encrypted=bool(keys.recipients))
        if target.exists() and not force:
            raise BackupError(
                f"{target} is there already and is left as it is: name another file, or replace it with --force."
            )
    with readable(), locations(*urls) as databases:
        wait_until_reachable(databases, wait)
        with Status("", console=err) as status:
            manifest = make_backup(databases, target, plain_updates(status), keys)
        _report(f"{target} has {target.stat().st_size / 1e6:.1f} MB", manifest)
        if storage is not None and upload:
            copy_to(storage, target)
        if storage is None or upload:
            record(databases.valkey, time.time())
    if keep_days is not None:
        for old in discard_old(target.resolve().parent, keep_days):
            out.print(f"{old.name} was {keep_days} days old and is deleted.")


def restore(  # noqa: PLR0913 - options of the command
    file: Annotated[
        Path,
        typer.Argument(
            help="A backup; a name in SPONSORGRAPH_BACKUP_FOLDER or in the storage, or `latest`, will do."
        ),
    ],
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
    repeat_deletions: Annotated[
        bool,
        typer.Option(
            "--repeat-deletions/--no-repeat-deletions",
            help="Delete, disable and revoke again what the database that is replaced knows to be so.",
        ),
    ] = True,
    wait: Wait = 0,
    catalog_url: CatalogUrl = None,
    auth_url: AuthUrl = None,
    imports_url: ImportsUrl = None,
    valkey_url: ValkeyUrl = None,
) -> None:
    """Restore a backup and bring it up to date. The services have to be stopped; a home that is missing is made."""
    urls = (catalog_url, auth_url, imports_url, valkey_url)
    with readable():
        keys = read_keys()
        with (
            Status("", console=err) as status,
            backup_file(folder(), open_storage(), file, keys, plain_updates(status)) as source,
            locations(*urls, makes_home=True) as databases,
        ):
            wait_until_reachable(databases, wait)
            restored = restore_backup(
                source,
                databases,
                plain_updates(status),
                force=force,
                keys=keys,
                repeat=repeat_deletions,
            )
    _report(f"{source.name} is restored", restored.manifest)
    report_withdrawals(restored.repeated, restored.manifest.created_at)
    out.print("Counters of the month are rebuilt from the usage ledger as accounts call.")


def _report(action: str, manifest: Manifest) -> None:
    schemas = ", ".join(f"{name} {part.revision}" for name, part in manifest.databases.items())
    out.print(
        f"{action}: Sponsorgraph {manifest.version} of {manifest.created_at} ({schemas}).",
        soft_wrap=True,
    )


backups.command("check")(check)
backups.command("list")(list_backups)
backups.command("upload")(upload_backup)
backups.command("generate-key")(generate_key)
backups.command("read-withdrawals")(read)
backups.command("repeat-withdrawals")(repeat)
