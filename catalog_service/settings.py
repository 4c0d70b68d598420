"""Settings of the catalog service."""

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from servicekit.settings import DatabaseSettings, GrpcServerSettings


class CatalogSettings(DatabaseSettings, GrpcServerSettings):
    """Read from variables that begin with `CATALOG_`."""

    model_config = SettingsConfigDict(env_prefix="CATALOG_")

    grpc_port: int = Field(default=8101, ge=0, le=65535, description="Port of the gRPC face.")
    valkey_url: str = Field(
        default="",
        description="Valkey or Redis of the gateways, who are told there of each change, so that "
        "they may keep answers. While it is empty they keep none.",
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
