"""Changes of TOML that leave comments and order as they were, by tomlkit."""

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

import tomlkit
from tomlkit.exceptions import ParseError
from tomlkit.items import InlineTable

from cli.agents.errors import UnreadableTextError


@dataclass(frozen=True, slots=True)
class TomlDocument:
    """A text of TOML. Changes return a new one."""

    text: str

    def content(self) -> Any:
        """Return what the text says.

        Raises:
            UnreadableTextError: It is no TOML.
        """
        return self._parsed().unwrap()

    def with_value(self, path: Sequence[str | int], value: object) -> "TomlDocument":
        """Return the document with a value at a path; tables on the way to it are made where they are missing.

        Raises:
            UnreadableTextError: The text is no TOML, or what the path leads through is no table.
        """
        document = self._parsed()
        table: Any = document
        for depth, key in enumerate(path[:-1]):
            if key not in table:
                self._add_table(document, table, key, has_line=depth > 0 or len(path) == 2)
            table = table[key]
            if not _is_table(table):
                raise UnreadableTextError(f"{key} is no table", self._line_of(str(key)), 1)
        if table.get(path[-1]) == value:
            return self
        table[path[-1]] = value
        return TomlDocument(tomlkit.dumps(document))

    def without(self, path: Sequence[str | int]) -> "TomlDocument":
        """Return the document without what is at a path, as it is where nothing is there.

        Raises:
            UnreadableTextError: The text is no TOML.
        """
        document = self._parsed()
        table: Any = document
        for key in path[:-1]:
            if not _is_table(table) or key not in table:
                return self
            table = table[key]
        if not _is_table(table) or path[-1] not in table:
            return self
        del table[path[-1]]
        return TomlDocument(tomlkit.dumps(document))

    def _add_table(
        self, document: tomlkit.TOMLDocument, parent: Any, key: str | int, *, has_line: bool
    ) -> None:
        """Add an empty table in the form that its parent has."""
        if isinstance(parent, InlineTable):
            parent[str(key)] = tomlkit.inline_table()
            return
        if parent is document and self.text.strip():
            document.add(tomlkit.nl())
        parent[key] = tomlkit.table(is_super_table=not has_line)

    def _parsed(self) -> tomlkit.TOMLDocument:
        try:
            return tomlkit.parse(self.text)
        except ParseError as error:
            reason = str(error).rpartition(" at line ")[0] or str(error)
            raise UnreadableTextError(reason, error.line, error.col + 1) from None

    def _line_of(self, key: str) -> int:
        lines = self.text.splitlines()
        return next((number for number, line in enumerate(lines, 1) if key in line), 1)


def _is_table(value: object) -> bool:
    return isinstance(value, MutableMapping)
