"""The four services as processes of this machine: what each is started with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from devstack.engines import Postgres, Valkey
from devstack.home import Addresses, Secrets
from devstack.peers import CALLERS
from devstack.ports import HOST

DATABASES = ("catalog", "auth", "imports")
SQL_ROLE: Final = "catalog_sql"
"""The role of callers' SQL."""


@dataclass(frozen=True, slots=True)
class ServiceSpec:
    """One process of a service.

    Attributes:
        name: Of the process.
        module: That is run.
        environment: Its settings.
        database: That it brings up to date; "" if that is not its task.
        command: What it is started with beside its module.
    """

    name: str
    module: str
    environment: Mapping[str, str]
    database: str = ""
    command: tuple[str, ...] = ()


def specs(
    addresses: Addresses,
    secrets: Secrets,
    postgres: Postgres,
    valkey: Valkey,
    site_url: str,
    mail_folder: str,
) -> tuple[ServiceSpec, ...]:
    """Return the services, those first that others need."""
    gateway_port = addresses.gateway.rpartition(":")[2]
    return (
        ServiceSpec(
            "catalog_service",
            "catalog_service",
            {
                "CATALOG_GRPC_PORT": _port(addresses.catalog_grpc),
                "CATALOG_DATABASE_URL": postgres.url("catalog"),
                "CATALOG_SQL_URL": postgres.url("catalog").replace(
                    f"postgres:{postgres.password}", f"{SQL_ROLE}:{secrets.sql_password}", 1
                ),
                "CATALOG_CURSOR_SECRET": secrets.cursor_secret,
                "CATALOG_VALKEY_URL": valkey.url(),
                "CATALOG_OPERATOR_TOKEN": secrets.operator_token,
                **_peers(addresses, secrets, "CATALOG", "catalog"),
            },
            database="catalog",
        ),
        ServiceSpec(
            "auth_service",
            "auth_service",
            {
                "AUTH_GRPC_PORT": _port(addresses.auth_grpc),
                "AUTH_DATABASE_URL": postgres.url("auth"),
                "AUTH_VALKEY_URL": valkey.url(),
                "AUTH_SITE_URL": site_url,
                "AUTH_HTTP_PORT": _port(site_url),
                "AUTH_RESOURCE_URL": f"http://{addresses.gateway}/mcp",
                "AUTH_TOKEN_SECRET": secrets.token_secret,
                "AUTH_MAIL_FOLDER": mail_folder,
                "AUTH_OPERATOR_TOKEN": secrets.operator_token,
                "AUTH_IMPORTS_TARGET": addresses.imports_grpc,
                "AUTH_CATALOG_TARGET": addresses.catalog_grpc,
                "AUTH_GATEWAY_URL": f"http://{addresses.gateway}/mcp",
                "AUTH_ALERT_NETWORKS": '["127.0.0.0/8"]',
                **_peers(addresses, secrets, "AUTH", "auth"),
            },
            database="auth",
        ),
        ServiceSpec(
            "import_worker",
            "import_worker",
            {
                "IMPORT_GRPC_PORT": _port(addresses.imports_grpc),
                "IMPORT_DATABASE_URL": postgres.url("imports"),
                "IMPORT_CATALOG_TARGET": addresses.catalog_grpc,
                "IMPORT_VALKEY_URL": valkey.url(),
                "IMPORT_OPERATOR_TOKEN": secrets.operator_token,
                # It calls the catalogue as the workers of larger installations do, by whose name it is known there.
                **_peers(addresses, secrets, "IMPORT", "imports", certificate="imports-work"),
            },
            database="imports",
            command=("serve-and-work",),
        ),
        ServiceSpec(
            "gateway",
            "gateway",
            {
                "GATEWAY_HOST": HOST,
                "GATEWAY_PORT": gateway_port,
                "GATEWAY_INSTANCE": "gateway",  # the only one, whatever its port is
                "GATEWAY_BASE_URL": f"http://{addresses.gateway}",
                "GATEWAY_SITE_URL": site_url,
                "GATEWAY_ISSUER": site_url,
                "GATEWAY_SESSION_SECRET": secrets.session_secret,
                "GATEWAY_CATALOG_TARGET": addresses.catalog_grpc,
                "GATEWAY_AUTH_TARGET": addresses.auth_grpc,
                "GATEWAY_IMPORTS_TARGET": addresses.imports_grpc,
                "GATEWAY_VALKEY_URL": valkey.url(),
                **_peers(addresses, secrets, "GATEWAY", "gateway"),
            },
        ),
    )


def _peers(
    addresses: Addresses, secrets: Secrets, prefix: str, process: str, certificate: str = ""
) -> Mapping[str, str]:
    """Return the settings of what a process shows to others, its own certificate unless told, and of who may call it."""
    settings = {f"{prefix}_GRPC_TOKEN": secrets.grpc_token}
    if not addresses.certificates:
        return settings
    settings[f"{prefix}_GRPC_TLS_FOLDER"] = addresses.tls_folder(certificate or process)
    if process in CALLERS:
        settings[f"{prefix}_GRPC_ALLOWED_PEERS"] = ",".join(CALLERS[process])
    return settings


def _port(address: str) -> str:
    return address.rpartition(":")[2]
