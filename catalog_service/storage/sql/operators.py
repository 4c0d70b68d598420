"""Operators: which there are, and what they yield."""

from collections.abc import Sequence
from typing import Final

from catalog_service.domain.sql import allowed
from catalog_service.storage.sql import group_notes, patterns
from catalog_service.storage.sql.scopes import Scope
from catalog_service.storage.sql.tree import Node, bare, kind_of, of_postgres, strings
from catalog_service.storage.sql.values import NUMBERS, WITHOUT_TYPE, Value, common, joined, size_of

_OP: Final = 1
_OF_ARRAY: Final = (2, 3)
_DISTINCT: Final = (4, 5)
_NULLIF: Final = 6
_IN: Final = 7
_LIKE: Final = (8, 9)
_SIMILAR: Final = 10
_BETWEEN: Final = (11, 12, 13, 14)
_SYMMETRIC: Final = (13, 14)
_TIMES: Final = ("date", "timestamp", "time", "interval")


def operation(node: Node, scope: Scope) -> Value:
    """Return the value of an operation.

    Raises:
        SqlRefused: There is no such operator for these values.
    """
    tree = scope.analysis.tree
    if node.kind in _BETWEEN:
        return _between(node, scope)
    name = of_postgres(node.name)
    if name not in allowed.OPERATORS:
        shown = ".".join(strings(node.name))[:80]
        offered = " ".join(sorted(allowed.OPERATORS))
        raise tree.refused(f"The operator {shown} cannot be used here; there are {offered}.", node)
    is_comparison = node.kind in _DISTINCT or name in allowed.COMPARISONS
    yields = next(
        (
            yields
            for applies, yields in (
                (node.kind == _SIMILAR or name in allowed.LIKES | allowed.REGEXES, _match),
                (node.kind == _IN, _in_list),
                (node.kind in _OF_ARRAY, _of_array),
                (node.kind == _NULLIF, _nullif),
                (is_comparison, _comparison),
                (node.kind == _OP, _binary),
            )
            if applies
        ),
        None,
    )
    if yields is None:
        raise tree.refused("This operation cannot be used here.", node)
    return yields(node, name, scope)


def _between(node: Node, scope: Scope) -> Value:
    """Return the value of BETWEEN, which Postgres writes out as comparisons, with copies of each side."""
    left, low, high = (_value_of(item, scope) for item in (node.lexpr, *bare(node.rexpr).items))
    parts = [left, left, low, high]
    if node.kind in _SYMMETRIC:
        parts *= 2
    return joined("bool", 5, parts, 4 + _size_work(parts))


def _in_list(node: Node, _name: str, scope: Scope) -> Value:
    """Return the value of IN; Postgres copies the left side for each value that it cannot make an array of."""
    left, items = _side(node.lexpr, scope), _items(node.rexpr, scope)
    group_notes.add(left, items, scope)
    is_of_rows = len(left) > 1
    copies = sum(is_of_rows or item.literal is None for item in items)
    parts = [*left * max(copies, 1), *items]
    return joined("bool", 5, parts, 1 + _size_work(parts))


def _nullif(node: Node, _name: str, scope: Scope) -> Value:
    left, right = _value_of(node.lexpr, scope), _value_of(node.rexpr, scope)
    return joined(left.kind, left.size, (left, right))


def _comparison(node: Node, name: str, scope: Scope) -> Value:
    left, right = _side(node.lexpr, scope), _side(node.rexpr, scope)
    if name in ("=", "<>"):
        group_notes.add(left, right, scope)
    parts = [*left, *right]
    return joined("bool", 5, parts, 1 + _size_work(parts))


def _value_of(node: Node, scope: Scope) -> Value:
    return scope.analysis.expression(node, scope)


def _side(node: Node, scope: Scope) -> list[Value]:
    """Return the values of a side of a comparison, which may be a row such as (a, b)."""
    inner = bare(node)
    if kind_of(node) == "RowExpr":
        return [_value_of(item, scope) for item in inner.args]
    return [_value_of(node, scope)]


