"""`sponsorgraph backup` and `sponsorgraph restore`."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.status import Status

from cli.backups import BackupError, DatabaseLocations, Manifest, make_backup, restore_backup
from cli.commands._shell import err, out, readable_errors, running_stack
from devstack.engines import Postgres, Valkey
from devstack.home import Home, HomeError
from devstack.ports import HOST, free_port, listens
from devstack.services import DATABASES
from devstack.settings import BackupSettings

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


def backup(
    file: Annotated[Path, typer.Argument(dir_okay=False, help="Where the backup is written to.")],
    *,
    catalog_url: CatalogUrl = None,
    auth_url: AuthUrl = None,
    imports_url: ImportsUrl = None,
    valkey_url: ValkeyUrl = None,
) -> None:
    """Back up all databases into one file, while everything runs or when it is stopped.

    Secrets are not in it: keep `secrets.json`, or what your services get theirs from, elsewhere.
    """
    urls = (catalog_url, auth_url, imports_url, valkey_url)
    with _readable(), _locations(*urls) as locations, Status("", console=err) as status:
        manifest = make_backup(locations, file, status.update)
    _report(f"{file} has {file.stat().st_size / 1e6:.1f} MB", manifest)


def restore(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A backup.")],
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
    catalog_url: CatalogUrl = None,
    auth_url: AuthUrl = None,
    imports_url: ImportsUrl = None,
    valkey_url: ValkeyUrl = None,
) -> None:
    """Restore a backup and bring it up to date. The services have to be stopped."""
    urls = (catalog_url, auth_url, imports_url, valkey_url)
    with _readable(), _locations(*urls) as locations, Status("", console=err) as status:
        manifest = restore_backup(file, locations, status.update, force=force)
    _report(f"{file} is restored", manifest)
    out.print("Counters of the month are rebuilt from the usage ledger as accounts call.")


def _report(action: str, manifest: Manifest) -> None:
    schemas = ", ".join(f"{name} {part.revision}" for name, part in manifest.databases.items())
    out.print(f"{action}: Sponsorgraph {manifest.version} of {manifest.created_at} ({schemas}).")


@contextmanager
def _readable() -> Generator[None]:
    with readable_errors():
        try:
            yield
        except BackupError as error:
            err.print(f"[red]Error:[/red] {error}", soft_wrap=True)
            raise typer.Exit(1) from None


@contextmanager
def _locations(*options: str | None) -> Generator[DatabaseLocations]:
    """The databases that were named, else those of the home, whose engines are started if need be.

    Raises:
        BackupError: Some of the databases were named and others not.
    """
    *databases, valkey_url = _named(*options)
    pairs = zip(DATABASES, databases, strict=True)
    urls = {name: url for name, url in pairs if url is not None}
    if len(urls) == len(DATABASES):
        yield DatabaseLocations(urls, valkey_url)
        return
    if urls:
        missing = ", ".join(name for name in DATABASES if name not in urls)
        raise BackupError(f"Name the database of {missing} too, or none of them.")
    home, addresses = running_stack()
    if listens(int(addresses.postgres.rpartition(":")[2])):
        yield _of_home(home, addresses.postgres, addresses.valkey)
        return
    with home.locked(), _engines(home) as locations:
        yield locations


def _named(*options: str | None) -> list[str | None]:
    """The URLs of the three databases and of Valkey: by option, else by variable or its file."""
    settings = BackupSettings()
    variables = (
        settings.catalog_database_url,
        settings.auth_database_url,
        settings.import_database_url,
        settings.auth_valkey_url,
    )
    return [
        option or (secret.get_secret_value() or None if secret else None)
        for option, secret in zip(options, variables, strict=True)
    ]


@contextmanager
def _engines(home: Home) -> Generator[DatabaseLocations]:
    """The engines of a stack that does not run, for as long as they are needed."""
    keys = home.secrets()
    folder = home.path.resolve()
    if not (folder / "postgres" / "PG_VERSION").exists():
        raise HomeError(f"There are no data at {home.path}. Start a stack once with `make run`.")
    log = home.logs
    postgres = Postgres(
        folder / "postgres", free_port(), keys.postgres_password, {}, log / "postgres.log"
    )
    valkey = Valkey(free_port(), keys.valkey_password, log / "valkey.log", folder / "valkey")
    try:
        for engine in (postgres, valkey):
            engine.start()
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
