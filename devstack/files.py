"""Files that are replaced at once: a reader finds the old or the new one, and on a full disk the old one stays."""

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path
from typing import Final

PRIVATE: Final = 0o600
"""The mode of a file that its owner alone reads and writes."""


def private(path: str, flags: int) -> int:
    """Open a file, as an `opener` of `open`; a new one is readable by its owner alone."""
    return os.open(path, flags, PRIVATE)


@contextmanager
def atomic_file(path: Path, mode: int = PRIVATE) -> Generator[BufferedIOBase]:
    """Yield a new file that takes the place of `path` when the block ends, and is deleted when that fails."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_atomically(path: Path, content: bytes, mode: int = PRIVATE) -> None:
    """Replace a file at once; on a full disk it stays as it was."""
    with atomic_file(path, mode) as file:
        file.write(content)
