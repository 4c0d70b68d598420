"""Calls of functions: by their signatures, with the size and the work of what they yield."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from catalog_service.domain.sql import allowed
from catalog_service.domain.sql.functions import SIGNATURES, Signature
from catalog_service.storage.sql import patterns, series
from catalog_service.storage.sql.lists import list_of
from catalog_service.storage.sql.scopes import Scope
from catalog_service.storage.sql.tree import Node, bare, kind_of, of_postgres, strings
from catalog_service.storage.sql.values import NUMBERS, WITHOUT_TYPE, Value, joined, size_of

_BY_NAME: Final = {
    name: tuple(signature for signature in SIGNATURES if signature.name == name)
    for name in {signature.name for signature in SIGNATURES}
}
_MAX_LITERAL: Final = 100
_MAX_SMALL: Final = 1_000
_MAX_FRACTIONS: Final = 10
_SEARCHES: Final = frozenset(("position", "strpos", "starts_with", "split_part", "string_to_array"))
_AGGREGATES: Final = frozenset(("aggregate", "list", "ordered set", "window"))
_DOUBLING: Final = frozenset(("upper", "lower", "initcap"))


def call(node: Node, scope: Scope) -> Value:
    """Return the value of a call.

    Raises:
        SqlRefused: There is no such function, or it does not take these arguments.
    """
    tree = scope.analysis.tree
    name = of_postgres(node.funcname)
    signatures = _BY_NAME.get(name or "")
    if signatures is None:
        raise _no_function(node, name, scope)
    arguments = [] if node.agg_star else [_argument(item, scope) for item in node.args]
    signature = _matching(node, signatures, arguments, scope)
    if signature is None:
        forms = ", ".join("count(*)" if node.agg_star else str(form) for form in signatures)
        kinds = ", ".join(argument.kind for argument in arguments)
        has_array = any(argument.is_array for argument in arguments)
        hint = (
            "arrays are taken by cardinality, array_position and array_to_string"
            if has_array
            else "a literal is a text or number that is written out"
        )
        raise tree.refused(
            f"{name} does not take ({kinds}) here. It is written {forms}; {hint}.", node
        )
    if name == "generate_series":
        series.check(tree, node)
    value = _result(node, signature, arguments, scope)
    return _with_clauses(node, signature, value, scope)


def _argument(node: Node, scope: Scope) -> Value:
    return scope.analysis.expression(node, scope)


def _no_function(node: Node, name: str | None, scope: Scope) -> Exception:
    instead = allowed.INSTEAD.get(name or "")
    shown = ".".join(strings(node.funcname))[:80]
    advice = f": {instead}" if instead else "; catalog.schema has those that can be"
    return scope.analysis.tree.refused(f"The function {shown} cannot be used here{advice}.", node)


def _matching(
    node: Node, signatures: Sequence[Signature], arguments: Sequence[Value], scope: Scope
) -> Signature | None:
    if node.agg_star:
        return next((form for form in signatures if form.name == "count"), None)
    for form in signatures:
        kinds = _kinds(form, len(arguments))
        if len(kinds) == len(arguments) and all(
            _accepts(kind, argument, item)
            for kind, argument, item in zip(kinds, arguments, node.args, strict=True)
        ):
            for kind, item in zip(kinds, node.args, strict=True):
                if kind == "regex":
                    patterns.regex(scope.analysis.tree, item, scope.analysis.counts)
            return form
    return None


def _kinds(form: Signature, count: int) -> Sequence[str]:
    if form.arguments and form.arguments[-1].endswith("…"):
        more = count - len(form.arguments) + 1
        return (*form.arguments[:-1], *[form.arguments[-1][:-1]] * max(more, 1))
    return form.arguments


def _accepts(kind: str, value: Value, node: Node) -> bool:
    if kind == "literal":
        is_written_out = value.kind == "unknown" and value.literal is not None
        return is_written_out and value.size <= _MAX_LITERAL
    if kind == "regex":
        return patterns.text_of(node) is not None
    if kind == "flags":
        return value.kind == "unknown" and value.literal in ("", "i")
    if kind == "small":
        return isinstance(value.literal, int) and abs(value.literal) <= _MAX_SMALL
    if kind == "fraction":
        return _is_fraction(value, node)
    return _is_of(kind, value)


_KINDS: Final = {
    # A text without a type would choose another form of the function.
    "number": NUMBERS,
    "int": ("int",),
    "date": ("date", "timestamp", *WITHOUT_TYPE),
}


def _is_of(kind: str, value: Value) -> bool:
    if kind == "array" or value.is_array:
        return kind == "array" and value.is_array
    return kind == "any" or value.kind in _KINDS.get(kind, (kind, *WITHOUT_TYPE))


def _is_fraction(value: Value, node: Node) -> bool:
    inner = bare(node)
    if kind_of(node) == "A_ArrayExpr":
        return len(inner.elements) <= _MAX_FRACTIONS and all(
            kind_of(item) == "A_Const" for item in inner.elements
        )
    return value.literal is not None and value.kind in ("int", "numeric")


def _result(node: Node, signature: Signature, arguments: Sequence[Value], scope: Scope) -> Value:
    kind = _kind_of_result(node, signature, arguments, scope)
    size = _size_of_result(signature, kind, arguments)
    extra = 1 + _work(signature, arguments)
    value = joined(kind, size, arguments, extra)
    if signature.role == "list":
        value = list_of(node, signature, value, arguments, scope)
    return replace(value, aggregates=signature.role in _AGGREGATES or value.aggregates)


def _kind_of_result(
    node: Node, signature: Signature, arguments: Sequence[Value], scope: Scope
) -> str:
    result = signature.result
    first = arguments[0] if arguments else Value("null")
    kind_of_first = "text" if first.kind in WITHOUT_TYPE else first.kind
    if result == "same":
        if len(arguments) == 3 and first.kind in WITHOUT_TYPE:
            return arguments[2].kind
        return kind_of_first
    if result == "exact":
        return "numeric" if first.kind in (*WITHOUT_TYPE, "int", "numeric") else first.kind
    if result == "sorted":
        return _sorted_kind(node, signature, first, scope)
    return {"element": first.element, "array": f"{kind_of_first}[]"}.get(result, result)


def _sorted_kind(node: Node, signature: Signature, fraction: Value, scope: Scope) -> str:
    tree = scope.analysis.tree
    if len(node.agg_order) != 1:
        raise tree.refused(f"Write {signature.name}(…) WITHIN GROUP (ORDER BY a column).", node)
    kind = _argument(bare(node.agg_order[0]).node, scope).kind
    if signature.name == "percentile_cont":
        kind = "interval" if kind == "interval" else "float"
    if kind in WITHOUT_TYPE:
        kind = "text"
    return f"{kind}[]" if fraction.is_array else kind


def _size_of_result(signature: Signature, kind: str, arguments: Sequence[Value]) -> int:
    sizes = [argument.size for argument in arguments]
    if signature.name in _SIZES:
        return _SIZES[signature.name](sizes)
    if kind == "text" or kind.endswith("[]"):
        total = sum(40 if _is_number(value) else value.size for value in arguments)
        return max(total * (2 if signature.name in _DOUBLING else 1), 10)
    if kind == "numeric":
        numbers = [
            value.size for value in arguments if _is_number(value) or value.kind in WITHOUT_TYPE
        ]
        # Sums and means of many have some digits more than each.
        return max([*numbers, size_of("numeric")]) + 40
    return size_of(kind)


_SIZES: Final[Mapping[str, Callable[[Sequence[int]], int]]] = {
    "to_char": lambda _sizes: 40 * _MAX_LITERAL,
    "array_to_string": lambda sizes: sizes[0] * (1 + sizes[1]),
    # Each element has a length of its own, and each group may have found the whole text.
    "string_to_array": lambda sizes: sizes[0] * 8,
    "regexp_match": lambda sizes: sizes[0] * (1 + patterns.MAX_GROUPS),
    "concat_ws": lambda sizes: sum(max(size, 40) for size in sizes) + sizes[0] * len(sizes),
}


def _is_number(value: Value) -> bool:
    return value.kind in NUMBERS


def _work(signature: Signature, arguments: Sequence[Value]) -> int:
    sizes = [argument.size for argument in arguments]
    work = (
        sum(size for size, value in zip(sizes, arguments, strict=True) if not _is_number(value))
        // 1_000
    )
    if signature.name in _SEARCHES and len(sizes) > 1:
        work += sizes[0] * sizes[1] // 10_000
    if "regex" in signature.arguments:
        work += 20 + sizes[0] // 100
    if signature.result in ("numeric", "exact"):
        work += max((value.size for value in arguments if _is_number(value)), default=0) // 20
    return work


def _with_clauses(node: Node, signature: Signature, value: Value, scope: Scope) -> Value:
    """Return the value with the work of ORDER BY, FILTER and OVER."""
    _check_clauses(node, signature, scope)
    ordered_by = [_argument(bare(item).node, scope) for item in node.agg_order]
    parts = list(ordered_by)
    if node.HasField("agg_filter"):
        parts.append(_argument(node.agg_filter, scope))
    if node.HasField("over"):
        parts.append(scope.analysis.expression(node.over, scope))
    size = value.size
    if signature.role == "ordered set" and value.kind not in ("float", "interval"):
        size = max([size, *(part.size for part in ordered_by)])
    return replace(
        value,
        size=size,
        weight=value.weight + sum(part.weight for part in parts),
        columns=value.columns + sum(part.columns for part in parts),
    )


def _check_clauses(node: Node, signature: Signature, scope: Scope) -> None:
    tree, counts = scope.analysis.tree, scope.analysis.counts
    keeps_values = _keeps_values(node, signature)
    is_aggregate = signature.role in ("aggregate", "list", "ordered set")
    if not is_aggregate and (keeps_values or node.HasField("agg_filter")):
        raise tree.refused(f"{signature.name} has no DISTINCT, ORDER BY or FILTER.", node)
    is_within_group = signature.role == "ordered set"
    lacks_window = signature.role == "window" and not node.HasField("over")
    if is_within_group != node.agg_within_group or lacks_window:
        raise tree.refused(f"It is written {signature}.", node)
    if node.HasField("over") and signature.role not in ("aggregate", "window"):
        raise tree.refused(f"{signature.name} has no OVER.", node)
    counts.sorting_aggregates += keeps_values
    counts.windows += node.HasField("over")
    if counts.sorting_aggregates > allowed.MAX_SORTING_AGGREGATES:
        raise tree.refused(
            f"A statement has at most {allowed.MAX_SORTING_AGGREGATES} aggregates with DISTINCT, ORDER BY or WITHIN GROUP, and lists.",
            node,
        )
    if counts.windows > allowed.MAX_WINDOWS:
        raise tree.refused(f"A statement has at most {allowed.MAX_WINDOWS} window functions.", node)


def _keeps_values(node: Node, signature: Signature) -> bool:
    """Return whether an aggregate holds its values, as DISTINCT, ORDER BY and lists do."""
    return bool(node.agg_distinct or len(node.agg_order) or signature.role == "list")


def window(node: Node, scope: Scope) -> Value:
    """Return the work of a window's definition."""
    items = [
        *node.partition_clause,
        *(bare(item).node for item in node.order_clause),
        *(getattr(node, field) for field in ("start_offset", "end_offset") if node.HasField(field)),
    ]
    return joined("bool", 1, [_argument(item, scope) for item in items])
