"""Folders in which programs have their settings, by operating system."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine, and the variables by which a program's folder is moved.

    Attributes:
        platform: As `sys.platform` has it.
        home: The folder of the person.
    """

    platform: str
    home: Path
    claude_config_dir: Path | None = None
    codex_home: Path | None = None
    gemini_cli_home: Path | None = None
    xdg_config_home: Path | None = None
    appdata: Path | None = None

    @property
    def xdg(self) -> Path:
        """The folder of the XDG Base Directory Specification, which some programs use everywhere."""
        return self.xdg_config_home or self.home / ".config"

    @property
    def application_data(self) -> Path:
        """The folder of settings of desktop programs (Electron's `appData`)."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return self.appdata or self.home / "AppData" / "Roaming"
        return self.xdg
