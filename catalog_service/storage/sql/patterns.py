"""Patterns of LIKE, SIMILAR TO and regular expressions: written out, short, and of bounded work.

Postgres compiles a regular expression into automata whose size is the product of its nested repetitions and keeps those of
some thirty patterns; backreferences take exponential time.
"""

import re
from math import prod
from typing import Final

from catalog_service.domain.sql import allowed
from catalog_service.storage.sql.scopes import Counts
from catalog_service.storage.sql.tree import Node, Tree, bare, kind_of, of_postgres

_REPETITION: Final = re.compile(r"\{([0-9]{1,3})(?:,([0-9]{0,3}))?\}", re.ASCII)
_BRACE: Final = re.compile(r"\{(?=[0-9])", re.ASCII)
_PARTS: Final = re.compile(
    r"(?P<edge>\\[AmMyYZ]|\[\[:[<>]:\]\]|[\^$])|\\.|\[\^?\]?(?:\[[:.=].*?[:.=]\]|\\.|[^\]])*\]|(?P<repeated>\)[*+?{])",
    re.DOTALL | re.ASCII,
)
"""Edges of texts, lines and words; escapes and sets of characters, in which nothing is an edge; ends of repeated groups."""
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
    if kind_of(node) == "A_ArrayExpr":
        return [text for part in inner.elements for text in written_out(tree, part)]
    escaped = kind_of(node) == "FuncCall" and of_postgres(inner.funcname) in (
        "like_escape",
        "similar_to_escape",
    )
    if escaped:
        return [text for part in inner.args for text in written_out(tree, part)]
    text = text_of(node)
    if text is None:
        raise tree.refused(f"A pattern is a text that is written out: write '…%', {_WRITE}.", node)
    if len(text) > allowed.MAX_PATTERN:
        raise tree.refused(
            f"A pattern has at most {allowed.MAX_PATTERN} characters; search for a part of it.",
            node,
        )
    return [text]


def text_of(node: Node) -> str | None:
    """Return a text that is written out, also in parts that || joins; None of anything else."""
    inner = bare(node)
    kind = kind_of(node)
    if kind == "A_Const" and inner.WhichOneof("val") == "sval":
        return str(inner.sval.sval)
    if kind == "TypeCast" and of_postgres(inner.type_name.names) == "text":
        return None if len(inner.type_name.array_bounds) else text_of(inner.arg)
    if kind == "A_Expr" and of_postgres(inner.name) == "||" and inner.HasField("lexpr"):
        left, right = text_of(inner.lexpr), text_of(inner.rexpr)
        return None if left is None or right is None else left + right
    return None


def regex(tree: Tree, node: Node, counts: Counts) -> None:
    """Accept a regular expression.

    Raises:
        SqlRefused: It is not written out, or may take too long or too much memory.
    """
    if kind_of(node) == "FuncCall" and len(bare(node).args) > 1:
        # It would make another character the mark of groups and of backreferences to them.
        raise tree.refused(
            "SIMILAR TO has no ESCAPE here; write ~ with a regular expression.", node
        )
    for text in written_out(tree, node):
        problem = _problem(text)
        if problem:
            raise tree.refused(problem, node)
        counts.regex_size += (len(text) + 10) * prod(_bounds(text))
        if counts.regex_size > allowed.MAX_REGEX_SIZE:
            raise tree.refused(
                f"Regular expressions have at most {allowed.MAX_REGEX_SIZE:,} characters together, each times its repetitions "
                "{…}; write * or +, or fewer of them.",
                node,
            )


def _problem(text: str) -> str:
    """Return what a regular expression has that is not accepted, and what to write instead; "" if nothing."""
    checks = (
        (
            text.startswith("***") or "(?" in text.replace("(?:", ""),
            "A regular expression has no (?…) but (?:…), and no *** here; write ~* for any case.",
        ),
        (
            _BACKREFERENCE.search(text) is not None,
            "A regular expression has no backreferences such as \\1 here.",
        ),
        (
            _has_repeated_edge(text),
            "Where a group of a regular expression is repeated, ^ stands at its begin and $ at its end alone, and \\m, \\M, \\y and "
            "\\Y nowhere; write several patterns.",
        ),
        (
            len(_BRACE.findall(text)) != len(_REPETITION.findall(text)),
            "A repetition of a regular expression is {n}, {n,} or {n,m} of at most three digits.",
        ),
        (
            prod(_bounds(text)) > _MAX_REPETITIONS,
            f"The repetitions {{…}} of a regular expression are at most {_MAX_REPETITIONS}, multiplied; write * or +.",
        ),
        (
            text.count("(") > MAX_GROUPS,
            f"A regular expression has at most {MAX_GROUPS} groups here.",
        ),
    )
    return next((problem for is_so, problem in checks if is_so), "")


def _bounds(text: str) -> list[int]:
    return [max(int(low), int(high or 0), 1) for low, high in _REPETITION.findall(text)]


def _has_repeated_edge(text: str) -> bool:
    """Return whether edges may be within a repeated group: Postgres' automata of those grow without bound."""
    parts = list(_PARTS.finditer(text))
    inner = [
        part
        for part in parts
        if part["edge"]
        and not (part["edge"] == "^" and part.start() == 0)
        and not (part["edge"] == "$" and part.end() == len(text))
    ]
    return bool(inner) and any(part["repeated"] for part in parts)
