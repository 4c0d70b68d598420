"""Lists as files: a link by MCP, read as anybody reads it."""

from __future__ import annotations

import csv
import io
import json
from typing import Any, cast

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from pyarrow import parquet

from tests.e2e.conftest import RunningStack, wait_for

pytestmark = [pytest.mark.timeout(240)]
_parquet: Any = parquet
ROWS = 120


def used(stack: RunningStack, key: str) -> int:
    return stack.tool_result("account.usage", {}, key)["requests_used"]


def export(stack: RunningStack, key: str, **more: Any) -> dict[str, Any]:
    arguments = {"tool": "sponsor.search", "arguments": {"sort": "videos"}, "rows": ROWS, **more}
    return stack.tool_result("catalog.export", arguments, key)


def paged(stack: RunningStack, key: str) -> list[dict[str, Any]]:
    """Read as many entries as the file has, page by page."""
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while len(found) < ROWS:
        arguments = {"sort": "videos", "limit": 50, **cursor}
        page = stack.tool_result("sponsor.search", arguments, key)
        found += page["sponsors"]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    return found[:ROWS]


def test_a_list_is_the_same_in_every_format_and_counts_as_its_pages(stack: RunningStack) -> None:
    key = stack.key(stack.account("creator"))
    entries = paged(stack, key)
    assert len(entries) == ROWS
    before = used(stack, key)
    planned = export(stack, key, dry_run=True)
    assert (planned["url"], planned["max_requests"], planned["max_rows"]) == (None, 3, ROWS)
    files = {
        name: export(stack, key, format=name) for name in ("csv", "parquet", "markdown", "jsonl")
    }
    assert used(stack, key) == before
    found = {name: httpx2.get(file["url"], timeout=30) for name, file in files.items()}
    assert used(stack, key) == before + 4 * 3
    for name, response in found.items():
        assert response.status_code == 200, response.text
        assert response.headers["cache-control"] == "no-store"
        disposition = f'attachment; filename="{files[name]["file_name"]}"'
        assert response.headers["content-disposition"] == disposition
    names = [entry["name"] for entry in entries]
    rows = list(csv.DictReader(io.StringIO(found["csv"].text, newline="")))
    assert [row["name"].removeprefix("'") for row in rows] == names
    assert list(rows[0]) == list(planned["columns"])
    assert [json.loads(line) for line in found["jsonl"].text.splitlines()] == entries
    table = _parquet.read_table(io.BytesIO(found["parquet"].content))
    assert table.column("name").to_pylist() == names
    assert table.column("videos").to_pylist() == [entry["videos"] for entry in entries]
    *lines, blank, end = found["markdown"].text.splitlines()
    assert (len(lines), blank) == (ROWS + 2, "")
    assert end.startswith(f"Only the first {ROWS} rows are here")


async def test_a_client_gets_the_link_as_a_link(stack: RunningStack) -> None:
    key = stack.key(stack.account("creator"))
    headers = {"Authorization": f"Bearer {key}"}
    url = f"{stack.connection['mcp_url']}?toolsets=all&names=dotted"
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(url, http_client=cast("Any", http))) as client,
    ):
        made = await client.call_tool(
            "list.create", {"name": "Two", "type": "sponsor", "names": ["nordvpn"]}
        )
        assert not made.is_error
        result = await client.call_tool(
            "catalog.export",
            {"tool": "sponsor.top", "arguments": {"in_list": "Two"}, "format": "jsonl"},
        )
    link = result.content[1]
    assert link.type == "resource_link"
    assert link.name == "sponsor-top-in-list-two.jsonl"
    async with httpx2.AsyncClient(timeout=30) as anybody:
        response = await anybody.get(str(link.uri))
    (line,) = response.text.splitlines()
    assert json.loads(line)["sponsor.slug"] == "nordvpn"


def test_a_dry_run_of_a_statement_has_its_columns_and_its_price(stack: RunningStack) -> None:
    key = stack.key(stack.account("creator"))
    sql = "SELECT id, name, name FROM sponsors"
    arguments = {"tool": "catalog.query", "arguments": {"sql": sql}, "dry_run": True}
    planned = stack.tool_result("catalog.export", arguments, key)
    assert planned["columns"] == ["id", "name", "name_2"]
    before = used(stack, key)
    assert stack.tool_result("catalog.query", {"sql": sql, "dry_run": True}, key)["requests"] == 5
    assert used(stack, key) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"category": "vpn"}, "`category` vpn is read as security."),
        ({"since": "2031-01-01"}, "The data end on"),
    ],
)
def test_an_export_has_the_note_of_its_first_page(
    stack: RunningStack, arguments: dict[str, str], words: str
) -> None:
    key = stack.key(stack.account("creator"))
    made = export(stack, key, tool="sponsor.top", arguments=arguments)
    assert words in made["note"]
    assert "-".join(arguments.values()) in made["file_name"]


def test_what_cannot_be_exported_says_why(stack: RunningStack) -> None:
    key = stack.key(stack.account("creator"))
    for arguments, words in (
        ({"tool": "sponsor.get"}, "gives no list that can be exported. These do: sponsor.search"),
        ({"tool": "sponsor.top", "arguments": {"limit": 3}}, "`arguments` has `limit`"),
        ({"tool": "sponsor.top", "arguments": {"metric": "likes"}}, "`metric` was"),
        ({"tool": "sponsor.recentVideos"}, "`sponsor` is required"),
        ({"tool": "sponsor.top", "rows": 10_001}, "`rows`"),
        ({"tool": "sponsor.recentVideos", "arguments": {"sponsor": "zzqqxx"}}, "zzqqxx"),
    ):
        refused = stack.call_tool("catalog.export", arguments, key)
        assert (refused.status_code, words in refused.text) == (400, True), refused.text
    gone = httpx2.get(export(stack, key)["url"][:-2], timeout=30)
    assert (gone.status_code, gone.json()["error"]["code"]) == (410, "link_gone")


def test_a_link_ends_with_the_key_that_made_it(stack: RunningStack) -> None:
    email = stack.account("creator")
    key = stack.key(email)
    url = export(stack, key)["url"]
    assert httpx2.get(url, timeout=30).status_code == 200
    moved = stack.command("account", "set-plan", email, "creator_agent")
    assert moved.returncode == 0, moved.stdout + moved.stderr
    wait_for(lambda: httpx2.get(url, timeout=30).status_code == 410, 30, "the link still holds")
