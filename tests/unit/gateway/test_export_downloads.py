"""Downloads of exports: pages one after the other, waits, and lists that break off."""

import json
from collections.abc import Sequence
from typing import Any, cast

import pytest

from gateway.exports.downloads import Downloads, PageFailure, downloads
from gateway.exports.links import EndedLinks, ExportLinks, ExportRequest
from gateway.mcp.errors import ToolFailure, tool_failure
from gateway.mcp.methods.tools_call import ToolSuccess
from gateway.quota.errors import RateLimited
from gateway.quota.models import QuotaState
from gateway.tools import ToolCatalogue, all_tools
from servicekit.errors import Unavailable
from tests.fakes.gateway_ports import RESET, principal

TOOLS = ToolCatalogue(all_tools())
STATE = QuotaState(10, 9, RESET, RESET)


class Calls:
    """Calls of tools with prepared outcomes; they record the arguments."""

    def __init__(self, outcomes: Sequence[ToolSuccess | ToolFailure]) -> None:
        self.outcomes = list(outcomes)
        self.arguments: list[Any] = []

    async def perform(self, _tool: Any, arguments: Any, *_more: Any) -> Any:
        self.arguments.append(arguments)
        return self.outcomes.pop(0)


def page(count: int, cursor: str | None) -> ToolSuccess:
    codes = [{"code": f"C{number}", "videos": 1} for number in range(count)]
    return ToolSuccess(json.dumps({"codes": codes, "next_cursor": cursor}).encode(), STATE)


def limited() -> ToolFailure:
    return tool_failure(RateLimited("Too many.", state=STATE, retry_after=0.0), "https://plans")


def away() -> ToolFailure:
    return tool_failure(Unavailable("away"), "https://plans")


def opened(calls: Calls, rows: int) -> tuple[Downloads, str]:
    ended = EndedLinks()
    ended.forget_all()
    links = ExportLinks("a secret", "https://mcp.example", ended)
    url = links.url(ExportRequest("code.search", {"code": "C"}, "jsonl", rows), principal())
    return downloads(TOOLS, links, cast("Any", calls)), url.rpartition("/")[2]


async def body(response: Any) -> str:
    return "".join([part.decode() async for part in response.body_iterator])


async def test_pages_follow_each_other_up_to_the_wanted_rows() -> None:
    calls = Calls([page(50, "second"), page(50, "third"), page(20, "fourth")])
    route, token = opened(calls, 120)
    text = await body(await route.download(token))
    assert text.count("\n") == 120
    assert calls.arguments == [
        {"code": "C", "limit": 50},
        {"code": "C", "limit": 50, "cursor": "second"},
        {"code": "C", "limit": 20, "cursor": "third"},
    ]


async def test_no_more_pages_are_read_than_were_planned() -> None:
    calls = Calls([page(1, "next"), page(1, "next"), page(1, "next")])
    route, token = opened(calls, 100)
    assert (await body(await route.download(token))).count("\n") == 2
    assert len(calls.arguments) == 2


async def test_too_many_calls_at_once_are_waited_for() -> None:
    calls = Calls([limited(), page(50, "next"), limited(), limited(), page(1, None)])
    route, token = opened(calls, 1_000)
    assert (await body(await route.download(token))).count("\n") == 51


async def test_a_page_that_fails_breaks_the_file_off() -> None:
    route, token = opened(Calls([page(50, "next"), away()]), 1_000)
    response = await route.download(token)
    with pytest.raises(PageFailure):
        await body(response)


async def test_a_first_page_that_fails_is_the_response() -> None:
    route, token = opened(Calls([away()]), 1_000)
    assert (await route.download(token)).status_code == 503
