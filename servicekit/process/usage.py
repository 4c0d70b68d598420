"""How a process is used, on its command line."""

import sys
from typing import Final, NoReturn

from pydantic_settings import SettingsError

from servicekit.settings import ServiceSettings, exit_with
from servicekit.unknown_settings import unknown_settings

CHECK_SETTINGS: Final = "check-settings"
"""The argument by which a service reads its settings and ends."""


def exit_with_usage(usage: str | None) -> None:
    """Print how the process is used and end it, if its arguments have `--help` or `-h`, or more than `check-settings`.

    This needs no settings.
    """
    arguments = sys.argv[1:]
    if not {"-h", "--help"}.isdisjoint(arguments):
        sys.stdout.write(f"{usage or ''}\n")
        sys.exit(0)
    if arguments[:1] == [CHECK_SETTINGS] and arguments != [CHECK_SETTINGS]:
        refuse(usage)


def refuse(usage: str | None) -> NoReturn:
    """End a process whose arguments are wrong with a line on how it is used."""
    sys.stderr.write(f"{usage or ''}\n")
    sys.exit(2)


def exit_if_checked(settings: ServiceSettings) -> None:
    """End the process if it was to read its settings only: with 0, or as at a start where they secure no calls between services.

    Variables that look like settings and are none are printed, a sentence each.
    """
    if sys.argv[1:2] == [CHECK_SETTINGS]:
        try:
            settings.peer_credentials()
        except SettingsError as error:
            exit_with(error)
        sys.stdout.writelines(f"{sentence}\n" for sentence in unknown_settings(type(settings)))
        sys.exit(0)
