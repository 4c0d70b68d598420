"""Settings of the stack on one machine, and of the command where stack or databases are elsewhere."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from devstack.home import DEFAULT
from servicekit.database_url import without_statement_timeout
from servicekit.peer_credentials import PeerCredentials
from servicekit.settings import URL_SCHEMES, FileReadingSettings, split_tokens
from servicekit.settings_errors import check_url


class StackSettings(BaseSettings):
    """Read from variables that begin with `SPONSORGRAPH_`."""

    model_config = SettingsConfigDict(env_prefix="SPONSORGRAPH_", frozen=True, extra="ignore")

    home: Path = Field(
        default=Path(DEFAULT), description="Folder of data, secrets, logs and `connection.json`."
    )
    port: int = Field(
        default=8000, ge=0, le=65535, description="Port of the gateway; 0 takes a free one."
    )
    site_port: int = Field(
        default=8001, ge=0, le=65535, description="Port of the site; 0 takes a free one."
    )

    @field_validator("home", mode="before")
    @classmethod
    def _empty_is_default(cls, setting: object) -> object:
        return setting or DEFAULT  # a line left blank in a file of variables

    backup_folder: Path = Field(
        default=Path(),
        description="Folder that `backup` writes to and `restore` reads from, where they are given no path.",
    )
    mutual_tls: bool = Field(
        default=False,
        description="Calls between the services go by TLS, with certificates that each start makes "
        "anew; for trying out what servers have.",
    )


class RemoteSettings(FileReadingSettings):
    """The addresses of services that this machine's own stack does not run."""

    model_config = SettingsConfigDict(env_prefix="SPONSORGRAPH_", frozen=True, extra="ignore")

    catalog_grpc: str = Field(
        default="", description="gRPC target of the catalog service, for `catalog load`."
    )
    imports_grpc: str = Field(
        default="", description="gRPC target of the import worker, for `import` and `detect rerun`."
    )
    auth_grpc: str = Field(
        default="", description="gRPC target of the auth service, for `account`, `key`, `issuer`."
    )
    gateway: str = Field(
        default="", description="Host and port of a gateway, for `status` and `doctor`."
    )
    metrics_port: int = Field(
        default=9090,
        ge=1,
        le=65535,
        description="Port of the metrics of those services but the gateway, for `support-bundle`.",
    )
    operator_token: SecretStr = Field(
        default=SecretStr(""), description="The services' `*_OPERATOR_TOKEN`, for operators' calls."
    )
    operator_name: str = Field(
        default="",
        description="Name of the operator in the audit log; without it, the user and the machine.",
    )
    base_url: str = Field(
        default="",
        description="Public origin, from which `demo` prints the URL, and which `connect`, `login` and `call` use.",
    )
    api_key: SecretStr = Field(
        default=SecretStr(""),
        description="API key for `call` and `tools`, and for `connect claude-desktop --key`.",
    )
    grpc_tls_folder: str = Field(
        default="",
        description="Folder of `tls.crt`, `tls.key` and `ca.crt`, where the services ask callers "
        "for certificates.",
    )
    grpc_token: SecretStr = Field(
        default=SecretStr(""),
        description="Token of the deployment, as the services have it in `*_GRPC_TOKEN`.",
    )

    def credentials(self) -> PeerCredentials:
        """Return the credentials that the command presents to those services."""
        return PeerCredentials(split_tokens(self.grpc_token), self.grpc_tls_folder)


class BackupSettings(FileReadingSettings):
    """The databases of `backup` and `restore` that are not the home's, from the services' own variables."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore")

    catalog_database_url: SecretStr | None = Field(
        default=None, description="URL of the catalog service's database."
    )
    catalog_database_direct_url: SecretStr | None = Field(
        default=None,
        description="URL of its Postgres itself, where the other one leads to PgBouncer.",
    )
    auth_database_url: SecretStr | None = Field(
        default=None, description="URL of the auth service's database."
    )
    auth_database_direct_url: SecretStr | None = Field(
        default=None,
        description="URL of its Postgres itself, where the other one leads to PgBouncer.",
    )
    import_database_url: SecretStr | None = Field(
        default=None, description="URL of the import worker's database."
    )
    import_database_direct_url: SecretStr | None = Field(
        default=None,
        description="URL of its Postgres itself, where the other one leads to PgBouncer.",
    )
    auth_valkey_url: SecretStr | None = Field(
        default=None,
        description="URL of Valkey; without it, what the usage ledger does not have yet is left out.",
    )

    @field_validator(
        "catalog_database_url", "catalog_database_direct_url", "auth_database_url", "auth_database_direct_url",
        "import_database_url", "import_database_direct_url", "auth_valkey_url",
    )  # fmt: skip
    @classmethod
    def _is_url(cls, setting: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        if setting and setting.get_secret_value():
            name = str(info.field_name)
            kind = "valkey_url" if name.endswith("valkey_url") else "database_url"
            check_url(setting.get_secret_value(), URL_SCHEMES[kind])
        return setting

    @property
    def database_urls(self) -> Mapping[str, str]:
        """The URLs of Postgres itself that are set, by the name of the database."""
        pairs = {
            "catalog": (self.catalog_database_url, self.catalog_database_direct_url),
            "auth": (self.auth_database_url, self.auth_database_direct_url),
            "imports": (self.import_database_url, self.import_database_direct_url),
        }
        urls = {name: _session_url(*pair) for name, pair in pairs.items()}
        return {name: url for name, url in urls.items() if url}


def _session_url(url: SecretStr | None, direct_url: SecretStr | None) -> str:
    """Return the URL for a tool, whose statements may take long: behind a pooler the role has a limit of its own."""
    direct = direct_url.get_secret_value() if direct_url else ""
    if direct:
        return without_statement_timeout(direct)
    return url.get_secret_value() if url else ""
