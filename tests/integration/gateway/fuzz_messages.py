"""Messages and headers as clients send them, and then mutated: what the fuzzing test sends.

A `Sent` is one HTTP request. Most of them begin as a message that is right for its revision; values
then change type, keys go, nesting and numbers grow, the bytes of the body break, and headers are
lost, repeated or made to contradict the body.
"""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, cast

from hypothesis import strategies as st

from gateway.mcp.versions import SESSION_BASED, STATELESS, SUPPORTED
from gateway.prompts import ALL_PROMPTS
from gateway.tools import all_tools
from tests.fakes.gateway_ports import KEY
from tests.integration.gateway.test_protocol_versions import META

SESSION: Final = b"{a session that initialize gave}"
"""Stands for the id of a session in a header's value."""

FREE_KEY: Final = "mcp_" + "f" * 36
SCOPELESS_KEY: Final = "mcp_" + "n" * 36
SPENT_KEY: Final = "mcp_" + "s" * 36

Header = tuple[bytes, bytes]


@dataclass(frozen=True)
class Sent:
    """A request to `/mcp`."""

    body: bytes
    headers: tuple[Header, ...] = (
        (b"authorization", f"Bearer {KEY}".encode()),
        (b"content-type", b"application/json"),
    )
    method: str = "POST"
    query: bytes = b""


_JUNK: Final[list[Any]] = [
    *(None, True, False, 0, -1, 1, 51, 2**31, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30, 10**400),
    *(0.0, -0.0, 1.5, 1e308, float("nan"), float("inf")),
    *("", " ", "x", "x" * 300, "\0", "\n", "é", "😀", "\ud800", "\u202e", "null", "__proto__"),
    *(
        "sponsor.search",
        "2026-01-01",
        "9999-99-99",
        STATELESS,
        "%ff%00",
        "../..",
        "=?base64?eA==?=",
    ),
    *([], [[]], [None], {}, {"": {}}, {"a": [1, {"b": None}]}, ["x"] * 50),
]
junk: Final = st.one_of(
    st.sampled_from(_JUNK), st.text(max_size=8), st.integers(), st.floats(), st.binary(max_size=6)
).map(lambda value: value.decode("latin-1") if isinstance(value, bytes) else value)

_IDS: Final = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from([0, 7, "", "a", "é" * 40]),
    st.text(max_size=6),
)
_TOKENS: Final = st.sampled_from([1, "t", "", 2**53])
_TOOLS: Final = {name: tool for tool in all_tools() for name in (tool.name, tool.alias)}
_PROMPTS: Final = {prompt.name: prompt for prompt in ALL_PROMPTS}
_URIS: Final = [
    "sponsorgraph://sponsor/nordvpn",
    "sponsorgraph://youtuber/%40mkbhd",
    "sponsorgraph://category/vpn",
    "sponsorgraph://sponsor/{id}",
    "sponsorgraph://sponsor/%ff%fe",
    "sponsorgraph://sponsor/" + "x" * 300,
    "sponsorgraph://account/usage",
    "ui://sponsorgraph/sponsor-top",
    "ui://sponsorgraph/none",
    "file:///etc/passwd",
]
_WORDS: Final = ["nordvpn", "@mkbhd", "vpn", "US", "2026-01-01", "cursor", "x"]


def _plausible(field: dict[str, Any]) -> st.SearchStrategy[Any]:
    """A value that an argument may have, or might."""
    if "enum" in field:
        return st.sampled_from(field["enum"])
    if field.get("type") == "integer":
        return st.integers(field.get("minimum", 0), field.get("maximum", 1000))
    if field.get("type") == "number":
        return st.floats(0, 1)
    return st.booleans() if field.get("type") == "boolean" else st.sampled_from(_WORDS)


def _call(name: str) -> st.SearchStrategy[dict[str, Any]]:
    schema = _TOOLS[name].input_schema
    fields = {key: _plausible(field) for key, field in schema["properties"].items()}
    required = set(schema.get("required", ()))
    needed = {key: fields[key] for key in required}
    optional = {key: field for key, field in fields.items() if key not in required}
    arguments = st.fixed_dictionaries(needed, optional=optional)
    return st.fixed_dictionaries({"name": st.just(name)}, optional={"arguments": arguments})


