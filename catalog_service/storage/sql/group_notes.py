"""Notes on comparisons of a brand's category with the id of a group, under which no brand of its categories is found."""

from collections.abc import Sequence

from catalog_service.domain import categories
from catalog_service.storage.sql.scopes import Scope
from catalog_service.storage.sql.values import Value


def add(left: Sequence[Value], right: Sequence[Value], scope: Scope) -> None:
    """Add a note to the statement for each group that a column of categories is compared with.

    Args:
        left: One side; several values where it is a row.
        right: The other side, or the values of IN: those of its rows one after the other.
        scope: Of the comparison.
    """
    for index, other in enumerate(right):
        value = left[index % len(left)]
        for column, literal in ((value.category, other.literal), (other.category, value.literal)):
            if column is not None and isinstance(literal, str) and _is_group(literal):
                scope.analysis.notes[
                    f"{column.name} is the most specific category of a brand, and '{literal}' is a group of categories: "
                    f"write {column.group} = '{literal}' for the brands of all of them."
                ] = None


def _is_group(text: str) -> bool:
    return len(categories.members(text)) > 1
