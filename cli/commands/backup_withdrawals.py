"""`sponsorgraph backup read-withdrawals` and `repeat-withdrawals`, around a restore that another program does."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from cli.backups import DatabaseLocations
from cli.backups.in_use import check_not_in_use
from cli.backups.withdrawals import (
    KINDS,
    Withdrawals,
    load_withdrawals,
    read_withdrawals,
    repeat_withdrawals,
    save_withdrawals,
)
from cli.commands._backup_shell import (
    AuthUrl,
    CatalogUrl,
    ImportsUrl,
    Wait,
    locations,
    readable,
    wait_until_reachable,
)
from cli.commands._shell import out, print_warning

_ACCOUNTS = "auth"
"""The database with accounts, keys and connections."""

_File = Annotated[Path, typer.Argument(dir_okay=False, help="The file that they are kept in.")]


def read(
    file: _File,
    *,
    wait: Wait = 0,
    catalog_url: CatalogUrl = None,
    auth_url: AuthUrl = None,
    imports_url: ImportsUrl = None,
) -> None:
    """Write to a new file what was deleted, disabled and revoked, before the databases are put back by another program.

    The services have to be stopped: it is refused while anything is connected to the accounts. The file has ids and keyed hashes of
    addresses; its owner alone can read it.
    """
    with readable(), locations(catalog_url, auth_url, imports_url, None) as databases:
        wait_until_reachable(databases, wait)
        url = databases.databases[_ACCOUNTS]
        # What is withdrawn after it was read would be back after the restore, and nobody would know.
        check_not_in_use(_ACCOUNTS, url)
        known = read_withdrawals(url)
        save_withdrawals(known, file)
    if known is None:
        print_warning("There are no accounts:", f"{file} has nothing to repeat.")
    else:
        out.print(f"{file} has what was deleted, disabled and revoked.", soft_wrap=True)


def repeat(
    file: _File,
    *,
    wait: Wait = 0,
    catalog_url: CatalogUrl = None,
    auth_url: AuthUrl = None,
    imports_url: ImportsUrl = None,
) -> None:
    """Delete, disable and revoke again what a file of `read-withdrawals` has, before the services are started.

    It is refused while anything is connected to the accounts.
    """
    with readable():
        known = load_withdrawals(file)
        with locations(catalog_url, auth_url, imports_url, None) as databases:
            wait_until_reachable(databases, wait)
            repeated = _repeat(databases, known)
    report_withdrawals(repeated, "the moment that was restored")


def _repeat(databases: DatabaseLocations, known: Withdrawals | None) -> Mapping[str, int] | None:
    url = databases.databases[_ACCOUNTS]
    # A running service has let callers in with what is to be withdrawn, and may have cached it.
    check_not_in_use(_ACCOUNTS, url)
    if known is None:
        return None
    if read_withdrawals(url) is None:
        return {}  # it is of a time before the first account
    return repeat_withdrawals(url, known)


def report_withdrawals(repeated: Mapping[str, int] | None, at: str) -> None:
    """Tell what is back that was withdrawn since `at`; `repeated` as in `Restored`."""
    if repeated is None:
        print_warning(
            f"What was withdrawn since {at} is back:",
            "accounts that were deleted or disabled, API keys and connections that were revoked. None of it was "
            "repeated: do so (`sponsorgraph account delete`, `key revoke`) before you let callers in, unless this "
            "restore is to undo it.",
        )
    else:
        numbers = {kind: repeated.get(kind, 0) for kind in KINDS}
        out.print(
            "Repeated, as the database that was there knew of it: accounts deleted {deleted}, disabled {disabled}; "
            "revoked: API keys {keys}, connections {connections}.".format(**numbers),
            soft_wrap=True,
        )
    out.print(
        f"Passwords, second factors, sessions, memberships and plans are those of {at}.",
        soft_wrap=True,
    )
