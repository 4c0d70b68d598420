"""Notes on comparisons of a brand's category with the id of a group, under which no brand of its categories is found."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from catalog_service.domain import categories
from catalog_service.storage.sql.scopes import Scope
from catalog_service.storage.sql.values import Value


def add(left: Sequence[Value], right: Sequence[Value], scope: Scope) -> None:
    """Add a note to the statement for each group that a column of categories is compared with for equality.

    Args:
        left: One side; several values where it is a row.
        right: The other side, or the values of IN: those of its rows one after the other.
        scope: Of the comparison.
    """
    literals = {value.literal for value in (*left, *right) if isinstance(value.literal, str)}
    groups = {literal for literal in literals if _is_without_members(literal, literals)}
    for index, other in enumerate(right if left else ()):
        value = left[index % len(left)]
        for column, literal in ((value.category, other.literal), (other.category, value.literal)):
            if column is not None and literal in groups:
                scope.analysis.notes[
                    f"{column.name} is the most specific category of a brand, and '{literal}' is a group of categories: "
                    f"{column.group} of the same table has the groups."
                ] = None


def _is_without_members(text: str, literals: AbstractSet[str]) -> bool:
    """Return whether a text is the id of a group not all of whose categories are named beside it."""
    return not literals >= set(categories.members(text))
