"""What a statement says of a sponsors' list holds for each of its items, not only for the one that it names."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from import_worker.detector.items import Item
from import_worker.detector.reading import Claim
from import_worker.detector.resolving import Found

_FEWEST: Final = 3
"""Items that make a list: two links under a heading may be one sponsor's."""


def list_claims(
    items: Sequence[tuple[Item, Found]], stated: Sequence[Claim]
) -> Iterator[tuple[Found, Claim]]:
    """Yield brands of the sponsors' lists in which a statement names another, each with its claim.

    Args:
        items: The items of a text in order, with the likeliest brand of each.
        stated: What the text states of its sponsors.
    """
    for block in _blocks(items):
        spoken = [claim for claim in stated if _is_within(claim, block)]
        if not spoken:
            continue
        names = {claim.found.name for claim in spoken}
        best = max(spoken, key=lambda claim: claim.weight)
        for item, found in block:
            if found.name not in names:
                link = item.link
                shown = replace(best, start=item.start, end=link.end, link=link.url)
                yield found, replace(shown, found=found, code=None)


def _is_within(claim: Claim, block: Sequence[tuple[Item, Found]]) -> bool:
    return block[0][0].start <= claim.found.start < block[-1][0].link.end


def _blocks(items: Sequence[tuple[Item, Found]]) -> Iterator[list[tuple[Item, Found]]]:
    """Yield the runs of items that stand under one heading for sponsors, those that are a list."""
    blocks: list[list[tuple[Item, Found]]] = []
    is_open = False
    for item, found in items:
        if item.topic != "sponsors":
            is_open = False
        elif is_open and item.following:
            blocks[-1].append((item, found))
        else:
            blocks.append([(item, found)])
            is_open = True
    return iter([block for block in blocks if len(block) >= _FEWEST])