def _prompt(name: str) -> st.SearchStrategy[dict[str, Any]]:
    fields = {key: st.sampled_from(_WORDS) for key in _PROMPTS[name].params.model_fields}
    arguments = st.fixed_dictionaries({}, optional=fields)
    return st.fixed_dictionaries({"name": st.just(name)}, optional={"arguments": arguments})


_REFS: Final = st.sampled_from(
    [
        *({"type": "ref/prompt", "name": name} for name in _PROMPTS),
        *({"type": "ref/resource", "uri": uri} for uri in _URIS),
    ]
)
_INFO: Final = st.sampled_from(
    [{"name": "claude-ai", "version": "1"}, {"name": "x" * 300, "version": "1"}]
)
_UI: Final = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}}}
_LISTENING: Final = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")
_NOTHING: Final = st.just(dict[str, Any]())
_PARAMS: Final[dict[str, st.SearchStrategy[dict[str, Any]]]] = {
    "initialize": st.fixed_dictionaries(
        {
            "protocolVersion": st.sampled_from([*SUPPORTED, "1999-01-01"]),
            "capabilities": st.sampled_from([{}, {"roots": {}}, _UI]),
            "clientInfo": _INFO,
        }
    ),
    "ping": _NOTHING,
    "logging/setLevel": st.sampled_from([{"level": "info"}, {"level": "loud"}]),
    "resources/subscribe": st.fixed_dictionaries({"uri": st.sampled_from(_URIS)}),
    "resources/unsubscribe": st.fixed_dictionaries({"uri": st.sampled_from(_URIS)}),
    "server/discover": _NOTHING,
    "tools/list": _NOTHING,
    "tools/call": st.sampled_from([*sorted(_TOOLS), *["channel.import"] * 6]).flatmap(_call),
    "resources/list": _NOTHING,
    "resources/templates/list": _NOTHING,
    "resources/read": st.fixed_dictionaries({"uri": st.sampled_from(_URIS)}),
    "prompts/list": _NOTHING,
    "prompts/get": st.sampled_from(sorted(_PROMPTS)).flatmap(_prompt),
    "completion/complete": st.fixed_dictionaries(
        {
            "ref": _REFS,
            "argument": st.fixed_dictionaries(
                {
                    "name": st.sampled_from(["brand", "channel", "category", "id"]),
                    "value": st.sampled_from(["", "nor", "x" * 250]),
                }
            ),
        }
    ),
    "subscriptions/listen": st.fixed_dictionaries(
        {
            "notifications": st.fixed_dictionaries(
                {}, optional=dict.fromkeys(_LISTENING, st.booleans())
            )
        }
    ),
    "notifications/initialized": _NOTHING,
    "notifications/cancelled": st.fixed_dictionaries({"requestId": _IDS}),
    "notifications/roots/list_changed": _NOTHING,
    "tasks/get": st.just({"taskId": "imp_1"}),
    "sampling/createMessage": _NOTHING,
}
_METHODS: Final = st.sampled_from(
    [*sorted(_PARAMS), *["tools/call"] * 8, *["resources/read", "prompts/get", "initialize"] * 2]
)
_NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


@dataclass
class _Draft:
    """A message on its way to being sent."""

    message: Any
    headers: list[Header]


def _seldom(draw: st.DrawFn, times: int) -> bool:
    """True about once in so many times; what a failure is reduced to is False."""
    return draw(st.integers(1, times)) == times


