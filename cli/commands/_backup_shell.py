"""Common parts of the commands of backups: the databases that are meant, and errors in one line."""

import signal
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

import psycopg
import typer

from cli.backups import BackupError, DatabaseLocations, record_backup, wait_for
from cli.commands._shell import (
    err,
    home,
    nothing_runs,
    print_error,
    print_warning,
    readable_errors,
    running_stack,
)
from devstack import sample
from devstack.databases import create_database
from devstack.engines import Postgres, Valkey
from devstack.home import Home, HomeError
from devstack.ports import HOST, free_port, listens
from devstack.services import DATABASES
from devstack.settings import BackupSettings, StackSettings
from servicekit.settings import URL_SCHEMES, read
from servicekit.settings_errors import check_url

CatalogUrl = Annotated[
    str | None,
    typer.Option(
        show_default="CATALOG_DATABASE_URL", help="The catalog's database, where not the home's."
    ),
]
AuthUrl = Annotated[
    str | None,
    typer.Option(show_default="AUTH_DATABASE_URL", help="That of the auth service."),
]
ImportsUrl = Annotated[
    str | None,
    typer.Option(show_default="IMPORT_DATABASE_URL", help="That of the import worker."),
]
ValkeyUrl = Annotated[
    str | None,
    typer.Option(show_default="AUTH_VALKEY_URL", help="Valkey; without it its part is left out."),
]
Wait = Annotated[
    float,
    typer.Option(
        "--wait",
        min=0,
        metavar="SECONDS",
        help="Wait so long for each database and for Valkey, should they not respond yet.",
    ),
]
_ENDED_BY_SIGTERM = 143


def folder() -> Path:
    """The folder of backups that SPONSORGRAPH_BACKUP_FOLDER names."""
    return read(StackSettings).backup_folder


def wait_until_reachable(databases: DatabaseLocations, seconds: float) -> None:
    """Wait for databases and Valkey that do not respond yet."""
    if seconds:
        wait_for(databases, seconds, lambda problem: err.print(problem, soft_wrap=True))


def named_valkey(option: str | None) -> str | None:
    """The URL of Valkey: by option, else by variable or its file."""
    return _named(None, None, None, option)[-1]


def valkey_of_running_home() -> str | None:
    """The URL of the Valkey of the home's stack, if that runs and the environment names no other databases."""
    if read(BackupSettings).database_urls:
        return None
    try:
        home, addresses = running_stack()
    except HomeError:
        return None
    return _of_home(home, addresses.postgres, addresses.valkey).valkey


def record(valkey_url: str | None, at: float) -> None:
    """Leave the time of a backup for the metrics; the backup is good without it."""
    if valkey_url is None:
        return
    try:
        record_backup(valkey_url, at)
    except BackupError as error:
        print_warning("The time of the backup is not recorded:", str(error))


@contextmanager
def readable() -> Generator[None]:
    """End the command with the message of an error, and on SIGTERM with what it began tidied up."""
    # By default SIGTERM leaves temporary files behind, and programs of Postgres running.
    before = signal.signal(signal.SIGTERM, _end)
    try:
        with readable_errors():
            yield
    except BackupError as error:
        print_error(str(error))
        raise typer.Exit(1) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(_number: int, _frame: FrameType | None) -> None:
    sys.exit(_ENDED_BY_SIGTERM)


@contextmanager
def locations(*options: str | None, makes_home: bool = False) -> Generator[DatabaseLocations]:
    """The databases that were named, else those of the home, whose engines are started if need be.

    With `makes_home`, a home that is missing is made, with databases that are empty.

    Raises:
        BackupError: Some of the databases were named and others not.
        HomeError: The home has no databases.
    """
    *databases, valkey_url = _named(*options)
    if urls := _all_or_none(databases):
        yield DatabaseLocations(urls, valkey_url)
        return
    local = home()
    addresses = local.addresses()
    if addresses is not None and is_postgres_of(local, addresses.postgres):
        yield _of_home(local, addresses.postgres, addresses.valkey)
        return
    if makes_home:
        local.open()
    elif not local.has_data:
        raise nothing_runs(local)
    with local.locked(), _engines(local, makes_databases=makes_home) as locations:
        yield locations
        if makes_home:
            # Else a later start would add its sample to what was restored.
            local.write_state({**local.state(), "sample": sample.RESTORED})


def _all_or_none(databases: Sequence[str | None]) -> dict[str, str]:
    """Return the URLs of the databases by name, empty if none is named; raise `BackupError` if some are."""
    pairs = zip(DATABASES, databases, strict=True)
    urls = {name: url for name, url in pairs if url is not None}
    if urls and len(urls) < len(DATABASES):
        missing = ", ".join(name for name in DATABASES if name not in urls)
        raise BackupError(f"Name the database of {missing} too, or none of them.")
    return urls


def is_postgres_of(home: Home, address: str) -> bool:
    """Return whether the Postgres at an address has its data in this home.

    A home that was copied records the address of the stack that it was copied from, and its password.
    """
    if not listens(int(address.rpartition(":")[2])):
        return False
    url = f"postgresql://postgres:{home.secrets().postgres_password}@{address}/postgres"
    try:
        with psycopg.connect(url, connect_timeout=5) as connection:
            row = connection.execute("SHOW data_directory").fetchone()
    except psycopg.OperationalError:
        return False
    return row is not None and Path(row[0]).resolve() == (home.path / "postgres").resolve()


def _named(*options: str | None) -> list[str | None]:
    """The URLs of the three databases and of Valkey: by option, else by variable or its file."""
    settings = read(BackupSettings)
    valkey = settings.auth_valkey_url
    variables = (
        *(settings.database_urls.get(name) for name in DATABASES),
        valkey.get_secret_value() or None if valkey else None,
    )
    kinds = (*("database_url" for _ in DATABASES), "valkey_url")
    for option, kind in zip(options, kinds, strict=True):
        if option:
            _check_url(option, kind)
    return [option or variable for option, variable in zip(options, variables, strict=True)]


def _check_url(url: str, kind: str) -> None:
    try:
        check_url(url, URL_SCHEMES[kind])
    except ValueError as error:
        subject = "Valkey" if kind == "valkey_url" else "a database"
        raise BackupError(f"The URL of {subject} is refused, as {error}.") from None


@contextmanager
def _engines(home: Home, *, makes_databases: bool) -> Generator[DatabaseLocations]:
    """The engines of a stack that does not run, for as long as they are needed, with missing databases made if wanted."""
    keys = home.secrets()
    folder = home.path.resolve()
    log = home.logs
    postgres = Postgres(
        folder / "postgres", free_port(), keys.postgres_password, {}, log / "postgres.log"
    )
    valkey = Valkey(free_port(), keys.valkey_password, log / "valkey.log", folder / "valkey")
    try:
        for engine in (postgres, valkey):
            engine.start()
        if makes_databases:
            for name in DATABASES:
                create_database(postgres.url(), name, keys.sql_password)
        yield _of_home(home, f"{HOST}:{postgres.port}", f"{HOST}:{valkey.port}")
    finally:
        for engine in (postgres, valkey):
            engine.stop()


def _of_home(home: Home, postgres: str, valkey: str) -> DatabaseLocations:
    keys = home.secrets()
    server = f"postgresql://postgres:{keys.postgres_password}@{postgres}"
    return DatabaseLocations(
        {name: f"{server}/{name}" for name in DATABASES},
        f"redis://:{keys.valkey_password}@{valkey}/0",
    )
