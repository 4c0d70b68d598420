"""A caller's statement as Postgres' own grammar reads it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import postgast
from google.protobuf.message import DecodeError, Message

from catalog_service.domain.sql import allowed, dialects
from catalog_service.domain.sql.errors import SqlRefused

Node = Any
"""A message of libpg_query; its fields are known to `grammar` alone."""

_NESTED: Final = (
    "The statement is nested too deeply or too long; write it with fewer nested parts, as by WITH."
)
ONLY_SELECT: Final = "Only SELECT is accepted: the tables can be read and not changed."


@dataclass(frozen=True, slots=True)
class Tree:
    """A statement with its text."""

    sql: str
    select: Node

    def refused(self, message: str, node: Node = None) -> SqlRefused:
        """Return the error of a part of the statement, with its place."""
        offset = None if node is None else next(_locations(node), None)
        # The grammar counts bytes.
        encoded = self.sql.encode()
        return SqlRefused(
            message,
            self.sql,
            None if offset is None else len(encoded[:offset].decode(errors="ignore")),
        )

    def is_quoted(self, node: Node) -> bool:
        """Return whether a name is written in double quotes."""
        offset = next(_locations(node), None)
        return offset is not None and self.sql.encode()[offset : offset + 1] == b'"'


def parse(sql: str) -> Tree:
    """Return the tree of a text that is one SELECT.

    Raises:
        SqlRefused: It is not.
    """
    if len(sql) > allowed.MAX_CHARACTERS:
        raise SqlRefused(
            f"A statement has at most {allowed.MAX_CHARACTERS:,} characters; this one has {len(sql):,}."
        )
    if "\0" in sql:
        raise SqlRefused("A statement has no zero bytes.")
    if not sql.isascii() and any("\ud800" <= character <= "\udfff" for character in sql):
        raise SqlRefused("A statement is Unicode text; this one has half a surrogate pair.")
    try:
        parsed = postgast.parse(sql)
    except postgast.PgQueryError as error:
        offset = error.cursorpos - 1 if error.cursorpos > 0 else None
        message = f"Postgres cannot read this: {error.message}."
        raise SqlRefused(_advised(message, sql), sql, offset) from None
    except (DecodeError, RecursionError, UnicodeError):
        raise SqlRefused(_NESTED) from None
    if len(parsed.stmts) != 1:
        raise SqlRefused(
            "Give one statement, a SELECT."
            if parsed.stmts
            else "The statement is empty. Give a SELECT."
        )
    statement = parsed.stmts[0].stmt
    if statement.WhichOneof("node") != "select_stmt":
        raise SqlRefused(_advised(ONLY_SELECT, sql))
    return Tree(sql, statement.select_stmt)


def _advised(message: str, sql: str) -> str:
    advice = dialects.advice(sql)
    return f"{message} {advice}" if advice else message


def bare(node: Node) -> Node:
    """Return what a node of the grammar's union holds; None if it holds nothing."""
    if node is None or node.DESCRIPTOR.name != "Node":
        return node
    kind = node.WhichOneof("node")
    return None if kind is None else getattr(node, kind)


def kind_of(node: Node) -> str:
    """Return the name of a node's kind; "" if it holds nothing."""
    inner = bare(node)
    return "" if inner is None else str(inner.DESCRIPTOR.name)


def strings(nodes: Node) -> list[str]:
    """Return the texts of a list of names."""
    return [bare(node).sval for node in nodes]


def single_name(node: Node) -> str | None:
    """Return the name of a column without a table; None of anything else."""
    if kind_of(node) != "ColumnRef":
        return None
    fields = node.column_ref.fields
    is_name = len(fields) == 1 and kind_of(fields[0]) == "String"
    return str(fields[0].string.sval) if is_name else None


def of_postgres(names: Node) -> str | None:
    """Return the name of a function, operator or type of Postgres; None if another schema's is meant."""
    parts = strings(names)
    if len(parts) == 2 and parts[0] == "pg_catalog":
        parts = parts[1:]
    return parts[0] if len(parts) == 1 else None


def children(message: Message) -> Iterator[tuple[str, Any]]:
    """Return the fields of a message that are messages, each with its name."""
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for child in value if field.is_repeated else (value,):
            yield field.name, child


def _locations(node: Node) -> Iterator[int]:
    pending = [bare(node)]
    while pending:
        message = pending.pop()
        if message is None:
            continue
        location = getattr(message, "location", -1)
        if isinstance(location, int) and location >= 0:
            yield location
        pending += [bare(child) for _, child in reversed(list(children(message)))]
