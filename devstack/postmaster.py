"""The server that runs on a data folder of Postgres, whoever started it."""

from pathlib import Path


def running_server(data: Path) -> int | None:
    """Return the process id of the server that runs on `data`, as far as this can be seen.

    `postmaster.pid` may be left over, and its number be that of any other process by now. So the process
    has to have been started as Postgres on this folder. Without `/proc` none is found; the new server
    then refuses to start by itself.
    """
    try:
        pid = int((data / "postmaster.pid").read_text().partition("\n")[0])
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    except (OSError, ValueError):
        return None
    is_server = Path(arguments[0]).name == "postgres" and str(data) in arguments
    return pid if is_server else None
