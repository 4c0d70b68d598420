"""Settings of the stack on one machine."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from local_stack.home import DEFAULT


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
