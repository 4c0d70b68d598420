"""The base of every service's settings: one frozen class a service, read once at the start."""

from typing import ClassVar, Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

LogLevel = Literal["debug", "info", "warning", "error"]


class ServiceSettings(BaseSettings):
    """What every process has. Subclasses set `env_prefix` and describe each field."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_nested_delimiter="__")
    at_edge: ClassVar[bool] = False
    """Whether strangers call this service, whose word on traces is not taken."""

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
