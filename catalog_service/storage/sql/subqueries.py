"""Subqueries in expressions: as a value, and as a list that IN and EXISTS look things up in.

Postgres holds the list of an IN or EXISTS in memory, whatever its size, unless it makes a join of it. It does so in the AND list
of WHERE, if nothing in it but WHERE sees what is around it, and that no further out than one SELECT.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from catalog_service.domain.sql import allowed
from catalog_service.storage.sql.scopes import Scope
from catalog_service.storage.sql.tree import Node, bare, kind_of, of_postgres
from catalog_service.storage.sql.values import Value, joined

_EXISTS: Final = 1
_ALL: Final = 2
_ANY: Final = 3
_SCALAR: Final = 5
_SUBQUERY_WEIGHT: Final = 50
_JOIN_WEIGHT: Final = 15
"""Of a subquery, times the square of its tables: it is planned as often as Postgres writes it out."""

_AND: Final = 1
_NOT: Final = 3


def condition(node: Node, scope: Scope) -> Value:
    """Return the value of WHERE: subqueries in its AND list become joins."""
    inner = bare(node)
    if kind_of(node) == "BoolExpr" and inner.boolop == _AND:
        return joined("bool", 5, [condition(item, scope) for item in inner.args])
    is_negated = kind_of(node) == "BoolExpr" and inner.boolop == _NOT
    link = bare(inner.args[0]) if is_negated else inner
    if link is None or link.DESCRIPTOR.name != "SubLink":
        return scope.analysis.expression(node, scope)
    if link.sub_link_type == _EXISTS:
        return _link(link, scope, is_join=True)
    if link.sub_link_type == _ANY and not is_negated:
        return _link(link, scope, is_join=True)
    return scope.analysis.expression(node, scope)


def subquery(node: Node, scope: Scope) -> Value:
    """Return the value of a subquery in an expression.

    Raises:
        SqlRefused: It is of a kind that may take much memory.
    """
    return _link(node, scope, is_join=False)


def _link(node: Node, scope: Scope, *, is_join: bool) -> Value:
    analysis = scope.analysis
    kind = node.sub_link_type
    if kind not in (_EXISTS, _ALL, _ANY, _SCALAR):
        raise analysis.tree.refused(
            "ARRAY(SELECT …) and rows of subqueries cannot be used here; join the table, or select its rows.",
            node,
        )
    if kind in (_EXISTS, _ANY):
        scope = replace(scope, is_closed=True)
    tests = _tests(node, scope)
    counts = analysis.counts
    before, tables_before = counts.weight, counts.tables
    columns = analysis.select(bare(node.subselect), scope.inner()).columns
    tables = counts.tables - tables_before
    weight = counts.weight - before + _SUBQUERY_WEIGHT + _JOIN_WEIGHT * tables**2
    if kind in (_EXISTS, _ANY):
        _check_join(node, tests, scope, is_join=is_join)
    if kind == _SCALAR:
        if len(columns) != 1:
            raise analysis.tree.refused("A subquery as a value has one column.", node)
        value = columns[0][1]
        return replace(joined(value.kind, value.size, (), weight), is_list=value.is_list)
    return joined("bool", 5, tests, weight)


def _tests(node: Node, scope: Scope) -> Sequence[Value]:
    """Return the values before IN, ANY or ALL."""
    if not node.HasField("testexpr"):
        return ()
    if len(node.oper_name) and of_postgres(node.oper_name) not in allowed.COMPARISONS:
        raise scope.analysis.tree.refused(
            "ANY and ALL of a subquery stand behind a comparison; a pattern is written out.", node
        )
    items = bare(node.testexpr).args if kind_of(node.testexpr) == "RowExpr" else [node.testexpr]
    return [scope.analysis.expression(item, scope) for item in items]


def _check_join(node: Node, tests: Sequence[Value], scope: Scope, *, is_join: bool) -> None:
    """Accept an IN or EXISTS that Postgres makes a join of.

    Raises:
        SqlRefused: It does not.
    """
    tree = scope.analysis.tree
    if not is_join or (node.sub_link_type == _ANY and not any(test.columns for test in tests)):
        raise tree.refused(
            "IN and EXISTS of a subquery stand in WHERE's AND list here, and NOT IN (SELECT …) is written NOT EXISTS (SELECT "
            "FROM … WHERE a.id = b.id). In a column, OR or CASE write (SELECT count(*) FROM … WHERE a.id = b.id) > 0, or LEFT "
            "JOIN the table.",
            node,
        )
    if len(bare(node.subselect).with_clause.ctes):
        raise tree.refused(
            "IN and EXISTS have no WITH inside of them; write it at the begin of the statement.",
            node,
        )
