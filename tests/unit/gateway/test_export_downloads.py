"""Downloads of exports: pages one after the other, waits, and lists that break off."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from fastapi import Response
from starlette.requests import ClientDisconnect

from gateway.authentication.principal import Principal
from gateway.call_statistics import EndedCall
from gateway.domain.exports import Format
from gateway.exports.downloads import Downloads, PageFailure, downloads
from gateway.exports.links import EndedLinks, ExportLinks, ExportRequest
from gateway.mcp.errors import ToolFailure, tool_failure
from gateway.mcp.methods.call_record import CallRecord
from gateway.mcp.methods.tools_call import ToolSuccess
from gateway.quota.errors import QuotaExceeded, RateLimited
from gateway.quota.models import QuotaState
from gateway.tools import ToolCatalogue, all_tools
from servicekit.concurrency.bulkhead import Bulkhead
from servicekit.errors import Unavailable
from tests.fakes.gateway_ports import RESET, principal

TOOLS = ToolCatalogue(all_tools())
STATE = QuotaState(10, 9, RESET, RESET)


class Calls:
    """Calls of tools with prepared outcomes, of which `plan` is catalog.export's; they record the arguments."""

    def __init__(self, outcomes: Sequence[ToolSuccess | ToolFailure]) -> None:
        self.plan: ToolSuccess | ToolFailure = ToolSuccess(b"{}", STATE)
        self.outcomes = list(outcomes)
        self.arguments: list[Any] = []
        self.ended: list[EndedCall] = []

    async def perform_with_retries(
        self, tool: Any, arguments: Any, caller: Principal, max_waits: int
    ) -> Any:
        if tool.name == "catalog.export":
            return self.plan

        async def attempt() -> ToolSuccess | ToolFailure:
            self.arguments.append(arguments)
            return self.outcomes.pop(0)

        record = CallRecord(self.ended.append)
        return await record.ended_with_retries(tool.name, caller, attempt, max_waits)


def page(count: int, cursor: str | None) -> ToolSuccess:
    codes = [{"code": f"C{number}", "videos": 1} for number in range(count)]
    return ToolSuccess(json.dumps({"codes": codes, "next_cursor": cursor}).encode(), STATE)


def limited() -> ToolFailure:
    return tool_failure(RateLimited("Too many.", state=STATE, retry_after=0.0), "https://plans")


def away() -> ToolFailure:
    return tool_failure(Unavailable("away"), "https://plans")


def opened(
    calls: Calls,
    rows: int,
    tool: str = "code.search",
    file_format: Format = "jsonl",
    **arguments: object,
) -> tuple[Downloads, str]:
    ended = EndedLinks()
    ended.forget_all()
    links = ExportLinks("a secret", "https://mcp.example", ended)
    url = links.url(ExportRequest(tool, arguments or {"code": "C"}, file_format, rows), principal())
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
    assert [call.failed for call in calls.ended] == [False, False]


async def test_a_page_that_fails_breaks_the_file_off() -> None:
    route, token = opened(Calls([page(50, "next"), away()]), 1_000)
    response = await route.download(token)
    with pytest.raises(PageFailure):
        await body(response)


async def test_a_first_page_that_fails_is_the_response() -> None:
    route, token = opened(Calls([away()]), 1_000)
    assert (await route.download(token)).status_code == 503


async def test_a_file_that_the_month_does_not_bear_is_refused_before_its_first_page() -> None:
    calls = Calls([page(50, None)])
    calls.plan = tool_failure(
        QuotaExceeded("Too few.", state=STATE, retry_after=59.5), "https://plans"
    )
    route, token = opened(calls, 1_000)
    response = await route.download(token)
    assert (response.status_code, response.headers["retry-after"]) == (429, "60")
    assert calls.arguments == []


async def test_a_header_returns_why_rows_are_cut_off() -> None:
    result = {"columns": [{"name": "a", "type": "bigint"}], "rows": [[1]], "cut_off": "Only one."}
    calls = Calls([ToolSuccess(json.dumps(result).encode(), STATE)])
    route, token = opened(calls, 1_000, "catalog.query", sql="SELECT 1")
    response = await route.download(token)
    assert response.headers["sponsorgraph-cut-off"] == "Only one."
    assert "-first-1-rows.jsonl" in response.headers["content-disposition"]
    assert await body(response) == '{"a": 1}\n'


async def test_rows_of_a_statement_beyond_the_wanted_ones_are_cut_off_too() -> None:
    result = {"columns": [{"name": "a", "type": "bigint"}], "rows": [[1], [2]], "cut_off": None}
    calls = Calls([ToolSuccess(json.dumps(result).encode(), STATE)])
    route, token = opened(calls, 1, "catalog.query", sql="SELECT 1")
    response = await route.download(token)
    assert response.headers["sponsorgraph-cut-off"].startswith("Only the first 1 rows are here")
    assert await body(response) == '{"a": 1}\n'


@pytest.mark.parametrize(
    ("cursor", "end"),
    [
        ("third", "|\n\nOnly the first 100 rows are here"),
        (None, "|\n"),
    ],
)
async def test_a_markdown_file_of_pages_ends_with_what_it_lacks(
    cursor: str | None, end: str
) -> None:
    calls = Calls([page(50, "second"), page(50, cursor)])
    route, token = opened(calls, 100, file_format="markdown")
    response = await route.download(token)
    assert "sponsorgraph-cut-off" not in response.headers
    text = await body(response)
    assert text[text.rindex("|") :].startswith(end)
    assert ("Only" in text) == ("Only" in end)


async def sent(response: Response, *, is_gone: bool = False) -> None:
    """Send a response, to a caller who has gone away before its headers or not."""

    async def send(_message: Any) -> None:
        if is_gone:
            raise OSError

    async def receive() -> dict[str, str]:
        await asyncio.Event().wait()
        return {}

    await response({"type": "http", "asgi": {"spec_version": "2.4"}}, receive, send)


async def test_a_download_holds_its_slot_from_its_first_page_to_its_end() -> None:
    calls = Calls([page(1, None), away(), page(1, None), page(1, None)])
    route, token = opened(calls, 50)
    route = replace(route, slots=Bulkhead("test", 1))
    first = await route.download(token)
    refused = await route.download(token)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
    assert json.loads(bytes(refused.body))["error"]["code"] == "unavailable"
    await sent(first)
    assert (await route.download(token)).status_code == 503
    gone = await route.download(token)
    with pytest.raises(ClientDisconnect):
        await sent(gone, is_gone=True)
    assert (await route.download(token)).status_code == 200
