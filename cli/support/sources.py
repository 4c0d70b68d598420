"""What goes into a support bundle, of a stack on this machine or of services elsewhere."""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from http.client import HTTPConnection, HTTPException
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import psutil
import psycopg

from cli.support.redaction import is_secret_name
from devstack.children import inherited_environment
from devstack.home import Addresses, Home
from devstack.local_services import services_of
from devstack.schemas import known_revisions, revision_of
from devstack.services import DATABASES
from devstack.settings import BackupSettings, RemoteSettings
from servicekit.settings import read

PREFIXES: Final = ("SPONSORGRAPH_", "CATALOG_", "AUTH_", "IMPORT_", "GATEWAY_")
_METRICS_PORTS: Final = {
    "catalog_service": "CATALOG_METRICS_PORT",
    "auth_service": "AUTH_METRICS_PORT",
    "import_worker": "IMPORT_METRICS_PORT",
}
_LOG_BYTES: Final = 2_000_000
_METRICS_SECONDS: Final = 5.0
_METRICS_BYTES: Final = 4_000_000
_LIBRARIES: Final = ("grpcio", "psycopg", "redis", "sqlalchemy", "procrastinate", "stripe")
_SIZES: Final = """
    SELECT n.nspname || '.' || c.relname AS name, pg_total_relation_size(c.oid) AS bytes,
        greatest(c.reltuples, 0)::bigint AS rows
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    ORDER BY 2 DESC LIMIT 100
"""
Environment = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Deployment:
    """Addresses of a deployment, environments by process, and its home if it is on this machine."""

    environments: Mapping[str, Environment]
    database_urls: Mapping[str, str]
    metrics: Mapping[str, str]
    home: Home | None


def local(home: Home, addresses: Addresses) -> Deployment:
    """Return the stack of a home."""
    connection, keys = home.connection(), home.secrets()
    services = services_of(home, addresses, connection.site_url if connection else "")
    # Of the services' own environments the system shows nothing: most are forks of another process.
    inherited = inherited_environment(_environment_of(addresses.supervisor_pid))
    environments = {spec.name: _settings({**inherited, **spec.environment}) for spec in services}
    ports = {name: environments[name].get(setting, "") for name, setting in _METRICS_PORTS.items()}
    metrics = {name: f"127.0.0.1:{port}" for name, port in ports.items() if port.isdecimal()}
    return Deployment(
        environments,
        addresses.database_urls(keys, DATABASES),
        {**metrics, "gateway": addresses.gateway},
        home,
    )


def elsewhere() -> Deployment:
    """Return the services that the environment of the command names."""
    remote, databases = read(RemoteSettings), read(BackupSettings)
    targets = {
        "catalog": remote.catalog_grpc,
        "auth": remote.auth_grpc,
        "imports": remote.imports_grpc,
    }
    metrics = {
        name: f"{_host(target)}:{remote.metrics_port}" for name, target in targets.items() if target
    }
    if remote.gateway:
        metrics["gateway"] = remote.gateway
    own = _settings(dict(os.environ))  # noqa: TID251 - shown as it is, not read
    return Deployment({"command": own}, databases.database_urls, metrics, None)


def known_secrets(deployment: Deployment) -> Sequence[str]:
    """Return the values that are secret wherever they stand: those of settings, files and the home."""
    found: set[str] = set()
    for environ in deployment.environments.values():
        for name, value in environ.items():
            found.update(_secrets_of(name, value))
    for url in deployment.database_urls.values():
        found.update(_secrets_of("", url))
    if deployment.home is not None:
        found.update(asdict(deployment.home.secrets()).values())
        connection = deployment.home.connection()
        if connection is not None:
            found.update((connection.api_key, connection.password))
    return sorted(filter(None, found))


def versions() -> Mapping[str, Any]:
    """Return the versions of the command, of Python and of what matters most beside them."""
    found: dict[str, Any] = {"sponsorgraph": version("sponsorgraph")}
    uname = os.uname()
    found |= {"system": f"{uname.sysname} {uname.release} {uname.machine}", "cpus": os.cpu_count()}
    found["python"] = ".".join(map(str, sys.version_info[:3]))
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def database_facts(name: str, url: str) -> Mapping[str, Any]:
    """Return the schema, the server, the size and the largest tables of a database.

    Raises:
        psycopg.Error: It does not respond.
    """
    with psycopg.connect(url, connect_timeout=3, options="-c statement_timeout=5000") as connection:
        sizes = connection.execute(_SIZES).fetchall()
        row = connection.execute(
            "SELECT version(), pg_database_size(current_database()), "
            "(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database())"
        ).fetchone()
        return {
            "schema": revision_of(connection),
            "schema_of_this_version": known_revisions(name)[-1],
            "server": row and row[0],
            "bytes": row and row[1],
            "connections": row and row[2],
            "tables": [{"name": n, "bytes": size, "rows": rows} for n, size, rows in sizes],
        }


def disk(folders: Iterable[Path]) -> Sequence[Mapping[str, Any]]:
    """Return how full the disks of some folders are."""
    found: list[Mapping[str, Any]] = []
    for folder in folders:
        usage = psutil.disk_usage(str(folder))
        found.append({"folder": str(folder), "bytes": usage.total, "free": usage.free})
    return found


def end_of(log: Path) -> str:
    """Return the end of a log, from the begin of a line on.

    Raises:
        OSError: It cannot be read.
    """
    with log.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _LOG_BYTES))
        text = file.read().decode(errors="replace")
    return text if size <= _LOG_BYTES else text.partition("\n")[2]


def metrics(address: str) -> str:
    """Return the metrics that a process serves.

    Raises:
        OSError, HTTPException: It serves none.
    """
    host, _, port = address.rpartition(":")
    connection = HTTPConnection(host, int(port), timeout=_METRICS_SECONDS)
    try:
        connection.request("GET", "/metrics")
        response = connection.getresponse()
        if response.status != 200:
            raise HTTPException(f"status {response.status}")
        return response.read(_METRICS_BYTES).decode(errors="replace")
    finally:
        connection.close()


def _settings(environ: Environment) -> Environment:
    return {name: environ[name] for name in sorted(environ) if name.startswith(PREFIXES)}


def _environment_of(pid: int) -> Environment:
    try:
        return psutil.Process(pid).environ()
    except (psutil.Error, OSError):
        return {}


def _host(target: str) -> str:
    return target.rpartition("/")[2].rpartition(":")[0]


def _secrets_of(name: str, value: str) -> Sequence[str]:
    found: list[str] = []
    if name.endswith("_FILE") and is_secret_name(name.removesuffix("_FILE")):
        found += _file_secrets(Path(value))
    elif is_secret_name(name):
        found += [value, *value.split(",")]
    if "://" in value:
        found += filter(None, [_password_of(value)])
    return [item.strip() for item in found]


def _file_secrets(path: Path) -> Sequence[str]:
    try:
        content = path.read_text().strip()
    except (OSError, ValueError):
        return []
    return [content, *content.split(","), *filter(None, [_password_of(content)])]


def _password_of(url: str) -> str | None:
    try:
        return urlsplit(url).password
    except ValueError:
        return None
