"""Protocol version and kind of caller, from headers and body alone."""

from typing import Any

import pytest

from gateway.mcp.client_info import ClientInfo, client_info
from gateway.mcp.jsonrpc import Message, ProtocolError
from gateway.mcp.session import Session, Sessions
from gateway.mcp.transport.http import Request
from gateway.mcp.versions import STATELESS

SESSIONS = Sessions("a secret of at least 16")
SESSION = SESSIONS.mint(Session("2025-06-18", "cursor", ()))
META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def _identify(method: str = "tools/list", params: Any = None, **headers: str) -> ClientInfo:
    fields = {name.replace("_", "-").encode(): value.encode() for name, value in headers.items()}
    request = Request("POST", b"", fields, frozenset())
    return client_info(Message(1, method, params or {}), request, SESSIONS)


def _stateless_client(**changes: Any) -> ClientInfo:
    headers = {"mcp_protocol_version": STATELESS, "mcp_method": "tools/list"}
    return _identify(params={"_meta": META | changes}, **headers)


@pytest.mark.parametrize("accept", ["*/*", "application/json", ""])
def test_a_caller_without_any_sign_of_mcp_is_a_script(accept: str) -> None:
    caller = _identify(accept=accept, user_agent="curl/8")
    assert (caller.is_client, caller.is_stateless, caller.name) == (False, False, "curl/8")


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp_protocol_version": "2025-03-26"},
        {"mcp_session_id": SESSION},
        {"accept": "application/json, text/event-stream"},
    ],
)
def test_one_sign_of_mcp_makes_a_client(headers: dict[str, str]) -> None:
    assert _identify(**headers).is_client


def test_initialize_makes_a_session_client_whatever_the_header_says() -> None:
    for headers in (
        {},
        {"mcp_protocol_version": STATELESS},
        {"mcp_protocol_version": "2031-01-01"},
    ):
        caller = _identify("initialize", {"clientInfo": {"name": "x"}}, **headers)
        assert (caller.is_client, caller.is_stateless, caller.name) == (True, False, "x")


def test_meta_with_a_version_makes_a_stateless_client() -> None:
    caller = _stateless_client(**{"io.modelcontextprotocol/clientInfo": {"name": "x"}})
    assert (caller.is_client, caller.is_stateless, caller.name) == (True, True, "x")


def test_meta_without_a_version_is_session_based() -> None:
    caller = _identify(params={"_meta": {"progressToken": 1}})
    assert not caller.is_stateless


def test_a_session_holds_name_and_revision() -> None:
    caller = _identify(mcp_session_id=SESSION, user_agent="node")
    assert (caller.name, caller.revision) == ("cursor", "2025-06-18")


def test_the_header_outweighs_the_session() -> None:
    caller = _identify(mcp_session_id=SESSION, mcp_protocol_version="2025-11-25")
    assert caller.revision == "2025-11-25"


def test_a_stateless_client_needs_no_session_and_a_false_one_does_not_matter() -> None:
    headers = {"mcp_protocol_version": STATELESS, "mcp_method": "tools/list", "mcp_session_id": "x"}
    assert _identify(params={"_meta": META}, **headers).is_stateless


@pytest.mark.parametrize("info", [None, 5, {}, {"name": 5}, {"name": ""}])
def test_an_empty_client_info_leaves_the_user_agent(info: Any) -> None:
    caller = _identify("initialize", {"clientInfo": info}, user_agent="agent/1")
    assert caller.name == "agent/1"


def test_a_stateless_notification_under_the_header_alone_is_stateless() -> None:
    request = Request("POST", b"", {b"mcp-protocol-version": STATELESS.encode()}, frozenset())
    assert client_info(Message(None, "notifications/x", {}), request, SESSIONS).is_stateless


@pytest.mark.parametrize("version", [None, 5, "2027-01-01", ["2026-07-28"]])
def test_a_version_in_meta_that_is_not_the_header_is_a_mismatch(version: Any) -> None:
    with pytest.raises(ProtocolError) as caught:
        _stateless_client(**{"io.modelcontextprotocol/protocolVersion": version})
    assert caught.value.code == -32020


def test_white_space_around_a_header_is_not_part_of_it() -> None:
    headers = {"mcp_protocol_version": f" {STATELESS}\t", "mcp_method": "  tools/list  "}
    assert _identify(params={"_meta": META}, **headers).is_stateless


@pytest.mark.parametrize("capabilities", [None, True, [], "elicitation"])
def test_capabilities_are_an_object(capabilities: Any) -> None:
    with pytest.raises(ProtocolError, match="need"):
        _stateless_client(**{"io.modelcontextprotocol/clientCapabilities": capabilities})
