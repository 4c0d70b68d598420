"""Calls of the gateway's tools, their answers and failures."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from servicekit.errors import ServiceError

HTTP_STATUS: Final = {
    "invalid_arguments": 400,
    "plan_required": 403,
    "insufficient_scope": 403,
    "not_found": 404,
    "ambiguous": 404,
    "conflict": 409,
    "quota_exceeded": 429,
    "rate_limited": 429,
    "limit_reached": 429,
}
"""Status of a page by the code of the failure of its call; 503 for all others."""

_OF_THE_CATALOGUE: Final = (
    "sponsor.",
    "youtuber.",
    "video.",
    "code.",
    "category.",
    "catalog.resolve",
)
_NAMES: Final = ("search", "sponsor")
"""Arguments by which brands and creators are found in upper and lower case alike."""

_OF_LISTS: Final = ("in_list", "not_in_list")
"""Arguments that name a saved list, which the account may change at any time."""


@dataclass(frozen=True)
class ToolCall:
    """A tool by its dotted name, and its arguments."""

    tool: str
    arguments: Mapping[str, Any]

    @cached_property
    def key(self) -> str:
        """The same text for calls with the same answer: whatever the order of arguments, and the case of names."""
        named = {
            name: value.lower()
            for name, value in self.arguments.items()
            if name in _NAMES and isinstance(value, str)
        }
        arguments = {**self.arguments, **named}
        return f"{self.tool} {json.dumps(arguments, sort_keys=True, ensure_ascii=False)}"

    @property
    def is_stored(self) -> bool:
        """Whether its answer is the same all day: it reads the catalogue, and nothing of the account such as its saved lists."""
        is_filtered_by_list = any(name in self.arguments for name in _OF_LISTS)
        return self.tool.startswith(_OF_THE_CATALOGUE) and not is_filtered_by_list

    @property
    def arguments_json(self) -> str:
        return json.dumps(self.arguments, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call: its JSON as an AI reads it, and the requests that are left of the month, where that is known."""

    text: str
    remaining: int | None = None

    @property
    def content(self) -> Any:
        return json.loads(self.text)


class ToolCallError(ServiceError):
    """A call that the gateway refused or could not answer; `code` is the published code of the error."""

    default_reason = "TOOL_CALL_FAILED"

    def __init__(self, message: str, code: str, retry_after: float | None = None) -> None:
        super().__init__(message, retry_after=retry_after)
        self.code = code

    @property
    def status(self) -> int:
        return HTTP_STATUS.get(self.code, 503)


def late(seconds: float) -> ToolCallError:
    """Return the failure of a call without an answer in time."""
    return ToolCallError(
        f"There was no answer within {seconds:g} seconds. It goes on in the background: ask for the same "
        "again in a moment, which is not counted twice.",
        "late",
        retry_after=5,
    )
