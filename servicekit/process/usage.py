"""How a process is used, on its command line."""

import sys
from typing import Final

from pydantic_settings import SettingsError

from servicekit.settings import ServiceSettings, exit_with

CHECK_SETTINGS: Final = "check-settings"
"""The argument by which a service reads its settings and ends."""


def exit_with_help(usage: str | None) -> None:
    """Print how the process is used and end it, if its arguments have `--help` or `-h`; this needs no settings."""
    if not {"-h", "--help"}.isdisjoint(sys.argv[1:]):
        sys.stdout.write(f"{usage or ''}\n")
        sys.exit(0)


def exit_if_checked(settings: ServiceSettings) -> None:
    """End the process if it was to read its settings only: with 0, or as at a start where they secure no calls between services."""
    if sys.argv[1:] == [CHECK_SETTINGS]:
        try:
            settings.peer_credentials()
        except SettingsError as error:
            exit_with(error)
        sys.exit(0)
