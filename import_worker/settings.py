"""Settings of the import worker."""

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from servicekit.settings import DatabaseSettings, GrpcServerSettings


class ImportSettings(GrpcServerSettings, DatabaseSettings):
    """Read from variables that begin with `IMPORT_`."""

    model_config = SettingsConfigDict(env_prefix="IMPORT_")

    grpc_port: int = Field(default=8103, ge=0, le=65535, description="Port of the gRPC face.")
    catalog_target: str = Field(
        default="127.0.0.1:8101", description="gRPC address of the catalog, which findings go to."
    )
    valkey_url: str = Field(
        default="redis://127.0.0.1:6379/0",
        description="Valkey or Redis, in which all workers count YouTube's units together.",
    )
    youtube_api_key: SecretStr = Field(
        default=SecretStr(""),
        description="Key of YouTube's Data API v3. While it is empty, the public feeds are read, "
        "which show the newest videos alone.",
    )
    youtube_url: str = Field(
        default="https://youtube.googleapis.com", description="Where YouTube's API answers."
    )
    youtube_feed_url: str = Field(
        default="https://www.youtube.com", description="Where YouTube's public feeds are."
    )
    youtube_daily_units: int = Field(
        default=10_000, ge=1, description="Units of YouTube's API that may be used a day."
    )
    youtube_timeout_seconds: float = Field(
        default=15.0, gt=0, description="Longest that an answer of YouTube may take."
    )
    concurrency: int = Field(
        default=4, ge=1, description="Imports that one worker process runs at a time."
    )
    max_attempts: int = Field(
        default=8, ge=1, description="Failures in a row after which an import is given up."
    )
    retry_seconds: float = Field(
        default=5.0, gt=0, description="First wait after a failure; it doubles with each."
    )
    retry_max_seconds: float = Field(
        default=900.0, gt=0, description="Longest wait between two attempts."
    )
    refresh_days: int = Field(
        default=7, ge=0, description="Days after which a channel is imported again; 0 for never."
    )
    reread_days: int = Field(
        default=30,
        ge=0,
        description="Days for which a video that was read is not read from YouTube again.",
    )
    stalled_seconds: float = Field(
        default=10.0,
        ge=1,
        description="Silence of a worker after which others take up its jobs. It shows life three "
        "times as often.",
    )
