"""Accept or refuse a caller's statement by its text, as Postgres' own grammar reads it.

Two walks: `grammar` names the nodes that there may be; the analysis then resolves each name as Postgres would, and knows of
each expression its type, how large it may get and how much work it is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from catalog_service.domain.sql.errors import SqlRefused
from catalog_service.storage.sql import calls, grammar, literals, operators, selects, subqueries
from catalog_service.storage.sql.scopes import Counts, Relation, Scope
from catalog_service.storage.sql.tree import Node, Tree, bare, kind_of, parse, strings
from catalog_service.storage.sql.values import Value, checked, common, joined

_CURRENT: Final = {1: "date", 4: "timestamp", 8: "timestamp"}
_COLLATIONS: Final = frozenset(("C", "POSIX"))


@dataclass(frozen=True, slots=True)
class AcceptedStatement:
    """What is known of a statement that is accepted.

    Attributes:
        rows: Its columns.
        notes: Sentences about what its caller may not have meant.
    """

    rows: Relation
    notes: tuple[str, ...]


def check(sql: str) -> AcceptedStatement:
    """Accept a statement that is one SELECT over the dataset's tables, of bounded size and work.

    Raises:
        SqlRefused: It is not.
    """
    analysis = StatementAnalysis(parse(sql))
    grammar.check(analysis.tree)
    rows = analysis.select(analysis.tree.select, Scope(analysis))
    if not rows.columns:
        raise SqlRefused("This SELECT has no columns. Write their names, or *, after SELECT.")
    return AcceptedStatement(rows, tuple(analysis.notes))


@dataclass(frozen=True, slots=True)
class StatementAnalysis:
    """`Analysis` of one statement."""

    tree: Tree
    counts: Counts = field(default_factory=Counts)
    notes: dict[str, None] = field(default_factory=dict[str, None])

    def select(self, node: Node, scope: Scope) -> Relation:
        return selects.select(node, scope)

    def condition(self, node: Node, scope: Scope) -> Value:
        return checked(self.tree, subqueries.condition(node, scope), node)

    def expression(self, node: Node, scope: Scope) -> Value:
        inner = bare(node)
        kind = kind_of(node)
        yields = _YIELDS.get(kind)
        if inner is None or yields is None:
            raise self.tree.refused(_MISPLACED.get(kind, f"{kind} cannot stand here."), node)
        return checked(self.tree, yields(inner, scope), node)


def _column(node: Node, scope: Scope) -> Value:
    if any(kind_of(part) == "A_Star" for part in node.fields):
        raise scope.analysis.tree.refused(
            "* stands alone at the top of a SELECT, or in count(*); name the columns.", node
        )
    return scope.find(strings(node.fields), node)


def _boolean(node: Node, scope: Scope) -> Value:
    return joined("bool", 5, [scope.analysis.expression(item, scope) for item in node.args])


def _tested(node: Node, scope: Scope) -> Value:
    return joined("bool", 5, [scope.analysis.expression(node.arg, scope)])


def _case(node: Node, scope: Scope) -> Value:
    analysis = scope.analysis
    whens = [bare(item) for item in node.args]
    conditions = [analysis.expression(when.expr, scope) for when in whens]
    if node.HasField("arg"):
        # It is compared with each.
        conditions += [analysis.expression(node.arg, scope)] * len(whens)
    results = [analysis.expression(when.result, scope) for when in whens]
    if node.HasField("defresult"):
        results.append(analysis.expression(node.defresult, scope))
    value = common(analysis.tree, results, node)
    return joined(value.kind, value.size, [value, *conditions])


def _alternatives(node: Node, scope: Scope) -> Value:
    parts = [scope.analysis.expression(item, scope) for item in node.args]
    return operators.alternatives(node, parts, scope)


def _cast(node: Node, scope: Scope) -> Value:
    return literals.cast(scope.analysis.tree, scope.analysis.expression(node.arg, scope), node)


def _collated(node: Node, scope: Scope) -> Value:
    value = scope.analysis.expression(node.arg, scope)
    if strings(node.collname)[-1] not in _COLLATIONS:
        raise scope.analysis.tree.refused('Of collations there is "C": text COLLATE "C".', node)
    return joined(value.kind, value.size, (value,))


def _constant(node: Node, scope: Scope) -> Value:
    return literals.constant(scope.analysis.tree, node)


def _current(node: Node, scope: Scope) -> Value:
    kind = _CURRENT.get(node.op)
    if kind is None:
        raise scope.analysis.tree.refused(
            "Of such values there are current_date, current_timestamp and localtimestamp.", node
        )
    return Value(kind)


def _grouping(node: Node, scope: Scope) -> Value:
    return joined("int", 20, [scope.analysis.expression(item, scope) for item in node.args])


_YIELDS: Final[Mapping[str, Callable[[Node, Scope], Value]]] = {
    "A_ArrayExpr": operators.array,
    "A_Const": _constant,
    "A_Expr": operators.operation,
    "A_Indirection": operators.indexed,
    "BoolExpr": _boolean,
    "BooleanTest": _tested,
    "CaseExpr": _case,
    "CoalesceExpr": _alternatives,
    "CollateClause": _collated,
    "ColumnRef": _column,
    "FuncCall": calls.call,
    "GroupingFunc": _grouping,
    "MinMaxExpr": _alternatives,
    "NullTest": _tested,
    "SQLValueFunction": _current,
    "SubLink": subqueries.subquery,
    "TypeCast": _cast,
    "WindowDef": calls.window,
}
"""Kinds of nodes that yield a value, or that do work as one does."""

_MISPLACED: Final = {
    "RowExpr": "A row such as (a, b) stands in comparisons, IN, GROUP BY and OVERLAPS alone; write its parts as columns.",
}
