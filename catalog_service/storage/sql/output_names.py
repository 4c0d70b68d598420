"""The name that Postgres gives a column of a SELECT without AS."""

from collections.abc import Callable, Mapping
from typing import Final

from catalog_service.storage.sql.tree import Node, bare, kind_of, strings

_NAMELESS: Final = ("?column?", 0)
_FIXED: Final = {
    "A_ArrayExpr": "array",
    "CoalesceExpr": "coalesce",
    "GroupingFunc": "grouping",
    "RowExpr": "row",
}
_CURRENT: Final = {1: "current_date", 4: "current_timestamp", 8: "localtimestamp"}
_NULLIF: Final = 6
_GREATEST: Final = 1
_EXISTS: Final = 1
_SCALAR: Final = 5


def output_name(node: Node) -> str:
    """Return the name of an output column."""
    return _named(node)[0]


def _named(node: Node) -> tuple[str, int]:
    """Return a name with its strength: a column's or function's (2) goes before a type's (1)."""
    inner = bare(node)
    kind = kind_of(node)
    if kind in _FIXED:
        return _FIXED[kind], 2
    names = _NAMES.get(kind)
    return _NAMELESS if names is None else names(inner)


def _of_column(inner: Node) -> tuple[str, int]:
    is_star = kind_of(inner.fields[-1]) == "A_Star"
    return _NAMELESS if is_star else (strings(inner.fields)[-1], 2)


def _of_cast(inner: Node) -> tuple[str, int]:
    found = _named(inner.arg)
    return found if found[1] > 1 else (strings(inner.type_name.names)[-1], 1)


def _of_case(inner: Node) -> tuple[str, int]:
    found = _named(inner.defresult) if inner.HasField("defresult") else _NAMELESS
    return found if found[1] > 1 else ("case", 1)


def _of_subquery(inner: Node) -> tuple[str, int]:
    if inner.sub_link_type != _SCALAR:
        return ("exists", 2) if inner.sub_link_type == _EXISTS else _NAMELESS
    select = bare(inner.subselect)
    while select.HasField("larg"):
        select = select.larg
    if not len(select.target_list):
        return "column1", 2
    target = bare(select.target_list[0])
    return (target.name, 2) if target.name else _named(target.val)


_NAMES: Final[Mapping[str, Callable[[Node], tuple[str, int]]]] = {
    "A_Expr": lambda inner: ("nullif", 2) if inner.kind == _NULLIF else _NAMELESS,
    "A_Indirection": lambda inner: _named(inner.arg),
    "CaseExpr": _of_case,
    "CollateClause": lambda inner: _named(inner.arg),
    "ColumnRef": _of_column,
    "FuncCall": lambda inner: (strings(inner.funcname)[-1], 2),
    "MinMaxExpr": lambda inner: ("greatest" if inner.op == _GREATEST else "least", 2),
    "SQLValueFunction": lambda inner: (_CURRENT.get(inner.op, "?column?"), 2),
    "SubLink": _of_subquery,
    "TypeCast": _of_cast,
}
