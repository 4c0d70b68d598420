"""Subqueries in expressions: as a value, and as a list that IN and EXISTS look things up in.

Postgres holds the list of an IN or EXISTS in memory, whatever its size, unless it makes a join of it: which it does in the AND
list of WHERE. Elsewhere such a list is one table's column, so that it has no more values than that.
"""

from collections.abc import Sequence
from typing import Final

from catalog_service.domain.sql import allowed
from catalog_service.storage.sql.scopes import Scope
from catalog_service.storage.sql.sources import is_stored_table
from catalog_service.storage.sql.tree import Node, bare, kind_of, of_postgres
from catalog_service.storage.sql.values import Value, joined

_EXISTS: Final = 1
_ALL: Final = 2
_ANY: Final = 3
_SCALAR: Final = 5
_SUBQUERY_WEIGHT: Final = 50
_COMPUTING: Final = frozenset(("||", "*", "/", "%"))
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
    tests = _tests(node, scope)
    before = analysis.counts.weight
    columns = analysis.select(bare(node.subselect), scope.inner()).columns
    weight = analysis.counts.weight - before + _SUBQUERY_WEIGHT
    if kind in (_EXISTS, _ANY) and not (
        is_join and (kind == _EXISTS or any(test.columns for test in tests))
    ):
        _check_lookup(node, scope)
    if kind == _SCALAR:
        if len(columns) != 1:
            raise analysis.tree.refused("A subquery as a value has one column.", node)
        value = columns[0][1]
        return joined(value.kind, value.size, (), weight)
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


def _check_lookup(node: Node, scope: Scope) -> None:
    analysis = scope.analysis
    select = bare(node.subselect)
    where = bare(select.where_clause) if select.HasField("where_clause") else None
    is_small = (
        len(select.from_clause) == 1
        and is_stored_table(select.from_clause[0], scope)
        and not len(select.with_clause.ctes)
        and not select.HasField("larg")
        and _is_of_columns(where)
        and all(
            kind_of(bare(target).val) in ("ColumnRef", "A_Const") for target in _read(node, select)
        )
    )
    is_constant = not len(select.from_clause) and not select.HasField("larg")
    if not (is_small or is_constant):
        raise analysis.tree.refused(
            "NOT IN, and IN or EXISTS outside of WHERE's AND list, read one table with plain conditions such as "
            "a.id = b.id here. Write WHERE NOT EXISTS (SELECT …), or a LEFT JOIN.",
            node,
        )
    analysis.counts.lookups += 1
    if analysis.counts.lookups > allowed.MAX_LOOKUPS:
        raise analysis.tree.refused(
            f"A statement has at most {allowed.MAX_LOOKUPS} of NOT IN, and of IN or EXISTS outside of WHERE's AND list.",
            node,
        )


def _read(node: Node, select: Node) -> Sequence[Node]:
    """Return the columns that a lookup holds; those of EXISTS are not read."""
    return list(select.target_list) if node.sub_link_type == _ANY else ()


def _is_of_columns(where: Node) -> bool:
    """Return whether a condition compares plain columns and constants alone."""
    if where is None or where.DESCRIPTOR.name in ("ColumnRef", "A_Const", "SQLValueFunction"):
        return True
    name = where.DESCRIPTOR.name
    if name in ("BoolExpr", "List"):
        return all(
            _is_of_columns(bare(item))
            for item in (where.args if name == "BoolExpr" else where.items)
        )
    if name in ("NullTest", "BooleanTest", "TypeCast"):
        return _is_of_columns(bare(where.arg))
    if name == "A_Expr" and of_postgres(where.name) not in _COMPUTING:
        return all(_is_of_columns(bare(side)) for side in (where.lexpr, where.rexpr))
    return False