def _items(node: Node, scope: Scope) -> list[Value]:
    items = bare(node).items
    _check_count(scope, len(items), node)
    return [value for item in items for value in _side(item, scope)]


def _check_count(scope: Scope, count: int, node: Node) -> None:
    if count > allowed.MAX_ELEMENTS:
        raise scope.analysis.tree.refused(
            f"A list has at most {allowed.MAX_ELEMENTS:,} values.", node
        )


def _size_work(values: Sequence[Value]) -> int:
    return sum(value.size for value in values if value.kind not in NUMBERS) // 1_000


def _match(node: Node, name: str, scope: Scope) -> Value:
    """Return the value of LIKE, SIMILAR TO or a regular expression."""
    tree = scope.analysis.tree
    left = _value_of(node.lexpr, scope)
    is_regex = node.kind == _SIMILAR or name in allowed.REGEXES
    if is_regex:
        patterns.regex(tree, node.rexpr, scope.analysis.counts)
    count = len(patterns.written_out(tree, node.rexpr))
    if left.kind not in ("text", *WITHOUT_TYPE):
        raise tree.refused(
            f"A pattern is compared with a text, and this is {left.kind}; cast it.", node
        )
    work = count * (1 + left.size // 100 + (20 if is_regex else 0))
    return joined("bool", 5, (left,), work)


def _of_array(node: Node, name: str, scope: Scope) -> Value:
    tree = scope.analysis.tree
    left, right = _value_of(node.lexpr, scope), _value_of(node.rexpr, scope)
    if name not in allowed.COMPARISONS:
        raise tree.refused("ANY and ALL stand behind comparisons and patterns.", node)
    if not right.is_array and right.kind not in WITHOUT_TYPE:
        raise tree.refused("ANY and ALL take an array or a subquery.", node)
    return joined("bool", 5, (left, right), 1 + _size_work((left, right)))


def _binary(node: Node, name: str, scope: Scope) -> Value:
    tree = scope.analysis.tree
    right = _value_of(node.rexpr, scope)
    if not node.HasField("lexpr"):
        if name not in ("+", "-") or right.kind not in (*NUMBERS, "interval", *WITHOUT_TYPE):
            raise tree.refused(f"The operator {name} stands between two values.", node)
        return joined(right.kind, right.size, (right,))
    left = _value_of(node.lexpr, scope)
    if name in allowed.CONTAINMENTS:
        if not left.is_array and not right.is_array:
            raise tree.refused(f"{name} compares arrays.", node)
        return joined("bool", 5, (left, right), 1 + left.size * right.size // 200_000)
    if name == "||":
        return _concatenation(node, left, right, scope)
    return _arithmetic(node, name, left, right, scope)


def _concatenation(node: Node, left: Value, right: Value, scope: Scope) -> Value:
    size = sum(
        max(value.size, 40) if value.kind in NUMBERS else value.size for value in (left, right)
    )
    if left.is_array or right.is_array:
        array = left if left.is_array else right
        other = right if array is left else left
        if other.kind not in (*WITHOUT_TYPE, array.kind, array.element):
            raise scope.analysis.tree.refused(
                f"{left.kind} and {right.kind} cannot be joined by ||; write ARRAY[…] of one type.",
                node,
            )
        return joined(array.kind, size + 50, (left, right), 1 + size // 1_000)
    if "text" not in (left.kind, right.kind) and not {left.kind, right.kind} & set(WITHOUT_TYPE):
        raise scope.analysis.tree.refused("|| joins texts; cast one side to text.", node)
    return joined("text", size, (left, right), 1 + size // 1_000)


def _arithmetic(node: Node, name: str, left: Value, right: Value, scope: Scope) -> Value:
    kind = _arithmetic_kind(name, left.kind, right.kind)
    if kind is None:
        raise scope.analysis.tree.refused(
            f"operator does not exist here: {left.kind} {name} {right.kind}; cast one side.", node
        )
    if kind != "numeric":
        return joined(kind, size_of(kind), (left, right))
    digits = [max(value.size, 20) for value in (left, right)]
    size = sum(digits) + 20 if name in ("*", "/") else max(digits) + 1
    return joined(kind, size, (left, right), 1 + sum(digits) // 50)


def _arithmetic_kind(name: str, left: str, right: str) -> str | None:
    """Return the kind of a result; None if there is no such operator."""
    if left in WITHOUT_TYPE and right in WITHOUT_TYPE:
        return None
    if left in WITHOUT_TYPE or right in WITHOUT_TYPE:
        # The other side's kind is taken, but a number may be written as a text of any kind.
        known = right if left in WITHOUT_TYPE else left
        if known in NUMBERS:
            return known
        return _beside_literal(name, known, is_left=right in WITHOUT_TYPE)
    if left in NUMBERS and right in NUMBERS:
        return NUMBERS[max(NUMBERS.index(left), NUMBERS.index(right))]
    return _TIME_RESULTS.get((left, name, right))


def _beside_literal(name: str, known: str, *, is_left: bool) -> str | None:
    if known not in _TIMES:
        return None
    if known == "interval":
        return "interval"
    if known == "date" and name == "-" and is_left:
        return "int"
    return "interval" if name == "-" else "timestamp"


def _time_results() -> dict[tuple[str, str, str], str]:
    found: dict[tuple[str, str, str], str] = {
        ("date", "-", "date"): "int",
        ("time", "-", "time"): "interval",
        ("time", "+", "interval"): "time",
        ("time", "-", "interval"): "time",
        ("interval", "+", "time"): "time",
        ("date", "+", "time"): "timestamp",
        ("time", "+", "date"): "timestamp",
        ("date", "+", "int"): "date",
        ("date", "-", "int"): "date",
        ("int", "+", "date"): "date",
        ("interval", "+", "interval"): "interval",
        ("interval", "-", "interval"): "interval",
    }
    for day in ("date", "timestamp"):
        found |= {
            (day, "+", "interval"): "timestamp",
            (day, "-", "interval"): "timestamp",
            ("interval", "+", day): "timestamp",
            ("timestamp", "-", day): "interval",
            (day, "-", "timestamp"): "interval",
        }
    for number in NUMBERS:
        found |= {
            ("interval", "*", number): "interval",
            ("interval", "/", number): "interval",
            (number, "*", "interval"): "interval",
        }
    return found


_TIME_RESULTS: Final = _time_results()


def indexed(node: Node, scope: Scope) -> Value:
    """Return the value of an element or a slice of an array."""
    tree = scope.analysis.tree
    value = _value_of(node.arg, scope)
    (item, *more) = (bare(part) for part in node.indirection)
    if more or item.DESCRIPTOR.name != "A_Indices":
        raise tree.refused(
            "Parts of rows cannot be used here, nor functions behind a point; write table.column, or function(value).",
            node,
        )
    if not value.is_array:
        raise tree.refused(
            "Only arrays have elements; write substring(text, 1, 3) for a part of a text.", node
        )
    ends = [_value_of(end, scope) for end in (item.lidx, item.uidx) if bare(end) is not None]
    if any(end.kind not in ("int", *WITHOUT_TYPE) for end in ends):
        raise tree.refused("The index of an array is a whole number.", node)
    kind = value.kind if item.is_slice else value.element
    return joined(kind, value.size, (value, *ends))


def alternatives(node: Node, parts: Sequence[Value], scope: Scope) -> Value:
    """Return the value of COALESCE, GREATEST or LEAST."""
    _check_count(scope, len(parts), node)
    return common(scope.analysis.tree, parts, node)


def array(node: Node, scope: Scope) -> Value:
    """Return the value of ARRAY[…]."""
    tree = scope.analysis.tree
    _check_count(scope, len(node.elements), node)
    parts = [_value_of(item, scope) for item in node.elements]
    value = common(tree, parts, node)
    if value.is_array:
        raise tree.refused("Arrays have one dimension here: join them by ||.", node)
    size = sum(part.size + 24 for part in parts)
    return joined(f"{value.kind}[]", size, parts)
