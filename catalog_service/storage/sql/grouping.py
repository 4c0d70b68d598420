"""GROUP BY: its expressions, and how many sets of groups it asks for."""

from collections.abc import Sequence
from math import prod
from typing import Final

from catalog_service.domain.sql import allowed
from catalog_service.storage.sql.scopes import Scope, add_weight
from catalog_service.storage.sql.tree import Node, bare, kind_of, single_name

_EMPTY: Final = 1
_ROLLUP: Final = 3
_CUBE: Final = 4
_SETS: Final = 5


def count_sets(node: Node, scope: Scope, outputs: Sequence[str]) -> int:
    """Return how many sets of groups a GROUP BY asks for.

    Raises:
        SqlRefused: It asks for too many sets of groups.
    """
    sets = prod(_sets(item, scope, outputs) for item in node.group_clause)
    if sets > allowed.MAX_GROUPING_SETS:
        raise scope.analysis.tree.refused(
            f"GROUP BY asks for {sets} sets of groups, and at most {allowed.MAX_GROUPING_SETS} are offered.",
            node,
        )
    return sets


def check_sorting(node: Node, scope: Scope, sets: int, sorting_before: int) -> None:
    """Count the sorts of a SELECT's aggregates, of which each set of groups has its own.

    Raises:
        SqlRefused: The statement has too many.
    """
    counts = scope.analysis.counts
    counts.sorting_aggregates += (counts.sorting_aggregates - sorting_before) * (max(sets, 1) - 1)
    if counts.sorting_aggregates > allowed.MAX_SORTING_AGGREGATES:
        raise scope.analysis.tree.refused(
            "GROUPING SETS, CUBE and ROLLUP have few aggregates with DISTINCT, ORDER BY or WITHIN GROUP: at most "
            f"{allowed.MAX_SORTING_AGGREGATES}, counted for each set of groups.",
            node,
        )


def _sets(node: Node, scope: Scope, outputs: Sequence[str]) -> int:
    """Return how many sets of groups an item of GROUP BY stands for, once its expressions are accepted."""
    inner = bare(node)
    if kind_of(node) != "GroupingSet":
        _expressions(node, scope, outputs)
        return 1
    if inner.kind == _EMPTY:
        return 1
    if inner.kind == _SETS:
        return sum(_sets(item, scope, outputs) for item in inner.content)
    for item in inner.content:
        _expressions(item, scope, outputs)
    return 2 ** min(len(inner.content), 20) if inner.kind == _CUBE else len(inner.content) + 1


def _expressions(node: Node, scope: Scope, outputs: Sequence[str]) -> None:
    inner = bare(node)
    if kind_of(node) == "RowExpr":
        for item in inner.args:
            _expressions(item, scope, outputs)
        return
    # A column of FROM goes before one of the result, unlike in ORDER BY.
    name = single_name(node)
    if name is not None and name in outputs and not scope.has(name):
        return
    add_weight(scope.analysis, scope.analysis.expression(node, scope), node)
