"""Values that are written out: numbers, texts, and what casts make of them."""

import re
from typing import Final

from catalog_service.domain.sql import allowed
from catalog_service.storage.sql.tree import Node, Tree, bare, kind_of, of_postgres, strings
from catalog_service.storage.sql.values import WITHOUT_TYPE, Value, joined, size_of

_EXPONENT: Final = re.compile(r"[eE][+-]?([0-9_]{1,9})", re.ASCII)
_NUMBER_WITH_EXPONENT: Final = re.compile(r"[\s+-]*[0-9._]{1,999}[eE]", re.ASCII)
_MAX_CHAR: Final = 1_000
_MAX_PRECISION: Final = 100
_MAX_TYPMOD: Final = 32_767
_WITH_PRECISION: Final = frozenset(("interval", "time", "timestamp", "timestamptz"))
_CHARACTERS_OF_AN_OPERATION: Final = 100
_TEXT_SIZES: Final = 40
"""Characters of a number, day or time as text."""


def constant(tree: Tree, node: Node) -> Value:
    """Return the value of a constant.

    Raises:
        SqlRefused: It is a number that is too long.
    """
    if node.isnull:
        return Value("null", 1)
    kind = node.WhichOneof("val")
    if kind == "ival":
        return Value("int", 20, literal=node.ival.ival)
    if kind == "fval":
        _check_number(tree, node.fval.fval, node)
        return Value("numeric", _digits(node.fval.fval), literal=node.fval.fval)
    if kind == "boolval":
        return Value("bool", 5)
    text = node.sval.sval
    size = len(text.encode()) + 1
    if _NUMBER_WITH_EXPONENT.match(text):
        # It may become a number of any of these digits.
        _check_number(tree, text, node)
        size = max(size, _digits(text))
    # It is copied with each column that it is part of.
    return Value("unknown", size, 1 + size // _CHARACTERS_OF_AN_OPERATION, literal=text)


def _check_number(tree: Tree, text: str, node: Node) -> None:
    if len(text) > allowed.MAX_EXPONENT or any(
        int(found.replace("_", "") or 0) > allowed.MAX_EXPONENT for found in _EXPONENT.findall(text)
    ):
        raise tree.refused(
            f"A number has at most {allowed.MAX_EXPONENT} digits, and an exponent up to {allowed.MAX_EXPONENT}.",
            node,
        )


def _digits(text: str) -> int:
    found = _EXPONENT.search(text)
    return len(text) + (int(found[1].replace("_", "") or 0) if found else 0)


def cast(tree: Tree, value: Value, node: Node) -> Value:
    """Return the value of a cast.

    Raises:
        SqlRefused: The type, or the cast between these types, is not offered.
    """
    target = node.type_name
    name = of_postgres(target.names)
    kind = allowed.TYPES.get(name or "")
    if kind is None:
        shown = ".".join(strings(target.names))[:80]
        offered = ", ".join(sorted(set(allowed.TYPES)))
        raise tree.refused(f"The type {shown} cannot be used here; there are {offered}.", node)
    limit = _typmod(tree, name or "", target)
    if len(target.array_bounds) > 1:
        raise tree.refused("Arrays have one dimension here: write text[].", node)
    if target.array_bounds:
        if limit is not None:
            raise tree.refused("The elements of an array have no length here: write text[].", node)
        kind += "[]"
    _check_cast(tree, value, kind, node)
    return joined(kind, _cast_size(value, kind, limit, is_padded=name == "bpchar"), (value,))


def _check_cast(tree: Tree, value: Value, kind: str, node: Node) -> None:
    is_written_out = value.literal is not None or value.kind in WITHOUT_TYPE
    if value.is_array and kind != value.kind and not kind.endswith("[]"):
        raise tree.refused(
            "An array cannot be cast to a single value; write array_to_string(array, ', ') or array[1].",
            node,
        )
    if kind.endswith("[]") and not value.is_array and not is_written_out:
        raise tree.refused(
            "Only a text that is written out can be cast to an array; write ARRAY[…].", node
        )
    if kind == "numeric" and value.kind == "text" and not is_written_out:
        raise tree.refused("A text is cast to bigint or float8 here, not to numeric.", node)


def _cast_size(value: Value, kind: str, limit: int | None, *, is_padded: bool) -> int:
    if kind == "text":
        size = (
            value.size if value.kind in ("text", "unknown") else max(value.size, _TEXT_SIZES) + 10
        )
        if limit is None:
            return size
        # A character has up to four bytes.
        return limit * 4 if is_padded else min(size, limit * 4)
    if kind == "numeric":
        if value.kind == "float":
            return _TEXT_SIZES * 10
        return max(value.size, size_of("numeric")) + (limit or 0)
    if kind.endswith("[]"):
        return max(value.size * 4, size_of("int"))
    return size_of(kind)


def _typmod(tree: Tree, name: str, target: Node) -> int | None:
    """Return the length of a text type or the decimals of a number, if they are given."""
    numbers = [
        whole_number(tree, node, _MAX_TYPMOD, "The length of a type") for node in target.typmods
    ]
    if not numbers:
        # `char` alone is char(1), which the grammar has written already.
        return None
    first, rest = numbers[0], numbers[1:]
    if name in ("bpchar", "varchar"):
        if not 1 <= first <= _MAX_CHAR:
            raise tree.refused(
                f"A text type has at most {_MAX_CHAR:,} characters; write text.", target
            )
    elif name == "numeric":
        if not (1 <= first <= _MAX_PRECISION and 0 <= sum(rest) <= first):
            raise tree.refused(
                f"numeric has at most {_MAX_PRECISION} digits: numeric(12, 2).", target
            )
    elif name not in _WITH_PRECISION:
        raise tree.refused(f"The type {name} has no length here.", target)
    return first


def whole_number(tree: Tree, node: Node, limit: int, subject: str) -> int:
    """Return a whole number that is written out.

    Raises:
        SqlRefused: It is not, or is beyond `limit`.
    """
    sign = 1
    inner = bare(node)
    if kind_of(node) == "A_Expr" and strings(inner.name) == ["-"] and not inner.HasField("lexpr"):
        sign, inner = -1, bare(inner.rexpr)
    if inner is None or inner.DESCRIPTOR.name != "A_Const" or inner.isnull:
        raise tree.refused(f"{subject} is a whole number here, written out.", node)
    if inner.WhichOneof("val") not in (None, "ival") or abs(inner.ival.ival) > limit:
        raise tree.refused(f"{subject} is a whole number up to {limit:,} here, written out.", node)
    return sign * inner.ival.ival
