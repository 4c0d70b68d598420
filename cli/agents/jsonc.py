"""Changes of JSON with comments that leave everything else of the text as it was."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from cli.agents.errors import UnreadableTextError
from cli.agents.jsonc_syntax import Member, Value, line_and_column, parse

Path = Sequence[str | int]
_INDENT: Final = "  "


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """A text of JSON. Changes return a new one.

    Attributes:
        text: The text.
        comments: Whether its program reads comments and commas after the last member.
    """

    text: str
    comments: bool

    def content(self) -> Any:
        """Return what the text says.

        Raises:
            UnreadableTextError: It is no JSON, or no object.
        """
        return self._root().content()

    def with_value(self, path: Path, value: object) -> "JsonDocument":
        """Return the document with a value at a path; objects on the way to it are made where they are missing.

        The index behind the last item of an array appends to it.

        Raises:
            UnreadableTextError: The text is no JSON, or what the path leads through is no object.
        """
        parent = self._root()
        for depth, key in enumerate(path):
            member = self._member(parent, key)
            if member is None:
                for missing in reversed(path[depth + 1 :]):
                    value = {missing: value} if isinstance(missing, str) else [value]
                return self._appended(parent, key, value)
            if depth == len(path) - 1:
                return self._replaced(member, value)
            parent = member.value
        return self

    def without(self, path: Path) -> "JsonDocument":
        """Return the document without what is at a path, as it is where nothing is there.

        Raises:
            UnreadableTextError: The text is no JSON.
        """
        parent = self._root()
        for key in path[:-1]:
            if parent.members is None:
                return self
            member = self._member(parent, key)
            if member is None:
                return self
            parent = member.value
        if parent.members is None:
            return self
        member = self._member(parent, path[-1])
        return self if member is None else self._removed(parent, parent.members, member)

    def _root(self) -> Value:
        root = parse(self.text, comments=self.comments)
        if not root.is_object:
            raise self._error("here an object was expected", root.start)
        return root

    def _member(self, parent: Value, key: str | int) -> Member | None:
        if parent.members is None or parent.is_object != isinstance(key, str):
            kind = "an object" if isinstance(key, str) else "an array"
            raise self._error(f"here {kind} was expected", parent.start)
        found = [member for member in parent.members if member.key == key]
        if len(found) > 1:
            raise self._error(f"{key} is there twice", found[1].start)
        return found[0] if found else None

    def _replaced(self, member: Member, value: object) -> "JsonDocument":
        old = member.value
        if old.content() == value:
            return self
        written = self._dumped(value, self._indent_of(member.start))
        return self._changed(old.start, old.end, written)

    def _appended(self, parent: Value, key: str | int, value: object) -> "JsonDocument":
        members = parent.members or []
        close = parent.end - 1
        outer = self._indent_of(parent.start)
        inner = self._indent_of(members[0].start) if members else outer
        inner = inner if len(inner) > len(outer) else outer + self._unit()
        name = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
        written = f"{self._line_end()}{inner}{name}{self._dumped(value, inner)}"
        if not members:
            head = self.text[:close].rstrip()
            return JsonDocument(
                f"{head}{written}{self._line_end()}{outer}{self.text[close:]}", self.comments
            )
        last = members[-1]
        if last.comma is None:
            end = last.value.end
            head = f"{self.text[:end]},{self.text[end:close]}".rstrip()
            tail = ""
        else:
            head, tail = self.text[:close].rstrip(), ","
        return JsonDocument(
            f"{head}{written}{tail}{self._line_end()}{outer}{self.text[close:]}", self.comments
        )

    def _removed(self, parent: Value, members: list[Member], member: Member) -> "JsonDocument":
        index = members.index(member)
        if len(members) == 1 and not self._has_comments(parent, member):
            return self._changed(parent.start + 1, parent.end - 1, "")
        text, start = self.text, member.start
        end = member.value.end if member.comma is None else member.comma + 1
        line = text.rfind("\n", 0, start) + 1
        rest = len(text) if text.find("\n", end) < 0 else text.find("\n", end)
        if not text[line:start].strip() and not text[end:rest].strip():
            start, end = max(line - 1, 0), rest  # its lines, with the end of the one before
        previous = members[index - 1] if index else None
        changed = text[:start] + text[end:]
        if member.comma is None and previous is not None and previous.comma is not None:
            changed = changed[: previous.comma] + changed[previous.comma + 1 :]
        return JsonDocument(changed, self.comments)

    def _has_comments(self, parent: Value, member: Member) -> bool:
        after = member.value.end if member.comma is None else member.comma + 1
        around = self.text[parent.start + 1 : member.start] + self.text[after : parent.end - 1]
        return bool(around.strip())

    def _changed(self, start: int, end: int, written: str) -> "JsonDocument":
        return JsonDocument(self.text[:start] + written + self.text[end:], self.comments)

    def _dumped(self, value: object, indent: str) -> str:
        lines = json.dumps(value, indent=self._unit(), ensure_ascii=False).split("\n")
        return f"{self._line_end()}{indent}".join(lines)

    def _indent_of(self, position: int) -> str:
        line = self.text[self.text.rfind("\n", 0, position) + 1 : position]
        return line[: len(line) - len(line.lstrip())]

    def _unit(self) -> str:
        """Return what one level is indented by."""
        members = self._root().members or []
        return (self._indent_of(members[0].start) if members else "") or _INDENT

    def _line_end(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def _error(self, reason: str, position: int) -> UnreadableTextError:
        return UnreadableTextError(reason, *line_and_column(self.text, position))
