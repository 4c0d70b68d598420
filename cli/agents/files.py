"""Files that others own: read as they are, copied before a change, replaced at once."""

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cli.agents.errors import ConfigurationError
from devstack.files import write_atomically

_PRIVATE: Final = 0o600
_BOM: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file as it was read.

    Attributes:
        path: Where it is, behind every link.
        text: Its text, line ends as they are; None if there is no file.
    """

    path: Path
    text: str | None

    def replaced(self, text: str, *, is_secret: bool) -> Path | None:
        """Write the file at once, and return the copy of what it was; None where there was none.

        New files, and those with a secret, are readable by their owner alone; of others the mode stays.

        Raises:
            ConfigurationError: The file was changed since it was read.
            OSError: It cannot be written.
        """
        if read_text(self.path).text != self.text:
            raise ConfigurationError(
                f"{self.path} was changed by another program in this moment. Try again."
            )
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        copy = None if self.text is None else _copied(self.path)
        mode = _PRIVATE if is_secret or copy is None else self.path.stat().st_mode & 0o777
        write_atomically(self.path, text.encode(), mode)
        return copy


def read_text(path: Path) -> TextFile:
    """Return a file's text.

    Raises:
        ConfigurationError: It is not in UTF-8.
        OSError: It cannot be read.
    """
    target = path.resolve()
    try:
        content = target.read_bytes()
    except FileNotFoundError:
        return TextFile(target, None)
    try:
        return TextFile(target, content.decode())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigurationError(
            f"{target}, line {line}: it is not in UTF-8. The file is left as it is."
        ) from None


def split_mark(text: str) -> tuple[str, str]:
    """Return the byte order mark of a text, if it has one, and the rest."""
    return (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)


def _copied(path: Path) -> Path:
    """Copy a file beside itself, readable by its owner alone."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    content = path.read_bytes()
    number = 0
    while True:
        copy = path.with_name(f"{path.name}.backup-{stamp}{f'-{number}' if number else ''}")
        with suppress(FileExistsError):
            descriptor = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            return copy
        number += 1
