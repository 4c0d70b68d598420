"""The base of every service's settings: one frozen class a service, read once at the start."""

from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

LogLevel = Literal["debug", "info", "warning", "error"]


class ServiceSettings(BaseSettings):
    """What every process has. Subclasses set `env_prefix` and describe each field."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_nested_delimiter="__")

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


class GrpcServerSettings(ServiceSettings):
    """Settings of a process with a gRPC face."""

    grpc_host: str = Field(default="127.0.0.1", description="Address that the gRPC face binds to.")
    grpc_port: int = Field(..., ge=0, le=65535, description="Port of the gRPC face.")
    grpc_reflection: bool = Field(
        default=False, description="Serve gRPC reflection, for grpcurl and the like."
    )
    grpc_max_concurrent_rpcs: int = Field(
        default=512,
        ge=1,
        description="Calls in flight above which further ones are refused at once.",
    )
    shutdown_grace_seconds: float = Field(
        default=10.0, ge=0, description="How long calls in flight may take to end after SIGTERM."
    )


class DatabaseSettings(ServiceSettings):
    """Settings of a process that owns a Postgres database."""

    database_url: str = Field(
        ..., description="Postgres of this service: `postgresql://user:password@host:port/name`."
    )
    database_pool_size: int = Field(default=8, ge=1, description="Connections kept open.")
    database_statement_timeout_seconds: float = Field(
        default=10.0, gt=0, description="Longest that one statement may run."
    )
