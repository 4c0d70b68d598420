"""Settings of the catalog service."""

from typing import ClassVar

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from servicekit.settings import DatabaseSettings, GrpcServerSettings


class CatalogSettings(DatabaseSettings, GrpcServerSettings):
    """Read from variables that begin with `CATALOG_`."""

    model_config = SettingsConfigDict(env_prefix="CATALOG_")
    # Making a plan costs more than most questions run.
    plan_cache_mode: ClassVar[str] = "force_generic_plan"

    grpc_port: int = Field(default=8101, ge=0, le=65535, description="Port of the gRPC server.")
    read_url: str = Field(
        default="",
        description="Standbys of the catalogue's Postgres that answer questions, the nearest first: "
        "`postgresql://user:password@/name?host=a,b&port=5432,5432`. What writes, and questions about lists, go to "
        "`CATALOG_DATABASE_URL`; so do all others while no standby is close. While it is empty, everything does.",
    )
    read_max_lag_seconds: float = Field(
        default=10.0,
        gt=0,
        description="How long a standby may lack the newest version of the catalogue and still be asked.",
    )
    valkey_url: str = Field(
        default="",
        description="Valkey or Redis of the gateways. The catalogue's version is published there, so "
        "that they may cache results. While it is empty they cache none.",
    )
    cursor_secret: SecretStr = Field(
        ...,
        min_length=16,
        description="Signs the cursors of lists; the same in every replica. When it changes, lists "
        "that are being paged through start again.",
    )
    operator_token: SecretStr = Field(
        default=SecretStr(""),
        description="Secret that the `sponsorgraph` command sends with operators' calls. While it "
        "is empty, those calls are refused.",
    )
    sql_url: SecretStr = Field(
        default=SecretStr(""),
        description="Postgres for callers' SQL (`catalog.query`), with a role that has no rights of its own; the service lets it "
        "read the dataset. It may be a read replica's. While it is empty, SQL is not offered.",
    )
    sql_seconds: float = Field(
        default=5.0, gt=0, le=60, description="Longest that one statement of callers' SQL runs."
    )
    sql_max_cost: float = Field(
        default=1_000_000.0,
        gt=0,
        description="Largest cost, by Postgres' planner, of callers' SQL that is run.",
    )
    sql_connections: int = Field(
        default=1,
        ge=1,
        le=64,
        description="Statements of callers' SQL that run at once; further ones wait.",
    )
