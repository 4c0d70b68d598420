"""`sponsorgraph support-bundle`: what a stack is and does, in one archive without secrets."""

import functools
import json
import time
from collections.abc import Callable, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Annotated, Any, Final

import psycopg
import typer
from rich.table import Table

from cli import remote
from cli.commands._shell import known_stack, out, print_error, print_table, readable_errors
from cli.commands.doctor import all_findings, without_remedy_if_fine
from cli.commands.status import current_state
from cli.support import sources
from cli.support.bundle import Bundle
from cli.text import one_line
from devstack.home import Home, HomeError
from devstack.settings import StackSettings
from servicekit.errors import ServiceError
from servicekit.settings import read

_NO_LOGS: Final = (
    "logs of services elsewhere are not within reach: add `docker compose logs` or `kubectl logs`"
)
_METRICS_PORTS: Final = {
    "catalog_service": "CATALOG_METRICS_PORT",
    "auth_service": "AUTH_METRICS_PORT",
    "import_worker": "IMPORT_METRICS_PORT",
}


def support_bundle(
    path: Annotated[
        Path | None,
        typer.Argument(
            help="Archive to write; left out, sponsorgraph-support-TIME.tar.gz here.",
            show_default=False,
        ),
    ] = None,
    *,
    lines: Annotated[
        int, typer.Option(min=1, max=10_000, help="Lines of each log, from its end.")
    ] = 1_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write an archive for whoever helps: versions, settings, logs, state, metrics, schemas, sizes.

    Secrets and e-mail addresses are taken out by name, shape and value; the list that is printed, also
    in the archive as contents.json, says how many. Read it before you hand it on. The command ends with
    1 when something could not be gathered; what could is in the archive.
    """
    with readable_errors():
        target = path or Path(f"sponsorgraph-support-{time.strftime('%Y%m%d-%H%M%S')}.tar.gz")
        deployment = sources.elsewhere() if remote.is_named() else sources.local(*known_stack())
        bundle = Bundle(sources.known_secrets(deployment))
        _gather(bundle, deployment, lines)
        bundle.write(target)
        if as_json:
            typer.echo(json.dumps({"archive": str(target), **bundle.contents()}, indent=2))
        else:
            _print(bundle, target)
    if bundle.missing:
        raise typer.Exit(1)


def _gather(bundle: Bundle, deployment: sources.Deployment, lines: int) -> None:
    """Add all that can be had; what cannot is named with its reason."""
    home = deployment.home
    _try(bundle, "versions.json", sources.versions)
    _try(bundle, "settings.json", lambda: deployment.environments)
    _try(bundle, "status.json", current_state)
    _try(bundle, "doctor.json", lambda: [without_remedy_if_fine(f) for f in all_findings()])
    _try(bundle, "disk.json", lambda: sources.disk(_folders(home)))
    for name, url in deployment.database_urls.items():
        _try(bundle, f"databases/{name}.json", functools.partial(sources.database_facts, name, url))
    for name, address in deployment.metrics.items():
        _try_text(bundle, f"metrics/{name}.txt", functools.partial(sources.metrics, address))
    if home is None:
        bundle.leave_out("logs", _NO_LOGS)
    else:
        _leave_out_metrics(bundle, deployment)
        for log in sorted(home.logs.glob("*.log")):
            _try_text(bundle, f"logs/{log.name}", functools.partial(sources.end_of, log), lines)


def _folders(home: Home | None) -> Sequence[Path]:
    named = [read(StackSettings).backup_folder, *([home.path] if home else ())]
    return [Path("/"), *(folder for folder in named if folder != Path() and folder.exists())]


def _leave_out_metrics(bundle: Bundle, deployment: sources.Deployment) -> None:
    for name, variable in _METRICS_PORTS.items():
        if name not in deployment.metrics:
            bundle.leave_out(f"metrics/{name}.txt", f"it serves none: {variable} is not set")


def _try(bundle: Bundle, name: str, gather: Callable[[], Any]) -> None:
    try:
        bundle.add_json(name, gather())
    except (OSError, HomeError, ServiceError, psycopg.Error, LookupError, ValueError) as error:
        bundle.miss(name, _reason(error))


def _try_text(bundle: Bundle, name: str, gather: Callable[[], str], lines: int = 100_000) -> None:
    try:
        bundle.add_log(name, gather(), lines)
    except (OSError, HTTPException) as error:
        bundle.miss(name, _reason(error))


def _reason(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


def _print(bundle: Bundle, target: Path) -> None:
    table = Table("file", "bytes", "taken out")
    for file in bundle.files:
        taken = ", ".join(
            f"{number:,} × {kind}" for kind, number in sorted(file.redactions.items())
        )
        size = f"{file.bytes:,}{' (its end)' if file.is_cut else ''}"
        table.add_row(file.name, size, taken or "nothing")
    print_table(table)
    for item in bundle.left_out:
        out.print(one_line(f"{item.name} is left out: {item.reason}."), soft_wrap=True)
    for item in bundle.missing:
        print_error(f"{item.name} is missing: {item.reason}")
    out.print(f"{target} is readable by you alone. Read it before you hand it on.", soft_wrap=True)
