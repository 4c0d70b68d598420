"""A SELECT with its clauses: the columns that it gives."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from catalog_service.domain.sql import allowed
from catalog_service.storage.sql import grouping
from catalog_service.storage.sql.literals import whole_number
from catalog_service.storage.sql.output_names import output_name
from catalog_service.storage.sql.scopes import (
    Columns,
    Relation,
    Scope,
    add_weight,
    check_row,
)
from catalog_service.storage.sql.sources import from_clause
from catalog_service.storage.sql.tree import Node, bare, kind_of, single_name, strings
from catalog_service.storage.sql.values import Value, as_column, common

_NO_OPERATION: Final = (0, 1)
_MATERIALIZED: Final = 2
_NEVER_MATERIALIZED: Final = 3
_WITH_TIES: Final = 3
_MAX_OFFSET: Final = 1_000_000


def select(node: Node, scope: Scope) -> Relation:
    """Return the rows of a SELECT whose own scope, still empty, is given."""
    columns = _columns(node, scope)
    is_computed_once = _is_limited(node) or len(node.values_lists) > 1
    return Relation(
        [(name, as_column(value, is_computed_once=is_computed_once)) for name, value in columns],
        rows=_max_rows(node, scope),
    )


def _columns(node: Node, scope: Scope) -> Columns:
    """Return the columns of a SELECT; NULL and a text that is written out have no type yet, as a UNION may give them one."""
    scope = _with(node, scope)
    if node.op not in _NO_OPERATION:
        columns = _set_operation(node, scope)
        _sort_and_limit(node, scope, columns, ())
    elif node.values_lists:
        columns = _values(node, scope)
        _sort_and_limit(node, scope, columns, ())
    else:
        columns = _simple(node, scope)
    check_row(scope.analysis.tree, columns, node)
    return columns


def _with(node: Node, scope: Scope) -> Scope:
    tree = scope.analysis.tree
    names: set[str] = set()
    for item in node.with_clause.ctes:
        cte = bare(item)
        if cte.ctematerialized == _NEVER_MATERIALIZED:
            raise tree.refused("NOT MATERIALIZED cannot be used here; leave it out.", cte)
        if cte.ctename.lower().startswith("pg_"):
            raise tree.refused("A name that begins with pg_ cannot be given.", cte)
        if cte.ctename in names:
            raise tree.refused(f'WITH query name "{cte.ctename}" specified more than once.', cte)
        names.add(cte.ctename)
        rows = scope.analysis.select(bare(cte.ctequery), scope.inner())
        aliases = strings(cte.aliascolnames)
        if len(aliases) > len(rows.columns):
            raise tree.refused(f"{cte.ctename} has {len(rows.columns)} columns.", cte)
        is_materialized = cte.ctematerialized == _MATERIALIZED
        columns = [
            (
                aliases[index] if index < len(aliases) else name,
                as_column(value, is_computed_once=is_materialized),
            )
            for index, (name, value) in enumerate(rows.columns)
        ]
        scope = replace(
            scope, tables={**scope.tables, cte.ctename: Relation(columns, rows=rows.rows)}
        )
    return scope


def _set_operation(node: Node, scope: Scope) -> Columns:
    analysis = scope.analysis
    analysis.counts.set_operations += 1
    if analysis.counts.set_operations > allowed.MAX_SET_OPERATIONS:
        raise analysis.tree.refused(
            f"A statement has at most {allowed.MAX_SET_OPERATIONS} of UNION, INTERSECT and EXCEPT.",
            node,
        )
    left, right = (_columns(side, scope) for side in (node.larg, node.rarg))
    if len(left) != len(right):
        raise analysis.tree.refused(
            "Both sides of UNION, INTERSECT and EXCEPT have the same number of columns.", node
        )
    return [
        (name, common(analysis.tree, pair, node))
        for name, *pair in (
            (name, value, other) for (name, value), (_, other) in zip(left, right, strict=True)
        )
    ]


def _values(node: Node, scope: Scope) -> Columns:
    tree = scope.analysis.tree
    rows = [[_counted(item, scope) for item in bare(row).items] for row in node.values_lists]
    if len({len(row) for row in rows}) != 1:
        raise tree.refused("VALUES lists have the same number of values.", node)
    return [
        (f"column{index}", common(tree, values, node))
        for index, values in enumerate(zip(*rows, strict=True), 1)
    ]


def _simple(node: Node, scope: Scope) -> Columns:
    analysis = scope.analysis
    sorting_before = analysis.counts.sorting_aggregates
    scope = scope.of(*from_clause(node.from_clause, scope))
    outputs = list(_targets(node, scope))
    if node.HasField("where_clause"):
        add_weight(analysis, analysis.condition(node.where_clause, scope), node.where_clause)
    sets = grouping.count_sets(node, scope, [name for name, _ in outputs])
    if node.HasField("having_clause"):
        _counted(node.having_clause, scope)
    _windows(node.window_clause, scope)
    _sort_and_limit(node, scope, outputs, node.distinct_clause)
    grouping.check_sorting(node, scope, sets, sorting_before)
    return outputs


def _is_limited(node: Node) -> bool:
    """Return whether rows are counted off: no condition is written out inside of such a SELECT, nor its columns around it."""
    return node.HasField("limit_count") and not bare(node.limit_count).isnull


def _max_rows(node: Node, scope: Scope) -> int | None:
    """Return how many rows LIMIT leaves at most; None without one, and of WITH TIES, which gives more."""
    if not _is_limited(node) or node.limit_option == _WITH_TIES:
        return None
    return whole_number(scope.analysis.tree, node.limit_count, _MAX_OFFSET, "LIMIT")


def _targets(node: Node, scope: Scope) -> Iterator[tuple[str, Value]]:
    for item in node.target_list:
        target = bare(item)
        inner = bare(target.val)
        if kind_of(target.val) == "ColumnRef" and kind_of(inner.fields[-1]) == "A_Star":
            yield from _star(inner, scope)
            continue
        yield target.name or output_name(target.val), _counted(target.val, scope)


def _star(node: Node, scope: Scope) -> Columns:
    tree = scope.analysis.tree
    if len(node.fields) == 1:
        if not scope.relations:
            raise tree.refused("SELECT * with no tables specified is not valid.", node)
        return [column for relation in scope.relations for column in relation.columns]
    names = strings(node.fields[:-1])
    for relation in scope.relations:
        if len(names) == 1 and names[0] in relation.names:
            return relation.names[names[0]]
    raise tree.refused(
        f'There is no table "{".".join(names)[:80]}" in this FROM; write the name that FROM gives it, and .*.',
        node,
    )


def _windows(nodes: Sequence[Any], scope: Scope) -> None:
    for node in nodes:
        scope.analysis.expression(node, scope)


def _sort_and_limit(node: Node, scope: Scope, outputs: Columns, distinct: Sequence[Node]) -> None:
    names = {name for name, _ in outputs}
    sorted_by = [bare(item).node for item in node.sort_clause]
    for item in (*sorted_by, *distinct):
        # A plain DISTINCT has an item without anything.
        if bare(item) is not None and single_name(item) not in names:
            _counted(item, scope)
    for field, subject in (("limit_count", "LIMIT"), ("limit_offset", "OFFSET")):
        limit = getattr(node, field)
        if node.HasField(field) and not (kind_of(limit) == "A_Const" and limit.a_const.isnull):
            whole_number(scope.analysis.tree, limit, _MAX_OFFSET, subject)


def _counted(node: Node, scope: Scope) -> Value:
    value = scope.analysis.expression(node, scope)
    add_weight(scope.analysis, value, node)
    return value
