"""The archive of a support bundle: its files, what is missing, and what was taken out."""

import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from cli.support.redaction import Redactor
from devstack.files import atomic_file

MAX_FILE_BYTES: Final = 1_000_000
MAX_BYTES: Final = 20_000_000
CONTENTS: Final = "contents.json"
_MAX_LINE: Final = 4_000


@dataclass(frozen=True, slots=True)
class BundleFile:
    """A file of the bundle, and how many secrets of each kind were taken out of it."""

    name: str
    bytes: int
    is_cut: bool
    redactions: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Missing:
    """What could not be gathered, and why."""

    name: str
    reason: str


@dataclass(slots=True)
class Bundle:
    """The files of a bundle, redacted as they are added and bounded in size."""

    known_secrets: Sequence[str]
    files: list[BundleFile] = field(default_factory=list[BundleFile])
    missing: list[Missing] = field(default_factory=list[Missing])
    left_out: list[Missing] = field(default_factory=list[Missing])
    _contents: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def add_json(self, name: str, value: Any) -> None:
        """Add a value, redacted by the names of its fields."""
        redactor = Redactor(self.known_secrets)
        text = json.dumps(redactor.value(value), indent=2, default=str) + "\n"
        self._add(name, text, redactor)

    def add_log(self, name: str, text: str, lines: int) -> None:
        """Add the last lines of a log, redacted line by line."""
        redactor = Redactor(self.known_secrets)
        # Redacted before it is cut: of a key without its first line only letters would be left.
        shown = [line[:_MAX_LINE] for line in redactor.log(text).rstrip("\n").split("\n")[-lines:]]
        self._add(name, "\n".join(shown) + "\n", redactor)

    def miss(self, name: str, reason: str) -> None:
        """Record what could not be gathered."""
        self.missing.append(Missing(name, Redactor(self.known_secrets).text(reason)))

    def leave_out(self, name: str, reason: str) -> None:
        """Record what there is none of, which makes the bundle no partial one."""
        self.left_out.append(Missing(name, reason))

    @property
    def redactions(self) -> Mapping[str, int]:
        """How many secrets of each kind were taken out of all files."""
        sums: dict[str, int] = {}
        for file in self.files:
            for kind, number in file.redactions.items():
                sums[kind] = sums.get(kind, 0) + number
        return sums

    def contents(self) -> dict[str, Any]:
        """Return what is in the bundle, what is missing and what was taken out."""
        return {
            "files": [asdict(file) for file in self.files],
            "missing": [asdict(item) for item in self.missing],
            "left_out": [asdict(item) for item in self.left_out],
            "partial": bool(self.missing),
            "redacted": dict(self.redactions),
        }

    def write(self, target: Path) -> None:
        """Write the archive, readable by its owner alone; it is there whole or not at all."""
        listed = (json.dumps(self.contents(), indent=2) + "\n").encode()
        with atomic_file(target) as file, tarfile.open(fileobj=file, mode="w:gz") as archive:
            for name, content in {CONTENTS: listed, **self._contents}.items():
                entry = tarfile.TarInfo(f"sponsorgraph-support/{name}")
                entry.size, entry.mode = len(content), 0o600
                archive.addfile(entry, io.BytesIO(content))

    def _add(self, name: str, text: str, redactor: Redactor) -> None:
        content = text.encode(errors="replace")
        left = MAX_BYTES - sum(map(len, self._contents.values()))
        limit = max(0, min(MAX_FILE_BYTES, left))
        # The end says what happened last.
        cut = content[-limit:] if limit else b""
        if not cut:
            self.miss(name, "the bundle is full")
            return
        self._contents[name] = cut
        is_cut = len(cut) < len(content)
        self.files.append(BundleFile(name, len(cut), is_cut, dict(redactor.counts)))
