"""Bad input gets a fitting error that says what to do, never a 500, never a charge."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import pytest

from tests.fakes.gateway_ports import KEY
from tests.integration.gateway.conftest import Service, request

JSON = {"content-type": "application/json", "authorization": f"Bearer {KEY}"}
SEARCH = request("tools/call", name="sponsor.search", arguments={"search": "vpn"})


@pytest.fixture(autouse=True)
async def nothing_is_charged(service: Service) -> AsyncGenerator[None]:
    yield
    assert await service.counted() == 0
    assert service.backends.requests == []


def error_of(reply: httpx2.Response) -> dict[str, Any]:
    body = reply.json()
    assert body["jsonrpc"] == "2.0"
    assert "result" not in body
    return body["error"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"jsonrpc":',
        b"\xff\xfe",
        b'{"a":"\xed\xa0\x80"}',
        b'{"a":NaN}',
        b'{"a":"\\ud800"}',
    ],
)
async def test_a_body_that_is_not_json_is_a_parse_error(service: Service, body: bytes) -> None:
    reply = await service.http.post("/mcp", content=body, headers=JSON)
    assert (reply.status_code, error_of(reply)["code"]) == (400, -32700)
    assert "id" not in reply.json()


@pytest.mark.parametrize(
    "message",
    [
        1,
        "text",
        None,
        {},
        {"jsonrpc": "1.0", "id": 7, "method": "ping"},
        {"id": 7, "method": "ping"},
        {"jsonrpc": 2.0, "id": 7, "method": "ping"},
        {"jsonrpc": "2.0", "id": 7},
        {"jsonrpc": "2.0", "id": 7, "method": 5},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
        {"jsonrpc": "2.0", "id": [1], "method": "ping"},
        {"jsonrpc": "2.0", "id": 10**30, "method": "ping"},
    ],
)
async def test_a_body_that_is_no_json_rpc_message_is_an_invalid_request(
    service: Service, message: Any
) -> None:
    reply = await service.post(message)
    assert (reply.status_code, error_of(reply)["code"]) == (400, -32600)


async def test_a_method_beside_a_result_must_be_a_string(service: Service) -> None:
    reply = await service.post({"jsonrpc": "2.0", "id": 7, "method": 5, "result": {}})
    assert (reply.status_code, error_of(reply)["code"]) == (400, -32600)


async def test_a_cursor_of_the_list_of_tools_was_never_given(service: Service) -> None:
    reply = await service.post(request("tools/list", cursor="abc"))
    assert (reply.status_code, error_of(reply)["code"]) == (400, -32602)


async def test_parameters_that_are_no_object_are_named(service: Service) -> None:
    reply = await service.post({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": [1]})
    assert (reply.status_code, error_of(reply)["code"]) == (400, -32602)
    assert "params" in error_of(reply)["message"]


async def test_an_unknown_method_is_named(service: Service) -> None:
    reply = await service.post(request("tools/destroy"))
    assert (reply.status_code, error_of(reply)["code"]) == (404, -32601)
    assert "tools/destroy" in error_of(reply)["message"]


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("sponsor.serch", "sponsor.search"),
        ("sponsor_serch", "sponsor.search"),
        ("sponsorSearch", "sponsor.search"),
        ("youtuber.prospect", "youtuber.prospects"),
        ("SPONSOR.TOP", "sponsor.top"),
    ],
)
async def test_an_unknown_tool_gets_the_nearest_names(
    service: Service, name: str, nearest: str
) -> None:
    reply = await service.call(name)
    assert (reply.status_code, error_of(reply)["code"]) == (400, -32602)
    assert f"Did you mean {nearest}" in error_of(reply)["message"]
    # Each reads the names of its own list.
    client = await service.call(name, mcp_protocol_version="2025-11-25")
    assert f"Did you mean {nearest.replace('.', '_')}" in error_of(client)["message"]


@pytest.mark.parametrize("name", [None, 5, ["sponsor.search"], "", "x" * 100_000])
async def test_a_name_that_is_none_is_refused(service: Service, name: Any) -> None:
    reply = await service.call(name)
    assert (reply.status_code, error_of(reply)["code"]) == (400, -32602)
    assert len(reply.content) < 1000


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("sponsor.get", {}, ["`sponsor` is required", "1 to 200 characters"]),
        ("sponsor.search", {"limit": 0}, ["`limit` was 0", "from 1 to 50"]),
        ("sponsor.search", {"limit": 51}, ["`limit` was 51", "from 1 to 50", "default 10"]),
        (
            "sponsor.search",
            {"limit": "10"},
            ['`limit` was "10"', "an integer", "a string was sent; send the number without quotes"],
        ),
        ("sponsor.search", {"min_videos": "1,000"}, ['was "1,000"', "a string was sent; send"]),
        ("sponsor.search", {"min_videos": "1e3"}, ['was "1e3"', "a string was sent; send"]),
        ("sponsor.search", {"limit": 1.5}, ["`limit` was 1.5", "an integer"]),
        ("sponsor.search", {"limit": True}, ["`limit` was true", "an integer"]),
        ("sponsor.search", {"limit": 10**40}, ["`limit` was", "from 1 to 50"]),
        ("sponsor.get", {"sponsor": ""}, ['`sponsor` was ""', "1 to 200 characters"]),
        ("sponsor.search", {"search": "x" * 201}, ["`search` was", "1 to 200 characters"]),
        ("sponsor.search", {"search": {"a": 1}}, ['`search` was {"a":1}', "a string"]),
        ("sponsor.search", {"sort": "best"}, ['`sort` was "best"', '"relevance"', '"videos"']),
        ("sponsor.search", {"country": "USA"}, ['`country` was "USA"', "two letters", '"US"']),
        ("sponsor.search", {"active_since": "01/02/2026"}, ["`active_since`", "YYYY-MM-DD"]),
        ("sponsor.search", {"active_since": "2026-02-30"}, ["`active_since`", "no such day"]),
        ("sponsor.search", {"active_since": 20260101}, ["`active_since`", "YYYY-MM-DD"]),
        ("sponsor.search", {"serach": "vpn"}, ["`serach`", "Did you mean `search`?"]),
        ("sponsor.search", {"zzz": 1}, ["`zzz` is not an argument", "`search`", "`limit`"]),
        ("sponsor.compare", {"in_list": "Mine"}, ["`in_list` is not an argument. This tool takes"]),
        ("account.usage", {"zzz": 1}, ["takes none"]),
        (
            "sponsor.top",
            {"from": "2026-02-01", "to": "2026-01-01"},
            ["`since`", "`until`", "exchange"],
        ),
        ("sponsor.top", {"since": "2026-02-01", "until": "2026-01-01"}, ["`since`", "exchange"]),
        ("sponsor.top", {"until_date": "2026-02-01"}, ["Did you mean `until`?"]),
        ("sponsor.top", {"from": "May"}, ["`since` (sent as `from`)", '"May"', "YYYY-MM-DD"]),
        (
            "sponsor.top",
            {"from": "2026-02-01", "since": "2026-02-01"},
            ["`from` is the former name of `since`", "send `since` alone"],
        ),
        ("sponsor.top", {"min_confidence": " 0.5"}, ["a number", "without quotes"]),
        ("youtuber.recentVideos", {"youtuber": "x", "sponsored": "True"}, ["send true without"]),
        ("sponsor.top", {"kinds": '["affiliate"]'}, ["`kinds`", "send the list itself"]),
        ("sponsor.top", {"limit": "ten"}, ['`limit` was "ten"', "an integer"]),
        ("sponsor.get", {"sponsor": None}, ["`sponsor` is required"]),
        (
            "youtuber.search",
            {"min_subscribers": 5, "max_subscribers": 4},
            ["`min_subscribers` (5)", "`max_subscribers` (4)"],
        ),
        ("sponsor.search", [1], ["`arguments` was [1]", "an object"]),
        ("sponsor.search", "vpn", ["`arguments`", "an object"]),
        ("sponsor.search", {"limit": 0, "sort": "x", "y": 1}, ["`limit`", "`sort`", "`y`"]),
    ],
)
async def test_bad_arguments_are_named_with_the_allowed_values(
    service: Service, tool: str, arguments: Any, words: list[str]
) -> None:
    script = await service.call(tool, arguments)
    assert (script.status_code, error_of(script)["code"]) == (400, -32602)
    assert error_of(script)["data"]["code"] == "invalid_arguments"
    client = await service.call(tool, arguments, mcp_protocol_version="2025-11-25")
    assert client.status_code == 200
    result = client.json()["result"]
    assert result["isError"] is True
    assert result["structuredContent"]["error"]["code"] == "invalid_arguments"
    text = result["content"][0]["text"]
    assert text == error_of(script)["message"] == result["structuredContent"]["error"]["message"]
    for word in words:
        assert word in text
    assert len(text) < 800


async def test_an_unknown_tool_is_an_error_of_the_protocol_to_a_client(service: Service) -> None:
    reply = await service.call("sponsor.serch", mcp_protocol_version="2025-11-25")
    assert (reply.status_code, error_of(reply)["code"]) == (200, -32602)


async def test_a_body_over_the_limit_is_not_read(service: Service) -> None:
    reply = await service.http.post("/mcp", content=b" " * 262_145, headers=JSON)
    assert (reply.status_code, error_of(reply)["code"]) == (413, -32600)
    assert "262,144 bytes" in error_of(reply)["message"]


async def test_a_body_over_the_limit_without_an_announced_length_is_cut_off(
    service: Service,
) -> None:
    async def parts() -> AsyncGenerator[bytes]:
        for _ in range(300):
            yield b" " * 1024

    reply = await service.http.post("/mcp", content=parts(), headers=JSON)
    assert reply.status_code == 413


@pytest.mark.parametrize("levels", [40, 500, 100_000])
async def test_deep_nesting_is_refused(service: Service, levels: int) -> None:
    body = b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":' + b"[" * levels
    reply = await service.http.post("/mcp", content=body + b"]" * levels + b"}}", headers=JSON)
    assert (reply.status_code, error_of(reply)["code"]) == (400, -32600)
    assert "32 levels" in error_of(reply)["message"]


async def test_many_brackets_side_by_side_are_no_nesting(service: Service) -> None:
    reply = await service.post(request("ping", many=[[] for _ in range(200)]))
    assert reply.status_code == 200


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"]
)
async def test_another_content_type_is_refused(service: Service, content_type: str) -> None:
    headers = JSON | {"content-type": content_type}
    reply = await service.http.post("/mcp", content=json.dumps(SEARCH), headers=headers)
    assert reply.status_code == 415
    assert "Content-Type: application/json" in error_of(reply)["message"]


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "HEAD"])
async def test_other_http_methods_are_not_allowed(service: Service, method: str) -> None:
    reply = await service.http.request(method, "/mcp", headers=JSON)
    assert (reply.status_code, reply.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example.com", "null", "http://localhost.evil.example.com", "http://[::1"],
)
async def test_pages_of_other_origins_are_refused(service: Service, origin: str) -> None:
    reply = await service.post(SEARCH, origin=origin)
    assert reply.status_code == 403
    assert "id" not in reply.json()
    assert "access-control-allow-origin" not in reply.headers


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({}, "NO_CREDENTIAL"),
        ({"authorization": ""}, "NO_CREDENTIAL"),
        ({"authorization": "Bearer"}, "CREDENTIAL_MALFORMED"),
        ({"authorization": "Basic dXNlcjpwYXNz"}, "CREDENTIAL_MALFORMED"),
        ({"authorization": "Bearer " + "x" * 9000}, "CREDENTIAL_MALFORMED"),
        ({"authorization": "Bearer something"}, "TOKEN_UNKNOWN"),
        ({"authorization": "Bearer mcp_short"}, "KEY_UNKNOWN"),
        ({"authorization": "Bearer mcp_" + "z" * 36}, "KEY_UNKNOWN"),
        ({"authorization": "Bearer mcp_" + "ä" * 36}, "KEY_UNKNOWN"),
    ],
)
async def test_without_a_good_credential_there_is_a_challenge(
    service: Service, headers: dict[str, str], reason: str
) -> None:
    encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    reply = await service.http.post("/mcp", json=SEARCH, headers=encoded)
    assert reply.status_code == 401
    assert reply.json()["id"] == 7
    assert error_of(reply)["data"]["reason"] == reason
    challenge = reply.headers["www-authenticate"]
    metadata = "http://127.0.0.1:8000/.well-known/oauth-protected-resource/mcp"
    assert challenge.startswith("Bearer ")
    assert f'resource_metadata="{metadata}"' in challenge
    assert 'scope="catalog:read"' in challenge
    assert ("invalid_token" in challenge) is (reason != "NO_CREDENTIAL")


@pytest.mark.parametrize("name", ["access_token", "api_key", "key", "token"])
async def test_a_credential_in_the_url_is_refused_even_beside_a_good_one(
    service: Service, name: str
) -> None:
    reply = await service.http.post(f"/mcp?{name}={KEY}", json=SEARCH, headers=JSON)
    assert reply.status_code == 401
    assert "never in the URL" in error_of(reply)["message"]


async def test_the_fault_of_a_body_is_reported_only_to_callers_with_a_credential(
    service: Service,
) -> None:
    reply = await service.http.post(
        "/mcp", content=b"{", headers={"content-type": "application/json"}
    )
    assert reply.status_code == 401


@pytest.mark.parametrize("version", ["2026-07-28", "2025-11-25", "2025-06-18", "2024-11-05"])
async def test_revisions_without_batches_refuse_them(service: Service, version: str) -> None:
    reply = await service.post([SEARCH], mcp_protocol_version=version)
    assert (reply.status_code, error_of(reply)["code"]) == (400, -32600)


@pytest.mark.parametrize("count", [0, 21])
async def test_a_batch_has_a_size(service: Service, count: int) -> None:
    reply = await service.post([SEARCH] * count)
    assert (reply.status_code, error_of(reply)["code"]) == (400, -32600)
    assert f"this one has {count}" in error_of(reply)["message"]


async def test_each_bad_message_of_a_batch_gets_its_own_error(service: Service) -> None:
    batch = [request("ping"), 5, request("nope"), {"jsonrpc": "2.0", "method": "notifications/x"}]
    reply = await service.post(batch)
    assert reply.status_code == 200
    responses = reply.json()
    assert [response.get("error", {}).get("code") for response in responses] == [
        None,
        -32600,
        -32601,
    ]


@pytest.mark.parametrize("version", ["2023-01-01", "", "banana", "2026-07-28, 2025-11-25"])
async def test_a_version_that_is_not_spoken_is_refused_with_those_that_are(
    service: Service, version: str
) -> None:
    reply = await service.post(request("tools/list"), mcp_protocol_version=version)
    assert (reply.status_code, error_of(reply)["code"]) == (400, -32022)
    assert error_of(reply)["data"]["supported"][0] == "2026-07-28"


@pytest.mark.parametrize("session", ["", "abc", "ä", "a" * 5000, "…".encode().decode("latin-1")])
async def test_a_session_that_was_not_signed_here_is_not_found(
    service: Service, session: str
) -> None:
    headers = {**JSON, "mcp-session-id": session}
    encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    reply = await service.http.post("/mcp", json=request("tools/list"), headers=encoded)
    assert reply.status_code == 404
    assert reply.json()["id"] == 7
