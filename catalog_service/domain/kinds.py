"""The kinds of sponsorship that a query rests on."""

from collections.abc import Sequence
from typing import Final

from catalog_service.domain import arguments
from catalog_service.domain.errors import BadArgument

Kinds = tuple[str, ...]
"""Kinds in the order of `ALL`, each once."""

FREE_PRODUCT: Final = "free_product"
ALL: Final[Kinds] = tuple(arguments.KINDS)
PAID: Final[Kinds] = tuple(kind for kind in ALL if kind != FREE_PRODUCT)
"""Paid work: a brand that only sends products for review does not compete with one that pays."""

ALL_SET: Final = "all"
PAID_SET: Final = "paid"
SETS: Final[tuple[tuple[str, str], ...]] = tuple(
    (kind, name) for kind in ALL for name in (ALL_SET, *((PAID_SET,) if kind in PAID else ()), kind)
)
"""Each kind with every named set of kinds that it is in; rollups are stored by these sets."""

BITS: Final = {kind: 1 << index for index, kind in enumerate(ALL)}
"""The bit of each kind in masks, as `sponsor_youtubers.kinds` is one.

Masks are stored: a change of the vocabulary needs a migration that fills them again.
"""


def mask(kinds: Kinds) -> int:
    return sum(BITS[kind] for kind in kinds)


def selection(names: Sequence[str], kind: str | None, default: Kinds) -> Kinds:
    """Return the kinds that the arguments `kinds` and `kind` name; `default` if neither does.

    Raises:
        BadArgument: One is unknown, or the two name different kinds.
    """
    single = arguments.optional_choice("kind", kind, ALL)
    named = {arguments.choice("kinds", item or " ", ALL, "") for item in names}
    if single is not None and named and named != {single}:
        raise BadArgument(
            "kinds",
            "`kind` and `kinds` name different kinds: give `kinds` alone, `kind` is deprecated.",
        )
    if single is not None:
        return (single,)
    return tuple(item for item in ALL if item in named) or default


def condition(kinds: Kinds) -> Kinds | None:
    """Return the kinds as a condition; None if they are all, which leave nothing out."""
    return None if kinds == ALL else kinds
