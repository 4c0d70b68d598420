"""Variables of AI clients, and of the machine, that say where a client has its files."""

import sys
from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from cli.agents.locations import Machine


class ClientFolderSettings(BaseSettings):
    """The clients' own variables."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_ignore_empty=True)

    claude_config_dir: Path | None = Field(
        default=None, description="Claude Code's folder; without it, `~/.claude`."
    )
    codex_home: Path | None = Field(
        default=None, description="Codex's folder; without it, `~/.codex`."
    )
    gemini_cli_home: Path | None = Field(
        default=None, description="The home that Gemini CLI has its folder `.gemini` in."
    )
    xdg_config_home: Path | None = Field(
        default=None, description="Folder of settings on Linux; without it, `~/.config`."
    )
    appdata: Path | None = Field(
        default=None, description="Folder of settings on Windows, which sets it itself."
    )

    def machine(self) -> Machine:
        """Return where this machine has the clients' files."""
        return Machine(
            sys.platform,
            Path.home(),
            claude_config_dir=self.claude_config_dir,
            codex_home=self.codex_home,
            gemini_cli_home=self.gemini_cli_home,
            xdg_config_home=self.xdg_config_home,
            appdata=self.appdata,
        )
