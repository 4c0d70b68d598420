"""The syntax of JSON with comments, with the place of each value in its text.

Libraries of Python either lose the comments or need Node; positions are all that a change needs that leaves
everything else as it was.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from cli.agents.errors import UnreadableTextError

_MAX_DEPTH: Final = 200
_BLANK: Final = re.compile(r"[ \t\r\n]*")


@dataclass(slots=True)
class Member:
    """A member of an object, or an item of an array.

    Attributes:
        key: Its name, or its index.
        start: Where its name begins, or an item's value.
        value: Its value.
        comma: Where the comma after it is; None without one.
    """

    key: str | int
    start: int
    value: "Value"
    comma: int | None = None


@dataclass(slots=True)
class Value:
    """A value and its place: `text[start:end]`. `members` is None for what is no object or array."""

    start: int
    end: int
    plain: Any = None
    members: list[Member] | None = None
    is_object: bool = False

    def content(self) -> Any:
        """Return the value as Python has it; of a repeated name, the last."""
        if self.members is None:
            return self.plain
        if self.is_object:
            return {member.key: member.value.content() for member in self.members}
        return [member.value.content() for member in self.members]


def parse(text: str, *, comments: bool) -> Value:
    """Return the value of a text; with `comments`, commas after the last member are allowed, too.

    Raises:
        UnreadableTextError: It is no JSON.
    """
    return _Parser(text, comments).document()


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no value of JSON")


@dataclass(slots=True)
class _Parser:
    text: str
    comments: bool
    position: int = 0
    _decoder: json.JSONDecoder = field(
        default_factory=lambda: json.JSONDecoder(parse_constant=_refuse_constant)
    )

    def document(self) -> Value:
        self._skip()
        if self.position == len(self.text):
            raise self._error("the file is empty")
        value = self._value(0)
        self._skip()
        if self.position < len(self.text):
            raise self._error("there is more after the end of the value")
        return value

    def _value(self, depth: int) -> Value:
        character = self._character()
        if depth > _MAX_DEPTH:
            raise self._error("it is nested too deeply")
        if character in ("{", "["):
            return self._container(depth, is_object=character == "{")
        start = self.position
        try:
            plain, self.position = self._decoder.raw_decode(self.text, start)
        except json.JSONDecodeError as error:
            self.position = error.pos
            raise self._error(error.msg.lower()) from None
        except ValueError as error:
            raise self._error(str(error)) from None
        return Value(start, self.position, plain)

    def _container(self, depth: int, *, is_object: bool) -> Value:
        start, close = self.position, "}" if is_object else "]"
        self.position += 1
        members = list(self._members(depth, close, is_object=is_object))
        self.position += 1
        return Value(start, self.position, None, members, is_object)

    def _members(self, depth: int, close: str, *, is_object: bool) -> Iterator[Member]:
        """Yield the members up to the closing character, which is left to the caller."""
        self._skip()
        index = 0
        while self._character() != close:
            start = self.position
            key = self._name() if is_object else index
            member = Member(key, start, self._value(depth + 1))
            self._skip()
            if self._character() == ",":
                member.comma = self.position
                self.position += 1
                self._skip()
                if self._character() == close and not self.comments:
                    raise self._error(f"there is a comma before {close}")
            elif self._character() != close:
                raise self._error(f"here a comma or {close} was expected")
            index += 1
            yield member

    def _name(self) -> str:
        if self._character() != '"':
            raise self._error("here a name in double quotes was expected")
        name = self._value(0).plain
        self._skip()
        if self._character() != ":":
            raise self._error("here a colon was expected")
        self.position += 1
        self._skip()
        return name

    def _character(self) -> str:
        if self.position >= len(self.text):
            raise self._error("the file ends too early")
        return self.text[self.position]

    def _skip(self) -> None:
        """Go past white space and comments."""
        while True:
            blank = _BLANK.match(self.text, self.position)
            self.position = blank.end() if blank else self.position
            opening = self.text[self.position : self.position + 2]
            if opening not in ("//", "/*"):
                return
            if not self.comments:
                raise self._error("its program reads no comments in this file")
            self._skip_comment(opening)

    def _skip_comment(self, opening: str) -> None:
        ending = "\n" if opening == "//" else "*/"
        end = self.text.find(ending, self.position + 2)
        if end < 0 and ending == "*/":
            raise self._error("a comment does not end")
        self.position = len(self.text) if end < 0 else end + len(ending)

    def _error(self, reason: str) -> UnreadableTextError:
        line, column = line_and_column(self.text, self.position)
        return UnreadableTextError(reason, line, column)


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """Return the line and column of a position, both from 1."""
    start = text.rfind("\n", 0, position) + 1
    return text.count("\n", 0, position) + 1, position - start + 1
