"""The services of a deployment elsewhere, as the command's settings name them: which of them work."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg

from cli.backups.folder import backups_in
from devstack.clients.health import grpc_is_serving
from devstack.clients.readiness import gateway_readiness
from devstack.schemas import known_revisions, revision_of
from devstack.settings import BackupSettings, RemoteSettings, StackSettings
from servicekit.settings import read

_BACKUP_HOURS: Final = 26


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a deployment: whether it works, and what is known of it."""

    name: str
    works: bool
    detail: str


def is_named() -> bool:
    """Return whether the environment names services elsewhere."""
    remote = read(RemoteSettings)
    return bool(remote.gateway or remote.auth_grpc or remote.catalog_grpc or remote.imports_grpc)


def services() -> list[Part]:
    """Return the services that the environment names, and what the gateway says of its own parts."""
    remote = read(RemoteSettings)
    credentials = remote.credentials()
    targets = {
        "catalog": remote.catalog_grpc,
        "auth": remote.auth_grpc,
        "imports": remote.imports_grpc,
    }
    parts = [
        Part(name, grpc_is_serving(target, credentials), target)
        for name, target in targets.items()
        if target
    ]
    if remote.gateway:
        parts.append(_gateway(remote.gateway))
    return parts


def databases() -> list[Part]:
    """Return the databases that the environment names, with their schemas."""
    return [_database(name, url) for name, url in read(BackupSettings).database_urls.items()]


def newest_backup() -> list[Part]:
    """Return the newest backup of the folder, where the environment names one."""
    folder = read(StackSettings).backup_folder
    if folder == Path():
        return []
    found = backups_in(folder)
    if not found:
        return [Part("newest backup", works=False, detail="there is none")]
    hours = (time.time() - found[-1].stat().st_mtime) / 3600
    detail = f"{found[-1].name} is {hours:.0f} hours old"
    return [Part("newest backup", hours < _BACKUP_HOURS, detail)]


def _gateway(address: str) -> Part:
    readiness = gateway_readiness(address)
    if readiness is None:
        return Part("gateway", works=False, detail=f"{address} does not respond")
    status = readiness["parts"].get("status", "")
    parts: Mapping[str, object] = readiness["parts"].get("parts", {})
    reasons: Mapping[str, object] = readiness["parts"].get("reasons", {})
    ill = ", ".join(
        f"{name}: {reasons.get(name, state)}" for name, state in parts.items() if state != "ok"
    )
    return Part("gateway", readiness["ready"], f"{address} is {status}{f' ({ill})' if ill else ''}")


def _database(name: str, url: str) -> Part:
    subject = f"database {name}"
    try:
        with psycopg.connect(url, connect_timeout=3) as connection:
            revision = revision_of(connection)
    except psycopg.OperationalError as error:
        reason = str(error).partition("\n")[0]
        return Part(subject, works=False, detail=f"does not respond: {reason}")
    newest = known_revisions(name)[-1]
    detail = f"has schema {revision}; this version makes {newest}"
    return Part(subject, works=revision is not None and revision >= newest, detail=detail)
