"""The kinds of syntax nodes of an accepted statement, each with the fields that it may have.

What is not named here is refused, so that a later version of the grammar adds nothing by itself.
"""

from typing import Final

from google.protobuf.message import Message

from catalog_service.storage.sql.tree import ONLY_SELECT, Tree, children

_FIELDS: Final = {
    name: frozenset(fields.split())
    for name, fields in {
        "A_ArrayExpr": "elements list_start list_end",
        "A_Const": "ival fval boolval sval isnull",
        "A_Expr": "kind name lexpr rexpr rexpr_list_start rexpr_list_end",
        "A_Indices": "is_slice lidx uidx",
        "A_Indirection": "arg indirection",
        "A_Star": "",
        "Alias": "aliasname colnames",
        "BoolExpr": "boolop args",
        "Boolean": "boolval",
        "BooleanTest": "arg booltesttype",
        "CaseExpr": "arg args defresult",
        "CaseWhen": "expr result",
        "CoalesceExpr": "args",
        "CollateClause": "arg collname",
        "ColumnRef": "fields",
        "CommonTableExpr": "ctename aliascolnames ctematerialized ctequery",
        "Float": "fval",
        "FuncCall": "funcname args agg_order agg_filter over agg_within_group agg_star agg_distinct funcformat",
        "GroupingFunc": "args",
        "GroupingSet": "kind content",
        "Integer": "ival",
        "JoinExpr": "jointype is_natural larg rarg using_clause quals",
        "List": "items",
        "MinMaxExpr": "op args",
        "NullTest": "arg nulltesttype",
        "RangeFunction": "lateral ordinality functions alias",
        "RangeSubselect": "lateral subquery alias",
        "RangeVar": "schemaname relname inh relpersistence alias",
        "ResTarget": "name val",
        "RowExpr": "args row_format",
        "SQLValueFunction": "op typmod",
        "SelectStmt": "distinct_clause target_list from_clause where_clause group_clause having_clause window_clause "
        "values_lists sort_clause limit_offset limit_count limit_option with_clause op all larg rarg",
        "SortBy": "node sortby_dir sortby_nulls",
        "String": "sval",
        "SubLink": "sub_link_type testexpr oper_name subselect",
        "TypeCast": "arg type_name",
        "TypeName": "names typmods typemod array_bounds",
        "WindowDef": "name refname partition_clause order_clause frame_options start_offset end_offset",
        "WithClause": "ctes",
    }.items()
}
_REFUSED_NODES: Final = {
    "IntoClause": "SELECT … INTO cannot be used here: nothing is stored",
    "LockingClause": "FOR UPDATE and other locks cannot be used here; leave them out",
    "ParamRef": "Parameters such as $1 cannot be used here; write the value",
    "RangeTableSample": "TABLESAMPLE cannot be used here; bound the statement by day or id",
    "BitString": "Bit strings cannot be used here; write a number or a text",
    "NamedArgExpr": "Arguments by name cannot be used here; write them in their order",
    "XmlExpr": "XML functions cannot be used here; select the columns themselves",
}
_REFUSED_FIELDS: Final = {
    ("WithClause", "recursive"): "WITH RECURSIVE cannot be used here; join the tables instead",
    ("FuncCall", "func_variadic"): "VARIADIC cannot be used here; write the arguments one by one",
    (
        "JoinExpr",
        "alias",
    ): "A name for a whole join cannot be used here; give each table its own",
    (
        "JoinExpr",
        "join_using_alias",
    ): "USING (…) AS cannot be used here; give each table its own name",
    (
        "RangeFunction",
        "is_rowsfrom",
    ): "ROWS FROM cannot be used here; write the functions one by one",
    ("RangeFunction", "coldeflist"): "Column definitions cannot be used here",
    ("SortBy", "use_op"): "ORDER BY … USING cannot be used here; write ASC or DESC",
    ("RangeVar", "catalogname"): "Tables are written without a database: sponsors",
    ("SelectStmt", "group_distinct"): "GROUP BY DISTINCT cannot be used here; leave DISTINCT out",
    ("TypeName", "setof"): "SETOF cannot be used here",
    ("TypeName", "pct_type"): "%TYPE cannot be used here; write the type",
    ("CommonTableExpr", "search_clause"): "SEARCH cannot be used here",
    ("CommonTableExpr", "cycle_clause"): "CYCLE cannot be used here",
}
_OF_EVERY_NODE: Final = frozenset(("location",))


def check(tree: Tree) -> None:
    """Accept a statement whose nodes and fields are all named here.

    Raises:
        SqlRefused: One is not.
    """
    pending: list[Message] = [tree.select]
    while pending:
        message = pending.pop()
        name = message.DESCRIPTOR.name
        if name != "Node":
            _check_fields(tree, name, message)
        pending.extend(child for _, child in children(message))


def _check_fields(tree: Tree, name: str, message: Message) -> None:
    fields = _FIELDS.get(name)
    if fields is None:
        if name.endswith("Stmt"):
            raise tree.refused(ONLY_SELECT, message)
        reason = _REFUSED_NODES.get(name, f"{name} cannot be used here")
        raise tree.refused(f"{reason}.", message)
    for field, value in message.ListFields():
        if field.name in fields or field.name in _OF_EVERY_NODE:
            continue
        inner = value[0] if field.is_repeated and len(value) else value
        inner_name = _inner_name(inner)
        reason = (
            _REFUSED_FIELDS.get((name, field.name))
            or _REFUSED_NODES.get(inner_name)
            or f"{field.name} of {name} cannot be used here"
        )
        raise tree.refused(f"{reason}.", message)


def _inner_name(value: object) -> str:
    if not isinstance(value, Message):
        return ""
    if value.DESCRIPTOR.name == "Node":
        kind = value.WhichOneof("node")
        return "" if kind is None else getattr(value, kind).DESCRIPTOR.name
    return str(value.DESCRIPTOR.name)
