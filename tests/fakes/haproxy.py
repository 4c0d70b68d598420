"""HAProxy with the reference file that operators begin with."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from devstack.ports import HOST, free_port

PROGRAM: Final = shutil.which("haproxy") or ""
REFERENCE: Final = Path(__file__).parents[2] / "deploy" / "engines" / "haproxy.cfg"
NOWHERE: Final = f"{HOST}:1"
PASSWORD: Final = "replicated"
_SERVERS: Final = ("gateway_a", "gateway_b", "valkey_a", "valkey_b")


@contextmanager
def haproxy(folder: Path, **servers: str) -> Generator[tuple[int, int]]:
    """HAProxy with the reference file and these servers; yields its ports for callers and for Valkey."""
    callers, counters = free_port(), free_port()
    words = {
        "bind :8000": f"bind {HOST}:{callers}",
        "bind :6379": f"bind {HOST}:{counters}",
        "VALKEY_PASSWORD": PASSWORD,
        **{name.upper(): servers.get(name, NOWHERE) for name in _SERVERS},
    }
    text = REFERENCE.read_text(encoding="utf-8")
    for word, value in words.items():
        assert word in text
        text = text.replace(word, value)
    path = folder / "haproxy.cfg"
    path.write_text(text, encoding="utf-8")
    process = subprocess.Popen([PROGRAM, "-db", "-f", str(path)], stderr=subprocess.DEVNULL)
    try:
        yield callers, counters
    finally:
        process.kill()
        process.wait()
