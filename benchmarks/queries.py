"""Request bodies of the workloads."""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from benchmarks.catalogue import Size, name

SEARCH: Final = "sponsor.search, every question different"
SAME: Final = "sponsor.search, the same question again"
LIST: Final = "tools/list"
ECHO: Final = "echo of 1 KB"

HEADERS: Final[Mapping[str, str]] = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
    "Accept-Encoding": "gzip, deflate",
}
"""Sent with every request, to every contender, as the clients of the Python and TypeScript SDKs do."""

_SHORTEST: Final = 4


@dataclass(frozen=True, slots=True)
class Workload:
    """A series of requests: the text around a word, and the words in the order they are asked."""

    name: str
    before: str
    words: tuple[str, ...]
    after: str

    def body(self, number: int) -> bytes:
        return f"{self.before}{self.words[number % len(self.words)]}{self.after}".encode()


def workloads(size: Size) -> dict[str, Workload]:
    """All, by name."""
    words = _words(size)
    search = _around("tools/call", {"name": "sponsor.search", "arguments": {"search": "\0"}})
    return {
        SEARCH: Workload(SEARCH, search[0], words, search[1]),
        SAME: Workload(SAME, search[0], (words[0],), search[1]),
        LIST: Workload(LIST, *_constant("tools/list", {})),
        ECHO: Workload(ECHO, json.dumps({"padding": "x" * 1000}), ("",), ""),
    }


@cache
def _words(size: Size) -> tuple[str, ...]:
    """Beginnings of the sponsors' names, each once, in an order that chance gave once.

    Names with a typing error in the middle follow in the same numbers for those who come so far.
    """
    chooser = random.Random(3)
    names = [name(number) for number in range(size.sponsors)]
    right = {item[:end] for item in names for end in range(_SHORTEST, len(item) + 1)}
    wrong = {item[:2] + letter + item[3:] for item in names for letter in "qwjhy"} - right
    first, then = sorted(right), sorted(wrong)
    chooser.shuffle(first)
    chooser.shuffle(then)
    return tuple(first + then)


def _around(method: str, params: Mapping[str, Any]) -> tuple[str, str]:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    before, _, after = json.dumps(message).partition(json.dumps("\0")[1:-1])
    return before, after


def _constant(method: str, params: Mapping[str, Any]) -> tuple[str, tuple[str, ...], str]:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return json.dumps(message), ("",), ""


def tool_call(tool: str, arguments: Callable[[int], Mapping[str, Any]]) -> Callable[[int], bytes]:
    """Bodies of calls with arguments that a running number makes."""

    def body(number: int) -> bytes:
        params = {"name": tool, "arguments": arguments(number)}
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        return json.dumps(message).encode()

    return body
