"""Lists of values, by `string_agg` and `array_agg`: as many as a LIMIT lets through, so that their size has a bound."""

from collections.abc import Sequence
from dataclasses import replace

from catalog_service.domain.sql import allowed
from catalog_service.domain.sql.functions import Signature
from catalog_service.storage.sql.scopes import Scope
from catalog_service.storage.sql.tree import Node
from catalog_service.storage.sql.values import Value

_OVERHEAD = 8
"""Bytes of an element of an array beside its value, and more than two separators have."""


def list_of(
    node: Node, signature: Signature, value: Value, arguments: Sequence[Value], scope: Scope
) -> Value:
    """Return the value of a list, with the size that all rows of FROM together would give it.

    Raises:
        SqlRefused: FROM has rows without a LIMIT, the list none of their columns, or it may get too large.
    """
    tree = scope.analysis.tree
    rows = scope.rows
    # Without a column of this SELECT, Postgres takes it for an aggregate of the one around it, whose rows nobody bounds.
    if rows is None or not arguments[0].columns:
        raise tree.refused(
            f"{signature.name} joins columns of a subquery with a LIMIT, as {_example(signature)} FROM (SELECT … LIMIT 100) AS t.",
            node,
        )
    size = rows * (sum(argument.size for argument in arguments) + _OVERHEAD)
    if size > allowed.MAX_LISTS:
        max_rows = allowed.MAX_LISTS // (size // rows)
        raise tree.refused(
            f"This list may get larger than {allowed.MAX_LISTS // 1000} kB: take it of one subquery, with its joins inside and "
            f"LIMIT {max_rows}, or list shorter columns.",
            node,
        )
    return replace(value, size=size, is_list=True)


def _example(signature: Signature) -> str:
    return "string_agg(t.name, ', ')" if signature.name == "string_agg" else "array_agg(t.name)"
