"""Errors of configuration files that other programs own."""

from pathlib import Path


class ConfigurationError(Exception):
    """A client's configuration cannot be read or changed; the message says why and what to do."""


class UnreadableTextError(ValueError):
    """A text is not of its format.

    Attributes:
        line: Where, from 1.
        column: Where in the line, from 1.
    """

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(reason)
        self.reason, self.line, self.column = reason, line, column

    def within(self, path: Path) -> ConfigurationError:
        """Return the error as it is told to the owner of the file."""
        return ConfigurationError(
            f"{path}, line {self.line}, column {self.column}: {self.reason}. "
            "The file is left as it is: mend it and try again."
        )
