"""Settings of the import worker."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from servicekit.settings import GrpcServerSettings


class ImportSettings(GrpcServerSettings):
    """Read from variables that begin with `IMPORT_`."""

    model_config = SettingsConfigDict(env_prefix="IMPORT_")

    grpc_port: int = Field(default=8103, ge=0, le=65535, description="Port of the gRPC face.")
