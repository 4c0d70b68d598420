"""The skill in the folders of skills of the clients that read them."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cli.agents.files import TextFile, read_text


@dataclass(frozen=True, slots=True)
class SkillFolder:
    """The folder of one skill.

    Attributes:
        path: Where it is.
        files: What belongs in it, by path within.
    """

    path: Path
    files: Mapping[str, str]

    def install(self) -> Sequence[Path]:
        """Write what is stale, and return the copies of the files that were there before.

        Raises:
            ConfigurationError: A file is not in UTF-8, or was changed in this moment.
        """
        copies = [
            file.replaced(text, is_secret=False) for file, text in self._read() if file.text != text
        ]
        return [copy for copy in copies if copy is not None]

    def remove(self) -> bool:
        """Remove the skill's own files, and its folders where nothing else is in them; return whether any was there."""
        found = [self.path / name for name in self.files if (self.path / name).exists()]
        for path in found:
            path.unlink()
        for folder in sorted({path.parent for path in found} | {self.path}, reverse=True):
            with suppress(OSError):  # something of the person's own is in it, or it is not there
                folder.rmdir()
        return bool(found)

    def _read(self) -> list[tuple[TextFile, str]]:
        return [(read_text(self.path / name), text) for name, text in self.files.items()]
