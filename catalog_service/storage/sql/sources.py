"""What FROM names: tables, subqueries, functions and joins."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from catalog_service.domain.sql.dataset import SCHEMA, TABLES
from catalog_service.domain.sql.errors import nearest_table
from catalog_service.storage.sql.scopes import Columns, Relation, Scope, add_tables, add_weight
from catalog_service.storage.sql.tree import Node, bare, kind_of, strings
from catalog_service.storage.sql.values import Value, column_value, common

STORED: Final = {
    table.name: tuple((column.name, column_value(column)) for column in table.columns)
    for table in TABLES
}


def from_clause(nodes: Sequence[Node], scope: Scope) -> tuple[Relation, ...]:
    """Return the rows of each entry of FROM; each LATERAL one sees those before it."""
    relations: tuple[Relation, ...] = ()
    for node in nodes:
        relation = source(node, scope.of(*relations))
        _check_names(scope, relations, relation, node)
        relations = (*relations, relation)
    return relations


def source(node: Node, scope: Scope) -> Relation:
    """Return the rows of one entry; `scope` has those that a LATERAL one sees."""
    inner = bare(node)
    kind = kind_of(node)
    if kind != "JoinExpr":
        add_tables(scope.analysis, node)
    if kind == "RangeVar":
        return _table(inner, scope)
    if kind == "RangeSubselect":
        return _subquery(inner, scope)
    if kind == "RangeFunction":
        return _function(inner, scope)
    if kind == "JoinExpr":
        return _join(inner, scope)
    raise scope.analysis.tree.refused("FROM has tables, subqueries and functions here.", node)


def _table(node: Node, scope: Scope) -> Relation:
    tree = scope.analysis.tree
    if not node.schemaname and node.relname in scope.tables:
        columns, rows = scope.tables[node.relname].columns, scope.tables[node.relname].rows
    elif node.schemaname in ("", SCHEMA) and node.relname in STORED:
        columns, rows = STORED[node.relname], None
    else:
        shown = ".".join(filter(None, (node.schemaname, node.relname)))[:80]
        raise tree.refused(
            f"There is no table {shown}. {nearest_table('' if node.schemaname else node.relname)}",
            node,
        )
    return _named(scope, node, Relation(columns, rows=rows), node.relname)


def _subquery(node: Node, scope: Scope) -> Relation:
    visible = scope.inner() if node.lateral else _outside(scope.of())
    rows = scope.analysis.select(bare(node.subquery), visible)
    return _named(scope, node, rows, "")


def _outside(scope: Scope) -> Scope:
    """Return the scope of a subquery in FROM that is not LATERAL: it sees what encloses its SELECT, not the other tables of FROM."""
    return Scope(scope.analysis, scope.tables, (), scope.outer)


def _function(node: Node, scope: Scope) -> Relation:
    tree = scope.analysis.tree
    call = bare(bare(node.functions[0]).items[0]) if len(node.functions) == 1 else None
    if call is None or kind_of(call) != "FuncCall":
        raise tree.refused("FROM has generate_series and unnest, and no other functions.", node)
    name = strings(call.funcname)[-1]
    if name not in ("generate_series", "unnest"):
        # An unknown one is refused with its own advice.
        scope.analysis.expression(call, scope)
        raise tree.refused(
            f"FROM has generate_series and unnest, and no other functions; write SELECT {name}(…).",
            node,
        )
    value = scope.analysis.expression(call, scope)
    add_weight(scope.analysis, value, call)
    alias = node.alias.aliasname
    columns: Columns = [(alias or name, replace(value, weight=1, columns=1))]
    if node.ordinality:
        columns = [*columns, ("ordinality", Value("int", columns=1))]
    return _named(scope, node, Relation(columns), name)


def _named(scope: Scope, node: Node, relation: Relation, name: str) -> Relation:
    """Return rows under their alias, with its names of columns."""
    columns = relation.columns
    alias = node.alias.aliasname
    aliases = strings(node.alias.colnames)
    if len(aliases) > len(columns):
        raise scope.analysis.tree.refused(
            f"{alias} has {len(columns)} columns, and {len(aliases)} names are given.", node
        )
    columns = [
        (aliases[index] if index < len(aliases) else column, value)
        for index, (column, value) in enumerate(columns)
    ]
    known_as = alias or name
    return Relation(columns, {known_as: columns} if known_as else {}, relation.rows)


def _join(node: Node, scope: Scope) -> Relation:
    left = source(node.larg, scope)
    right = source(node.rarg, scope.of(*scope.relations, left))
    _check_names(scope, (left,), right, node)
    both = Relation(
        [*left.columns, *right.columns], {**left.names, **right.names}, _joined_rows(left, right)
    )
    if node.HasField("quals"):
        value = scope.analysis.expression(node.quals, replace(scope, relations=(both,)))
        add_weight(scope.analysis, value, node.quals)
    shared = strings(node.using_clause)
    if node.is_natural:
        names = {name for name, _ in right.columns}
        shared = [name for name, _ in left.columns if name in names]
    merged = [(name, _merged(name, left, right, node, scope)) for name in shared]
    rest = [(name, value) for name, value in both.columns if name not in shared]
    return replace(both, columns=[*merged, *rest])


def _joined_rows(left: Relation, right: Relation) -> int | None:
    """Return how many rows a join of any kind gives at most: outer ones add those without a partner."""
    if left.rows is None or right.rows is None:
        return None
    return (left.rows + 1) * (right.rows + 1)


def _merged(name: str, left: Relation, right: Relation, node: Node, scope: Scope) -> Value:
    """Return the column that stands for those of both sides in USING and NATURAL."""
    tree = scope.analysis.tree
    pairs = [[value for column, value in part.columns if column == name] for part in (left, right)]
    if any(len(values) != 1 for values in pairs):
        raise tree.refused(
            f'column "{name}" of USING is not in both tables, or several times in one.', node
        )
    return replace(common(tree, [values[0] for values in pairs], node), columns=1)


def _check_names(scope: Scope, before: Sequence[Relation], relation: Relation, node: Node) -> None:
    for name in relation.names:
        if any(name in other.names for other in before):
            raise scope.analysis.tree.refused(
                f'table name "{name}" specified more than once: give each its own, as {name} AS a.',
                node,
            )
