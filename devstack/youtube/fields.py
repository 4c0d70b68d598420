"""Partial responses: the `fields` parameter of Google's APIs, such as `items(id,snippet/title)`."""

import re
from collections.abc import Iterator
from typing import Any, Final, TypeAlias, cast

Tree: TypeAlias = dict[str, "Tree"]
"""The wanted parts of each property; an empty tree means all of it."""

_TOKEN: Final = re.compile(r"[A-Za-z0-9_]+|\*|[(),/]")


class BadFields(ValueError):  # noqa: N818 - named for what was met
    """The selector cannot be read."""


def parse(selector: str) -> Tree:
    """Return the tree of the properties that a selector names.

    Raises:
        BadFields: It is none.
    """
    tokens = _TOKEN.findall(selector)
    if "".join(tokens) != selector:
        raise BadFields(selector)
    reader = _Reader(tokens)
    tree = reader.several()
    if reader.peek() is not None:
        raise BadFields(selector)
    return tree


def paths(tree: Tree, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths to the properties at the tree's ends."""
    for name, below in tree.items():
        if below:
            yield from paths(below, (*before, name))
        else:
            yield (*before, name)


def pick(value: Any, tree: Tree) -> Any:
    """Return the part of a JSON value that is wanted; in lists of every entry."""
    if not tree or "*" in tree:
        return value
    if isinstance(value, list):
        return [pick(entry, tree) for entry in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    found = cast("dict[str, Any]", value)
    return {name: pick(found[name], below) for name, below in tree.items() if name in found}


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    def peek(self) -> str | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def several(self) -> Tree:
        tree: Tree = {}
        self._field(tree)
        while self.peek() == ",":
            self._at += 1
            self._field(tree)
        return tree

    def _field(self, tree: Tree) -> None:
        below = tree.setdefault(self._name(), {})
        while self.peek() == "/":
            self._at += 1
            below = below.setdefault(self._name(), {})
        if self.peek() == "(":
            self._at += 1
            below.update(self.several())
            if self.peek() != ")":
                raise BadFields("a bracket is not closed")
            self._at += 1

    def _name(self) -> str:
        name = self.peek()
        if name is None or name in "(),/":
            raise BadFields("a name is missing")
        self._at += 1
        return name
