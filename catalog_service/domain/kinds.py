"""The kinds of sponsorship that a query rests on."""

from typing import Final

Kinds = tuple[str, ...]
"""Kinds in the order of `ALL`, each once."""

NAMES: Final = {
    "paid_sponsorship": "Paid sponsorship",
    "promo_code": "Promo code",
    "affiliate": "Affiliate",
    "free_product": "Free product",
}
FREE_PRODUCT: Final = "free_product"
ALL: Final[Kinds] = tuple(NAMES)
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


def mask_facets(kinds: Kinds) -> list[str]:
    """Return the facets `kinds:MASK` of all masks that have one of the kinds."""
    wanted = mask(kinds)
    return [f"kinds:{other}" for other in range(1, mask(ALL) + 1) if other & wanted]


def condition(kinds: Kinds) -> Kinds | None:
    """Return the kinds as a condition; None if they are all, which leave nothing out."""
    return None if kinds == ALL else kinds
