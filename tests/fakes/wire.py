"""Record the gateway's messages and validate them against MCP's schemas."""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, cast

from jsonschema import Draft7Validator, Draft202012Validator

from gateway.mcp.transport.http import Receive, Scope, Send
from gateway.mcp.versions import BATCHING, SESSION_BASED, STATELESS, SUPPORTED
from servicekit.http.exchange import WHOLE

_SCHEMAS: Final = Path(__file__).parent.parent / "contract" / "mcp_schemas"
_META_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
_RESULTS: Final = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "logging/setLevel": "EmptyResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "completion/complete": "CompleteResult",
    "server/discover": "DiscoverResult",
    "subscriptions/listen": "SubscriptionsListenResult",
}
_TASKS: Final = {
    "tools/call": "CreateTaskResult",
    "tasks/get": "GetTaskResult",
    "tasks/update": "UpdateTaskResult",
    "tasks/cancel": "CancelTaskResult",
    "notifications/tasks": "TaskStatusNotification",
}
"""The messages of the Tasks extension's schema; of calls, those whose result is a task."""
_NOTIFICATIONS: Final = {
    "notifications/progress": "ProgressNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
    "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
}
_REQUESTS: Final = {
    "elicitation/create": "ElicitRequest",
    "sampling/createMessage": "CreateMessageRequest",
}


@dataclass
class Exchange:
    """A request and what came back, as bytes."""

    headers: dict[bytes, bytes]
    request: bytearray = field(default_factory=bytearray)
    status: int = 0
    kind: bytes = b""
    coding: bytes = b""
    response: bytearray = field(default_factory=bytearray)


@dataclass
class Wire:
    """An ASGI application around another one that records the messages between them."""

    inner: Any
    exchanges: list[Exchange] = field(default_factory=list[Exchange])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = Exchange(dict(scope["headers"]))
        self.exchanges.append(exchange)

        async def received() -> Any:
            message = await receive()
            exchange.request += message.get("body", b"")
            return message

        async def sent(message: Any) -> None:
            if message["type"] in ("http.response.start", WHOLE):
                exchange.status = message["status"]
                fields = dict((*message.get("shared", ()), *message["headers"]))
                exchange.kind = fields.get(b"content-type", b"")
                exchange.coding = fields.get(b"content-encoding", b"")
            exchange.response += message.get("body", b"")
            await send(message)

        await self.inner(scope, received, sent)

    def check(self) -> None:
        """Fails if a message breaks the schema of its revision."""
        for exchange in self.exchanges:
            for request, response in _pairs(exchange):
                _check(request, response, _revision(request, response, exchange))


def validator(revision: str, definition: str) -> Any:
    """Checks instances of one of the protocol's own definitions."""
    return _validator(revision, definition)


@cache
def _validator(revision: str, definition: str) -> Any:
    schema = json.loads((_SCHEMAS / f"{revision}.json").read_text())
    key = "$defs" if "$defs" in schema else "definitions"
    kind = Draft202012Validator if key == "$defs" else Draft7Validator
    return kind({"$ref": f"#/{key}/{definition}", key: schema[key]})


def _pairs(exchange: Exchange) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Everything said, each with the request that it belongs to."""
    try:
        request: Any = json.loads(exchange.request)
    except (ValueError, RecursionError):
        request = {}
    candidates = cast("list[Any]", request) if isinstance(request, list) else [request]
    requests: list[dict[str, Any]] = [
        candidate for candidate in candidates if isinstance(candidate, dict)
    ]
    # Two requests may have one id; only one that gets a result needs to be found.
    by_id = {
        str(request.get("id")): request for request in requests if _is_known(request.get("method"))
    }
    only: dict[str, Any] = requests[0] if len(requests) == 1 else {}
    for response in _messages(exchange):
        yield by_id.get(str(response.get("id")), only), response


def _is_known(method: object) -> bool:
    return isinstance(method, str) and (method in _RESULTS or method in _TASKS)


def _messages(exchange: Exchange) -> Iterator[dict[str, Any]]:
    is_packed = exchange.coding == b"gzip"
    text = (gzip.decompress(exchange.response) if is_packed else exchange.response).decode()
    if exchange.kind == b"text/event-stream":
        for line in text.splitlines():
            if line.startswith("data: "):
                yield json.loads(line.removeprefix("data: "))
    elif exchange.kind == b"application/json" and '"jsonrpc"' in text:
        response = json.loads(text)
        yield from response if isinstance(response, list) else [response]


def _check(request: dict[str, Any], response: dict[str, Any], revision: str) -> None:
    assert response["jsonrpc"] == "2.0"
    if "method" in response:
        assert "id" not in response or revision != STATELESS, (
            "a stateless revision has no requests of the gateway"
        )
        kinds = _REQUESTS if "id" in response else _NOTIFICATIONS
        validator(*_definition(revision, response["method"], kinds, response)).validate(response)
    elif "error" in response:
        # Before 2025-11-25 no schema has an error that belongs to no request.
        if "id" in response or revision >= SESSION_BASED[0]:
            name = "JSONRPCErrorResponse" if revision >= SESSION_BASED[0] else "JSONRPCError"
            validator(revision, name).validate(response)
    else:
        name = "JSONRPCResultResponse" if revision >= SESSION_BASED[0] else "JSONRPCResponse"
        validator(revision, name).validate(response)
        schema, definition = _definition(revision, request["method"], _RESULTS, response["result"])
        _check_result(schema, definition, json.dumps(response["result"]))


@lru_cache(maxsize=1000)
def _check_result(schema: str, definition: str, result: str) -> None:
    """Lists are the same in every response, and checking one takes long: the same is checked once."""
    validator(schema, definition).validate(json.loads(result))


def _definition(
    revision: str, method: str, known: Mapping[str, str], response: Mapping[str, Any]
) -> tuple[str, str]:
    """Schema and name of what is said of a method: the core's, unless it is of a task."""
    if response.get("resultType") == "input_required" and method in known:
        return revision, "InputRequiredResult"
    if response.get("resultType") == "task" or method not in known:
        return "tasks", _TASKS[method]
    return revision, known[method]


def _revision(request: dict[str, Any], response: dict[str, Any], exchange: Exchange) -> str:
    params = _object(request.get("params"))
    reported = [
        _object(params.get("_meta")).get(_META_VERSION),
        _object(response.get("result")).get("protocolVersion"),
        exchange.headers.get(b"mcp-protocol-version", b"").decode("latin-1"),
    ]
    return next((item for item in reported if item in SUPPORTED), BATCHING)


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
