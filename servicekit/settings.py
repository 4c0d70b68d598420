"""The base of every service's settings: one frozen class a service, read once at the start.

Each setting comes from its variable, or from the file that the variable with `_FILE` after its name
names: secrets are then in no environment, where child processes and crash reports would find them.
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, NoReturn, Self, TypeVar

from pydantic import (
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from servicekit.peer_credentials import PeerCredentials
from servicekit.settings_errors import EXIT_STATUS, check_url, json_problem, sentences
from servicekit.valkey_url import (
    CLUSTER_SCHEMES,
    SENTINEL_SCHEMES,
    parse_cluster_url,
    parse_sentinel_url,
)

_LEAST_TOKEN: Final = 32
_TOKEN: Final = re.compile(r"[\x21-\x2b\x2d-\x7e]+")
URL_SCHEMES: Final[Mapping[str, Sequence[str]]] = {
    "valkey_url": ("redis", "rediss", "unix", *SENTINEL_SCHEMES, *CLUSTER_SCHEMES),
    "database_url": ("postgresql",),
    "database_direct_url": ("postgresql",),
    "read_url": ("postgresql",),
}
"""The schemes of URLs that are not of HTTP."""

LogLevel = Literal["debug", "info", "warning", "error"]
S = TypeVar("S", bound=BaseSettings)


def read(settings_class: type[S]) -> S:
    """Read settings from the environment.

    Raises:
        SettingsError: Some are missing or of a wrong form; a sentence for each, without its value.
    """
    try:
        return settings_class()
    except (ValidationError, SettingsError) as error:
        # Without the cause, which holds the values.
        raise SettingsError(sentences(settings_class, error)) from None


def read_or_exit(settings_class: type[S]) -> S:
    """Read the settings of this process; end it with a sentence for each that is wrong."""
    try:
        return read(settings_class)
    except SettingsError as error:
        exit_with(error)


def exit_with(error: SettingsError) -> NoReturn:
    """End the process because of its settings."""
    sys.stderr.write(f"{error}\n")
    sys.exit(EXIT_STATUS)


class _Environment(EnvSettingsSource):
    """Values out of variables."""

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: Any) -> Any:
        try:
            return super().decode_complex_value(field_name, field, value)
        except ValueError:
            raise json_problem(self.settings_cls, field_name, str(value)) from None


class _Files(PydanticBaseSettingsSource):
    """Values out of files: `CATALOG_DATABASE_URL_FILE=/run/secrets/url`."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        variable = f"{self.config.get('env_prefix', '')}{field_name}".upper()
        path = os.environ.get(f"{variable}_FILE")  # noqa: TID251 - this is where settings are read
        if not path:
            return None, field_name, False
        if variable in os.environ:  # noqa: TID251
            raise SettingsError(f"{variable} and {variable}_FILE are both given: keep one of them.")
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"{variable}_FILE: {path} cannot be read ({error}).") from error
        return text.rstrip("\r\n"), field_name, self.field_is_complex(field)

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: Any) -> Any:
        try:
            return super().decode_complex_value(field_name, field, value)
        except ValueError:
            raise json_problem(self.settings_cls, field_name, str(value)) from None

    def __call__(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, field in self.settings_cls.model_fields.items():
            text, key, is_complex = self.get_field_value(field, name)
            if text is not None:
                found[key] = self.prepare_field_value(name, field, text, is_complex)
        return found


class FileReadingSettings(BaseSettings):
    """Settings that may also come from files; see the top of this module."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Prefer values in code, then the files, then the environment."""
        del env_settings, dotenv_settings, file_secret_settings
        return init_settings, _Files(settings_cls), _Environment(settings_cls)


class ServiceSettings(FileReadingSettings):
    """The settings of every process. Subclasses set `env_prefix` and describe each field."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_nested_delimiter="__")
    at_edge: ClassVar[bool] = False
    """True if clients outside the deployment call this service: their trace headers are ignored."""

    log_level: LogLevel = Field(default="info", description="Lowest level that is logged.")
    log_format: Literal["json", "console"] = Field(
        default="json", description="`json` for machines, `console` for a person at a terminal."
    )
    metrics_port: int | None = Field(
        default=None,
        ge=0,
        le=65535,
        description="Port of a Prometheus `/metrics` endpoint; none when empty (the gateway serves "
        "its own on its HTTP port).",
    )
    metrics_host: str = Field(
        default="0.0.0.0", description="Address that the `/metrics` endpoint binds to."
    )
    otlp_endpoint: str = Field(
        default="",
        description="Collector that traces are sent to by OTLP over gRPC, such as "
        "`http://127.0.0.1:4317`; https for TLS. No traces are made while it is empty.",
    )
    otlp_sample_ratio: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="Share of the traces that begin here and are kept, from 0 to 1. A trace that "
        "another of our services has begun is kept if that one keeps it.",
    )
    drain_seconds: float = Field(
        default=1.0,
        ge=0,
        description="How long after SIGTERM new calls are still served, while load balancers send "
        "callers elsewhere.",
    )
    grpc_tls_folder: str = Field(
        default="",
        description="Folder of `tls.crt`, `tls.key` and `ca.crt`: calls between services then go "
        "by TLS, and both sides have to show a certificate of that authority. All services or none.",
    )
    grpc_token: SecretStr = Field(
        default=SecretStr(""),
        description="Token of the deployment, the same for all services: calls between them bring it, "
        "and others are refused. At least 32 characters; several with commas between them are all "
        "accepted, and the first is sent. May be empty with `grpc_tls_folder` alone.",
    )

    @field_validator("metrics_port", mode="before")
    @classmethod
    def _empty_is_none(cls, setting: object) -> object:
        return None if setting == "" else setting

    @field_validator(
        "base_url", "site_url", "issuer", "resource_url", "otlp_endpoint", "youtube_url",
        "youtube_feed_url", "sponsorblock_url", "valkey_url", "database_url", "database_direct_url", "read_url",
        check_fields=False,
    )  # fmt: skip
    @classmethod
    def _is_url(cls, setting: str, info: ValidationInfo) -> str:
        is_optional = not cls.model_fields[str(info.field_name)].is_required()
        if setting or not is_optional:
            check_url(setting, URL_SCHEMES.get(str(info.field_name), ("https", "http")))
            parse_sentinel_url(setting)
            parse_cluster_url(setting)
        return setting

    @field_validator("grpc_token")
    @classmethod
    def _tokens_are_long(cls, setting: SecretStr) -> SecretStr:
        for token in split_tokens(setting):
            if len(token) < _LEAST_TOKEN or not _TOKEN.fullmatch(token):
                raise ValueError(
                    f"a token has at least {_LEAST_TOKEN} characters, all visible ones of ASCII"
                )
        return setting

    def peer_credentials(self) -> PeerCredentials:
        """Return the credentials of calls between the services.

        Raises:
            SettingsError: Nothing is given that would secure them.
        """
        tokens = split_tokens(self.grpc_token)
        if not tokens and not self.grpc_tls_folder:
            prefix = str(self.model_config.get("env_prefix", ""))
            raise SettingsError(
                f"Nothing tells services from strangers: give {prefix}GRPC_TOKEN, the token that all "
                f"services of this deployment have, or {prefix}GRPC_TLS_FOLDER."
            )
        return PeerCredentials(tokens, self.grpc_tls_folder)


def split_tokens(setting: SecretStr) -> tuple[str, ...]:
    """Return the tokens of a setting, which have commas between them."""
    parts = (part.strip() for part in setting.get_secret_value().split(","))
    return tuple(filter(None, parts))


class HttpServerSettings(ServiceSettings):
    """Settings of a process with an HTTP server."""

    http_request_timeout_seconds: float = Field(
        default=20.0,
        gt=0,
        description="Longest that a request may take from its first byte, or from the begin of its "
        "connection, to its last byte; the connection then ends with 408.",
    )
    http_write_timeout_seconds: float = Field(
        default=60.0,
        gt=0,
        description="Longest that a client may read nothing of a response that waits for it; the connection is then aborted, and counted "
        "by `sponsorgraph_http_unread_responses_total`.",
    )


class GrpcServerSettings(ServiceSettings):
    """Settings of a process with a gRPC server."""

    grpc_host: str = Field(
        default="127.0.0.1", description="Address that the gRPC server binds to."
    )
    grpc_port: int = Field(..., ge=0, le=65535, description="Port of the gRPC server.")
    grpc_reflection: bool = Field(
        default=False, description="Serve gRPC reflection, for grpcurl and the like."
    )
    grpc_max_concurrent_rpcs: int = Field(
        default=512,
        ge=1,
        description="Calls in flight, of callers that may call, above which further ones are refused at once.",
    )
    grpc_max_connection_age_seconds: float = Field(
        default=300.0,
        ge=1,
        description="After this long a caller is asked to connect again; calls under way go on. Callers by `dns:///name` then ask "
        "for the addresses of the name, and so find replicas that were added.",
    )
    grpc_allowed_peers: str = Field(
        default="",
        description="Who may call, by the DNS names in their certificates, comma-separated: "
        "`gateway,cli`. Everyone with a certificate of the authority while it is empty.",
    )
    grpc_health_port: int | None = Field(
        default=None,
        ge=0,
        le=65535,
        description="Port that answers gRPC's health check alone, without TLS, for probes that "
        "have no certificate; none when empty.",
    )
    shutdown_grace_seconds: float = Field(
        default=10.0, ge=0, description="How long calls in flight may take to end after SIGTERM."
    )

    @field_validator("grpc_health_port", mode="before")
    @classmethod
    def _no_health_port(cls, setting: object) -> object:
        return None if setting == "" else setting

    def allowed_peers(self) -> frozenset[str]:
        names = (name.strip() for name in self.grpc_allowed_peers.split(","))
        return frozenset(filter(None, names))

    @model_validator(mode="after")
    def _names_are_proven(self) -> Self:
        if self.grpc_allowed_peers and not self.grpc_tls_folder:
            raise ValueError(
                "grpc_allowed_peers needs grpc_tls_folder, as callers are known by their certificates"
            )
        return self


class DatabaseSettings(ServiceSettings):
    """Settings of a process that owns a Postgres database."""

    plan_cache_mode: ClassVar[str] = "auto"
    """Postgres' parameter of most statements of the service."""

    database_url: str = Field(
        ...,
        description="Postgres of this service: `postgresql://user:password@host:port/name`; with standbys "
        "`postgresql://user:password@/name?host=a,b&port=5432,5432&target_session_attrs=read-write`.",
    )
    database_direct_url: str = Field(
        default="",
        description="Postgres itself, in the same form, where the database's URL leads to PgBouncer in transaction mode: for migrations, "
        "notices of new jobs, and whatever else needs a session. While it is empty, the database's URL is taken for Postgres itself.",
    )
    database_connect_timeout_seconds: int = Field(
        default=2,
        ge=2,
        description="Longest that a connection to one server of the URL may take to open. Of several servers, "
        "the one that answers is found this long, and a second, after it takes writes.",
    )
    database_silence_timeout_seconds: float = Field(
        default=3.0,
        gt=0,
        description="How long what was sent to Postgres may stay without TCP's confirmation before the "
        "connection is given up.",
    )
    database_pool_size: int = Field(
        default=8,
        ge=1,
        description="Open connections; the catalog has as many again for queries.",
    )
    database_statement_timeout_seconds: float = Field(
        default=10.0, gt=0, description="Longest that one statement may run."
    )
    database_wait_seconds: float = Field(
        default=120.0,
        ge=0,
        description="Longest wait at the start, and before migrations, for a database that does not "
        "respond or has no schema yet; then the process ends.",
    )
    migration_lock_wait_seconds: float = Field(
        default=300.0,
        ge=0,
        description="How long `migrate` tries again to get a lock that another transaction has, such as that of "
        "a backup. Each attempt holds others up for a second at most.",
    )

    @property
    def is_pooled(self) -> bool:
        """Return whether a pooler stands before the database, so that no connection is a session."""
        return bool(self.database_direct_url)

    @property
    def session_url(self) -> str:
        """Return the URL for what needs a session."""
        return self.database_direct_url or self.database_url

    @classmethod
    def variable(cls, name: str) -> str:
        """Return the variable of a setting."""
        return f"{cls.model_config.get('env_prefix', '')}{name}".upper()
