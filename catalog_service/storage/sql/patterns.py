"""Patterns of LIKE, SIMILAR TO and regular expressions: written out, short, and of bounded work.

Postgres compiles a regular expression into automata whose size is the product of its nested repetitions, and backreferences
take exponential time.
"""

import re
from collections.abc import Sequence
from math import prod
from typing import Final

from catalog_service.domain.sql import allowed
from catalog_service.storage.sql.tree import Node, Tree, bare, kind_of, of_postgres

_REPETITION: Final = re.compile(r"\{([0-9]{0,5}),?([0-9]{0,5})\}", re.ASCII)
_BACKREFERENCE: Final = re.compile(r"\\[1-9]", re.ASCII)
_MAX_REPETITIONS: Final = 60
MAX_GROUPS: Final = 10
_WRITE: Final = "or compare whole texts, or use position(text in text)"


def written_out(tree: Tree, node: Node) -> list[str]:
    """Return the texts of a pattern that is written out, or of an ARRAY of them.

    Raises:
        SqlRefused: It is not, or too long.
    """
    inner = bare(node)
    kind = kind_of(node)
    parts = _parts(kind, inner)
    if parts:
        return [text for part in parts for text in written_out(tree, part)]
    if kind != "A_Const" or inner.WhichOneof("val") != "sval":
        raise tree.refused(f"A pattern is a text that is written out: write '…%', {_WRITE}.", node)
    text = inner.sval.sval
    if len(text) > allowed.MAX_PATTERN:
        raise tree.refused(
            f"A pattern has at most {allowed.MAX_PATTERN} characters; search for a part of it.",
            node,
        )
    return [text]


def _parts(kind: str, inner: Node) -> Sequence[Node]:
    """Return what a pattern is made of: an array's elements, or a pattern with its escape or its type."""
    if kind == "A_ArrayExpr":
        return inner.elements
    if kind == "FuncCall" and of_postgres(inner.funcname) in ("like_escape", "similar_to_escape"):
        return inner.args
    if kind == "TypeCast" and of_postgres(inner.type_name.names) == "text":
        return (inner.arg,)
    return ()


def regex(tree: Tree, node: Node) -> None:
    """Accept a regular expression.

    Raises:
        SqlRefused: It is not written out, or may take too long.
    """
    for text in written_out(tree, node):
        if text.startswith("***") or "(?" in text.replace("(?:", ""):
            raise tree.refused(
                "A regular expression has no (?…) but (?:…), and no *** here; write ~* for any case.",
                node,
            )
        if _BACKREFERENCE.search(text):
            raise tree.refused("A regular expression has no backreferences such as \\1 here.", node)
        bounds = [max(int(low or 0), int(high or 0), 1) for low, high in _REPETITION.findall(text)]
        if prod(bounds) > _MAX_REPETITIONS:
            raise tree.refused(
                f"The repetitions {{…}} of a regular expression are at most {_MAX_REPETITIONS}, multiplied; write * or +.",
                node,
            )
        if text.count("(") > MAX_GROUPS:
            raise tree.refused(f"A regular expression has at most {MAX_GROUPS} groups here.", node)