@st.composite
def _right(draw: st.DrawFn) -> _Draft:
    """A message and the headers that belong to it."""
    method = draw(_METHODS)
    params = copy.deepcopy(draw(_PARAMS[method]))
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if not method.startswith("notifications/"):
        message["id"] = draw(_IDS)
    if draw(st.booleans()):
        params["_meta"] = {"progressToken": draw(_TOKENS)}
    kind_of_client = draw(st.sampled_from(["stateless", "session_based", "script"]))
    headers: list[Header] = []
    if kind_of_client != "script" and not _seldom(draw, 5):
        headers.append((b"accept", b"application/json, text/event-stream"))
    if kind_of_client == "stateless":
        params["_meta"] = {**params.get("_meta", {}), **META}
        headers += [(b"mcp-protocol-version", STATELESS.encode()), (b"mcp-method", method.encode())]
        if method in _NAMED:
            headers.append((b"mcp-name", str(params[_NAMED[method]]).encode()))
    elif kind_of_client == "session_based":
        headers.append((b"mcp-protocol-version", draw(st.sampled_from(SESSION_BASED)).encode()))
        if draw(st.booleans()):
            headers.append((b"mcp-session-id", SESSION))
    return _Draft(message, headers)


def fields(value: object) -> dict[str, Any]:
    """A copy of an object's fields; none of what is no object."""
    return dict(cast("dict[str, Any]", value)) if isinstance(value, dict) else {}


def _nested(value: Any) -> Any:
    for _ in range(40):
        value = [value]
    return value


@st.composite
def _changed(draw: st.DrawFn, value: Any) -> Any:
    """The value with something in it, or all of it, replaced, gone, doubled or nested."""
    held = fields(value)
    if held and not _seldom(draw, 8):
        # Mostly deeper in: a fault at the top is found before anything else is read.
        deeper = [key for key, field in held.items() if isinstance(field, dict) and field]
        key = draw(st.sampled_from([*held, *deeper * 8]))
        match draw(st.integers(0, 15 if key in deeper else 5)):
            case 1:
                del held[key]
            case 2:
                held[draw(st.text(max_size=5))] = held.pop(key)
            case 3:
                held[draw(st.text(max_size=5))] = draw(junk)
            case _:
                held[key] = draw(_changed(held[key]))
        return held
    match draw(st.integers(0, 9)):
        case 0:
            return [value]
        case 1:
            return {"value": value}
        case 2:
            return _nested(value)
        case _:
            return draw(junk)


