"""The shape of a completion."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from gateway.domain.ports import Catalog


@dataclass(frozen=True, slots=True)
class Completion:
    """Values for an argument, best first.

    Attributes:
        values: At most 100.
        has_more: Whether there are others.
    """

    values: tuple[str, ...] = ()
    has_more: bool = False


@dataclass(frozen=True, slots=True)
class CompletionContext:
    """The services that a completer may use."""

    catalog: Catalog


Completer = Callable[[str, CompletionContext], Awaitable[Completion]]
"""`async (what was typed, context) -> what it may become`."""
