"""Load a service's own modules at its start, without optional ones of its dependencies."""

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

_UNUSED: Final = ("rich", "pygments", "opentelemetry.sdk", "email_validator", "watchfiles")
"""Modules that dependencies import if present: structlog for colours, redis-py for metrics of
its own, FastAPI and uvicorn for what we do not ask of them. They take 8 MB and a tenth of a second.
Traces, where they are on, are loaded later and find what they need."""


@contextmanager
def skip_unused_imports(*needed: str) -> Generator[None]:
    """Imports inside the block do without what is never used here, other than what is `needed`.

    The garbage collector rests meanwhile: what modules define stays, and looking through it again
    and again takes a sixth of the time.
    """
    hidden = [name for name in _UNUSED if name not in sys.modules and name not in needed]
    modules: Any = sys.modules
    was_collecting = gc.isenabled()
    gc.disable()
    modules.update(dict.fromkeys(hidden))  # None there lets an import fail at once
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]
        if was_collecting:
            gc.enable()