_RESPONSES: Final[list[dict[str, Any]]] = [
    {"jsonrpc": "2.0", "id": 7, "result": {}},
    {"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": "x"}},
    {"jsonrpc": "2.0", "id": 7, "result": {}, "method": None},
]
_DAMAGE: Final[list[Callable[[bytes, int], bytes]]] = [
    lambda body, at: body[: at % (len(body) + 1)],
    lambda body, at: body[: at % (len(body) + 1)] + b"\xff" + body[at % (len(body) + 1) :],
    lambda body, at: body[: at % (len(body) + 1)] + b"\xed\xa0\x80" + body[at % (len(body) + 1) :],
    lambda body, at: body[: at % (len(body) + 1)] + b"\0" + body[at % (len(body) + 1) :],
    lambda body, at: body[: at % (len(body) + 1)] + b"[" * 60 + body[at % (len(body) + 1) :],
    lambda body, _: body.replace(b"{", b'{"id":1,', 1),
    lambda body, _: body.replace(b"{", b'{"id":[],"method":{},', 1),
    lambda body, _: body.replace(b"}", b',"id":8}', 1),
    lambda body, _: body.replace(b'"params"', b'"params":{"a":NaN},"params"', 1),
    lambda body, _: body.replace(b'"params"', b'"x":1e999,"params"', 1),
    lambda body, _: body.replace(b'"params"', b'"x":"\\ud800","params"', 1),
    lambda body, _: body.replace(b'"params"', b'"x":' + b"9" * 5000 + b',"params"', 1),
    lambda body, _: b"\xef\xbb\xbf" + body,
    lambda body, _: b" \n\t" + body + b"\r\n",
    lambda body, _: body + body,
    lambda body, _: b"[" + body,
    lambda body, _: body.decode("utf-8", "replace").encode("utf-16"),
]
_HEADERS: Final[list[Header]] = [
    *((b"mcp-protocol-version", text.encode()) for text in (*SUPPORTED, "", "2099-01-01", "x")),
    *((b"mcp-method", text.encode()) for text in ("tools/call", "tools/list", "", "é")),
    (b"mcp-name", b"sponsor.search"),
    (b"mcp-name", b"=?base64?" + base64.b64encode(b"sponsor.search") + b"?="),
    (b"mcp-name", b"=?base64?" + base64.b64encode(b"\xff\xfe") + b"?="),
    *((b"mcp-name", value) for value in (b"=?base64??=", b"=?base64?=?=", b"=?base64?\xe9?=")),
    (b"mcp-name", b"\xff" * 200),
    *((b"mcp-session-id", value) for value in (SESSION, SESSION + b"x", b"", b"\xe9", b"A" * 120)),
    *((b"accept", v) for v in (b"*/*", b"", b"text/event-stream", b"text/html", b"\xff")),
    (b"accept", b"application/json, text/event-stream"),
    *((b"content-type", v) for v in (b"text/plain", b"", b"application/json; charset=x", b"\xff")),
    *((b"origin", v) for v in (b"null", b"https://evil.example.com", b"http://[::1", b"\xe9")),
    (b"origin", b"http://localhost:3000"),
    *((b"authorization", v) for v in (b"", b"Bearer", b"Basic eA==", b"Bearer \xff", b"x" * 9000)),
    *(
        (b"authorization", f"Bearer {key}".encode())
        for key in (FREE_KEY, SCOPELESS_KEY, SPENT_KEY, "mcp_" + "z" * 36, "a.b.c", "eyJ.eyJ.x")
    ),
    *((b"content-length", v) for v in (b"0", b"-1", b"x", b"999999", b"9" * 5000, b"\xb2")),
    *((b"traceparent", v) for v in (b"", b"00-" + b"0" * 32 + b"-x-01", b"\xff" * 60)),
    *((b"user-agent", v) for v in (b"", b"Cursor/1", b"\xe9" * 300)),
    (b"last-event-id", b"1"),
    (b"access-control-request-headers", b"mcp-\xe9, authorization,,"),
]
_QUERIES: Final = st.sampled_from([b"token=x", b"%ff=%00", b"\xff", b"&" * 200, b"API_KEY"])
_FIRST: Final = Sent(b"").headers


@st.composite
def _message(draw: st.DrawFn) -> _Draft:
    """Right, or with up to two faults."""
    if _seldom(draw, 30):
        return _Draft(draw(st.one_of(junk, st.sampled_from(_RESPONSES))), [])
    draft = draw(_right())
    for _ in range(draw(st.sampled_from([0, 1, 1, 1, 2]))):
        draft.message = draw(_changed(draft.message))
    return draft


@st.composite
def requests(draw: st.DrawFn) -> Sent:
    """Any request to `/mcp`."""
    draft = draw(_message())
    if _seldom(draw, 8):
        more = draw(st.lists(_message(), max_size=3))
        # One id, one request: a response could belong to either of two.
        batch = {str(fields(item.message).get("id")): item.message for item in [draft, *more]}
        draft.message = list(batch.values()) * draw(st.sampled_from([1, 1, 1, 2, 9]))
        if draw(st.booleans()):
            draft.headers = []
    text = json.dumps(draft.message, ensure_ascii=draw(st.booleans()))
    body = text.encode("utf-8", "surrogatepass")
    if _seldom(draw, 12):
        body = draw(st.sampled_from(_DAMAGE))(body, draw(st.integers(0, 2**16)))
    headers = [*_FIRST, *draft.headers]
    for _ in range(draw(st.sampled_from([0, 0, 0, 0, 1, 1, 2]))):
        name, value = draw(st.sampled_from(_HEADERS))
        match draw(st.integers(0, 5)):
            case 0:
                headers.append((name, value))
            case 1:
                headers.pop(draw(st.integers(0, len(headers) - 1))) if headers else None
            case _:
                headers = [header for header in headers if header[0] != name] + [(name, value)]
    others = st.sampled_from(["GET", "OPTIONS", "PUT"])
    method = draw(others) if _seldom(draw, 40) else "POST"
    query = draw(_QUERIES) if _seldom(draw, 40) else b""
    return Sent(body, tuple(headers), method, query)
