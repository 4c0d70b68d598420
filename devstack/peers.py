"""The processes of an installation that call each other, by the names in their certificates."""

from collections.abc import Mapping, Sequence
from typing import Final

PROCESSES: Final[Mapping[str, Sequence[str]]] = {
    "gateway": (),
    "catalog": ("localhost",),
    "auth": ("localhost",),
    "imports": ("imports-serve",),
    "imports-work": (),
    "cli": (),
}
"""The processes of an installation, and the further names that they are called by.

Compose's network knows the worker's server by another name; operators come by forwarded ports.
"""

CALLERS: Final[Mapping[str, Sequence[str]]] = {
    "catalog": ("gateway", "auth", "imports-work", "cli"),
    "auth": ("gateway", "cli"),
    "imports": ("gateway", "auth", "cli"),
}
"""The callers of each service."""
