"""Calls that elicit input, in both generations of the protocol, at two gateways."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitRequestParams, ElicitResult
from prometheus_client import REGISTRY

from gateway.app import open_app
from gateway.mcp.extensions import TASKS
from gateway.mcp.versions import STATELESS
from servicekit.errors import InvalidInput
from servicekit.http.server import serve_http
from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import KEY, principal, youtuber_card
from tests.fakes.wire import Wire
from tests.integration.gateway.conftest import request, settings_for
from tests.integration.gateway.test_progress import BOTH, steps
from tests.integration.gateway.test_protocol_versions import META
from tests.integration.gateway.test_sdk_client import IN_BOTH_MODES, Mode

NAME = "Linus Tech"
TIPS, QUICKIES = youtuber_card("Linus Tech Tips"), youtuber_card("Linus Tech Quickies")
CHOSEN = {"action": "accept", "content": {"channel": QUICKIES.channel_id}}
OTHER_KEY = "mcp_" + "o" * 36
TAKES_FORMS: dict[str, Any] = {"elicitation": {"form": {}}}


@dataclass
class Pair:
    """Two gateways on one Valkey.

    Attributes:
        first: URL of the one.
        second: URL of the other.
        backends: Behind both.
        valkey: The counters of both.
        http: To talk to them.
    """

    first: str
    second: str
    backends: Backends
    valkey: Any
    http: httpx2.AsyncClient

    async def post(self, url: str, message: Any, **headers: str) -> httpx2.Response:
        return await self.http.post(url, json=message, headers=_fields(headers))

    async def session(
        self, capabilities: Mapping[str, Any] = TAKES_FORMS, revision: str = "2025-11-25"
    ) -> dict[str, str]:
        """The headers of a new session of a client with these capabilities."""
        info = {"name": "x", "version": "1"}
        message = request(
            "initialize", protocolVersion=revision, capabilities=capabilities, clientInfo=info
        )
        reply = await self.post(self.first, message)
        session_id = reply.headers["mcp-session-id"]
        return {"mcp_session_id": session_id, "mcp_protocol_version": revision}

    @asynccontextmanager
    async def importing(self, session: Mapping[str, str]) -> AsyncGenerator["Call"]:
        """A call at the first gateway whose response is a stream of events."""
        message = request("tools/call", name="channel.import", arguments={"channel": NAME})
        fields = _fields({**session, "accept": BOTH})
        async with self.http.stream("POST", self.first, json=message, headers=fields) as reply:
            yield Call(self, dict(session), _events(reply))

    async def post_stateless(
        self,
        url: str,
        key: str = KEY,
        capabilities: Mapping[str, Any] = TAKES_FORMS,
        **params: Any,
    ) -> httpx2.Response:
        """The call as stateless clients make it, with `params` of a retry."""
        declared = {"io.modelcontextprotocol/clientCapabilities": capabilities}
        usual = {"name": "channel.import", "arguments": {"channel": NAME}}
        message = request("tools/call", **(usual | params), _meta=META | declared)
        headers = {
            "mcp_protocol_version": STATELESS,
            "mcp_method": "tools/call",
            "mcp_name": "channel.import",
            "authorization": f"Bearer {key}",
        }
        return await self.post(url, message, **headers)

    async def counted(self) -> int:
        """Requests counted for all accounts."""
        keys = [key async for key in self.valkey.scan_iter("sponsorgraph:{quota}:month:*")]
        return sum([int(await self.valkey.get(key) or 0) for key in keys])

    def started(self) -> list[str]:
        """The channels whose import was requested, in order."""
        return _started(self.backends)


@dataclass
class Call:
    """A call of a session while it is under way."""

    pair: Pair
    session: dict[str, str]
    events: AsyncGenerator[Any]
    requests: list[Any] = field(default_factory=list[Any])

    async def next_request(self) -> dict[str, Any]:
        """The next message, which has to be an elicitation."""
        message = await anext(self.events)
        assert message["method"] == "elicitation/create", message
        self.requests.append(message)
        return message

    async def reply(self, result: Any, **changes: Any) -> None:
        """Replies to the last elicitation at the second gateway; `changes` are of the headers."""
        message = {"jsonrpc": "2.0", "id": self.requests[-1]["id"], "result": result}
        sent = await self.pair.post(self.pair.second, message, **(self.session | changes))
        assert (sent.status_code, sent.content) == (202, b"")

    async def result(self) -> dict[str, Any]:
        """The last message, which has to be the result of the call."""
        message = await anext(self.events)
        assert message["id"] == 7
        return message["result"]


def _fields(headers: Mapping[str, str]) -> dict[str, str]:
    hyphenated = {name.replace("_", "-"): value for name, value in headers.items()}
    return {"authorization": f"Bearer {KEY}"} | hyphenated


def _started(backends: Backends) -> list[str]:
    started: list[Any] = [request for rpc, request in backends.requests if rpc == "StartImport"]
    return [request.channel for request in started]


async def _events(reply: httpx2.Response) -> AsyncGenerator[Any]:
    async for line in reply.aiter_lines():
        if line.startswith(("data: ", "{")):
            yield json.loads(line.removeprefix("data: "))


def code_of(result: dict[str, Any]) -> str:
    assert result["isError"] is True
    return result["structuredContent"]["error"]["code"]


@asynccontextmanager
async def two_gateways(
    backends: Backends, valkey_url: str, valkey: Any, **changes: Any
) -> AsyncGenerator[Pair]:
    backends.youtubers = (TIPS, QUICKIES)
    refusal = InvalidInput("That names no channel.", details={"field": "channel"})
    backends.refused_channels = {NAME: refusal}
    backends.access.give(OTHER_KEY, principal(account_id="account-2", credential_id="key-2"))
    async with AsyncExitStack() as stack:
        urls: list[str] = []
        for _ in range(2):
            settings = settings_for(backends, valkey_url, **changes)
            wire = Wire(await stack.enter_async_context(open_app(settings)))
            port = await stack.enter_async_context(serve_http(wire, "127.0.0.1", 0, 5))
            stack.callback(wire.check)
            urls.append(f"http://127.0.0.1:{port}/mcp")
        http = await stack.enter_async_context(httpx2.AsyncClient(timeout=20))
        first, second = urls
        yield Pair(first, second, backends, valkey, http)


@pytest.fixture
async def pair(backends: Backends, fresh_valkey: str, valkey: Any) -> AsyncGenerator[Pair]:
    async with two_gateways(backends, fresh_valkey, valkey) as both:
        yield both


async def test_a_reply_reaches_the_call_from_another_gateway(pair: Pair) -> None:
    session = await pair.session()
    async with pair.importing(session) as call:
        elicitation = await call.next_request()
        await call.reply(CHOSEN)
        result = await call.result()
    options = elicitation["params"]["requestedSchema"]["properties"]["channel"]["oneOf"]
    assert [option["const"] for option in options] == [TIPS.channel_id, QUICKIES.channel_id]
    assert result["isError"] is False
    assert pair.started() == [NAME, QUICKIES.channel_id]
    assert await pair.counted() == 1


async def test_a_reply_counts_only_from_the_account_session_and_request_of_its_elicitation(
    pair: Pair,
) -> None:
    session = await pair.session()
    other = await pair.session()
    wrong = {"action": "accept", "content": {"channel": TIPS.channel_id}}
    async with pair.importing(session) as call:
        await call.next_request()
        await call.reply(wrong, authorization=f"Bearer {OTHER_KEY}")
        await call.reply(wrong, **other)
        invented = {"jsonrpc": "2.0", "id": "elicit-" + "0" * 32, "result": wrong}
        sent = await pair.post(pair.first, invented, **session)
        assert sent.status_code == 202
        await call.reply(CHOSEN)
        assert (await call.result())["isError"] is False
    assert pair.started()[-1] == QUICKIES.channel_id


async def test_a_reply_is_accepted_once(pair: Pair) -> None:
    session = await pair.session()
    async with pair.importing(session) as call:
        await call.next_request()
        await asyncio.gather(*(call.reply(CHOSEN) for _ in range(3)))
        assert (await call.result())["isError"] is False
        await call.reply(CHOSEN)
    left = [key async for key in pair.valkey.scan_iter("sponsorgraph:waiting:*")]
    assert left == []


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_person_who_says_no_is_charged_nothing(pair: Pair, action: str) -> None:
    async with pair.importing(await pair.session()) as call:
        await call.next_request()
        await call.reply({"action": action})
        result = await call.result()
    assert code_of(result) == "declined"
    assert "Linus Tech Tips" in result["content"][0]["text"]
    assert pair.started() == [NAME]
    assert await pair.counted() == 0


async def test_a_reply_that_does_not_fit_is_elicited_again(pair: Pair) -> None:
    async with pair.importing(await pair.session()) as call:
        await call.next_request()
        await call.reply({"action": "accept", "content": {"channel": "UC of nobody"}})
        await call.next_request()
        await call.reply(CHOSEN)
        assert (await call.result())["isError"] is False
    assert call.requests[0]["id"] != call.requests[1]["id"]
    assert call.requests[0]["params"] == call.requests[1]["params"]


@pytest.mark.parametrize("result", [None, 5, {"action": "perhaps"}])
async def test_a_client_that_does_not_reply_ends_the_elicitation(pair: Pair, result: Any) -> None:
    async with pair.importing(await pair.session()) as call:
        await call.next_request()
        await call.reply(result)
        assert code_of(await call.result()) == "cannot_ask"
    assert await pair.counted() == 0


async def test_nobody_is_waited_for_longer_than_is_set(
    backends: Backends, fresh_valkey: str, valkey: Any
) -> None:
    async with (
        two_gateways(backends, fresh_valkey, valkey, elicitation_timeout_seconds=0.1) as pair,
        pair.importing(await pair.session()) as call,
    ):
        await call.next_request()
        result = await call.result()
        await call.reply(CHOSEN)
        assert await pair.counted() == 0
    assert code_of(result) == "cannot_ask"
    assert "Nobody answered" in result["content"][0]["text"]


async def test_an_account_has_only_so_many_elicitations_open(
    backends: Backends, fresh_valkey: str, valkey: Any
) -> None:
    async with two_gateways(backends, fresh_valkey, valkey, max_elicitations_per_account=1) as pair:
        session = await pair.session()
        async with pair.importing(session) as call:
            await call.next_request()
            async with pair.importing(session) as another:
                assert code_of(await another.result()) == "limit_reached"
            await call.reply(CHOSEN)
            assert (await call.result())["isError"] is False
        async with pair.importing(session) as call:
            await call.next_request()
            await call.reply(CHOSEN)
            assert (await call.result())["isError"] is False


async def test_a_revision_without_titled_choices_gets_them_as_it_has_them(pair: Pair) -> None:
    async with pair.importing(await pair.session({"elicitation": {}}, "2025-06-18")) as call:
        elicitation = await call.next_request()
        await call.reply(CHOSEN)
        assert (await call.result())["isError"] is False
    channel = elicitation["params"]["requestedSchema"]["properties"]["channel"]
    assert channel["enum"] == [TIPS.channel_id, QUICKIES.channel_id]
    assert channel["enumNames"][0] == "Linus Tech Tips (@LinusTechTips, 1,000 subscribers)"
    assert "mode" not in elicitation["params"]


@pytest.mark.parametrize(
    ("revision", "capabilities"),
    [
        ("2025-11-25", {}),
        ("2025-11-25", {"elicitation": {"url": {}}}),
        ("2025-03-26", {"elicitation": {}}),
    ],
)
async def test_a_client_without_forms_gets_the_candidates(
    pair: Pair, revision: str, capabilities: dict[str, Any]
) -> None:
    async with pair.importing(await pair.session(capabilities, revision)) as call:
        result = await call.result()
    assert code_of(result) == "ambiguous"
    assert str(QUICKIES.channel_id) in result["content"][0]["text"]


async def test_a_stateless_client_without_forms_gets_the_candidates(pair: Pair) -> None:
    capabilities: list[Any] = [{}, {"elicitation": {"url": {}}}, {"sampling": {}}]
    for capability in capabilities:
        result = (await pair.post_stateless(pair.first, capabilities=capability)).json()["result"]
        assert code_of(result) == "ambiguous"


async def test_a_client_that_reads_no_stream_gets_the_candidates(pair: Pair) -> None:
    message = request("tools/call", name="channel.import", arguments={"channel": NAME})
    session = await pair.session()
    client = await pair.post(pair.first, message, **session, accept="application/json")
    assert code_of(client.json()["result"]) == "ambiguous"
    script = await pair.post(pair.first, message)
    assert (script.status_code, script.json()["error"]["code"]) == (400, -32602)
    assert str(TIPS.channel_id) in script.json()["error"]["message"]


async def test_a_stateless_call_goes_on_at_another_gateway(pair: Pair) -> None:
    required = (await pair.post_stateless(pair.first)).json()["result"]
    assert required["resultType"] == "input_required"
    assert required["inputRequests"]["channel"]["method"] == "elicitation/create"
    assert await pair.counted() == 0
    state = required["requestState"]
    retry: dict[str, Any] = {"inputResponses": {"channel": CHOSEN}, "requestState": state}
    result = (await pair.post_stateless(pair.second, **retry)).json()["result"]
    assert (result["resultType"], result["isError"]) == ("complete", False)
    assert pair.started() == [NAME, NAME, QUICKIES.channel_id]
    assert await pair.counted() == 1


async def test_a_call_that_elicited_becomes_a_task_once_it_has_its_reply(pair: Pair) -> None:
    follows: dict[str, Any] = {**TAKES_FORMS, "extensions": {TASKS: {}}}
    required = (await pair.post_stateless(pair.first, capabilities=follows)).json()["result"]
    assert required["resultType"] == "input_required"
    assert "taskId" not in required
    state = required["requestState"]
    retry: dict[str, Any] = {"inputResponses": {"channel": CHOSEN}, "requestState": state}
    result = (await pair.post_stateless(pair.second, capabilities=follows, **retry)).json()[
        "result"
    ]
    assert (result["resultType"], result["status"]) == ("task", "working")
    assert not {"requestState", "inputRequests", "content"} & result.keys()
    assert await pair.counted() == 1


async def test_a_stateless_caller_who_says_no_is_charged_nothing(pair: Pair) -> None:
    declined = {"channel": {"action": "decline"}}
    result = (await pair.post_stateless(pair.first, inputResponses=declined)).json()["result"]
    assert code_of(result) == "declined"
    assert await pair.counted() == 0


@pytest.mark.parametrize("theft", ["changed", "of another account", "of another call"])
async def test_a_state_that_does_not_belong_to_the_call_is_refused(pair: Pair, theft: str) -> None:
    state = (await pair.post_stateless(pair.first)).json()["result"]["requestState"]
    changes: dict[str, Any] = {
        "changed": {"requestState": f"{state}A"},
        "of another account": {"key": OTHER_KEY},
        "of another call": {"arguments": {"channel": NAME, "max_videos": 5}},
    }
    retry = {"inputResponses": {"channel": CHOSEN}, "requestState": state} | changes[theft]
    reply = await pair.post_stateless(pair.second, **retry)
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, -32602)
    assert "requestState" in reply.json()["error"]["message"]


def outcome_count(outcome: str) -> float:
    labels = {"tool": "channel.import", "outcome": outcome}
    return REGISTRY.get_sample_value("sponsorgraph_tool_calls_total", labels) or 0


async def test_calls_that_wait_for_input_are_counted_apart_from_refused_replies(pair: Pair) -> None:
    before = [outcome_count(outcome) for outcome in ("input_required", "protocol_error")]
    await pair.post_stateless(pair.first)
    await pair.post_stateless(pair.first, inputResponses={"channel": 5})
    after = [outcome_count(outcome) for outcome in ("input_required", "protocol_error")]
    assert after == [count + 1 for count in before]


async def test_replies_that_are_no_object_are_refused(pair: Pair) -> None:
    malformed: list[Any] = [None, [], {"channel": 5}]
    for responses in malformed:
        reply = await pair.post_stateless(pair.first, inputResponses=responses)
        assert (reply.status_code, reply.json()["error"]["code"]) == (400, -32602)


class Moving:
    """Sends replies to elicitations to the second gateway, and everything else to the first."""

    def __init__(self, first: Any, second: Any) -> None:
        self._gateways = (first, second)
        self.moved = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        messages = [await receive()]
        while messages[-1].get("more_body"):
            messages.append(await receive())
        body = b"".join(message.get("body", b"") for message in messages)
        moves = b'"inputResponses"' in body or (b'"result"' in body and b'"method"' not in body)
        self.moved += moves

        async def again() -> Any:
            return messages.pop(0) if messages else await receive()

        await self._gateways[moves](scope, again, send)


@IN_BOTH_MODES
async def test_the_sdk_replies_from_gateway_to_gateway(
    backends: Backends, fresh_valkey: str, valkey: Any, mode: Mode
) -> None:
    backends.import_steps = steps(100)
    backends.youtubers = (TIPS, QUICKIES)
    refusal = InvalidInput("That names no channel.", details={"field": "channel"})
    backends.refused_channels = {NAME: refusal}
    shown: list[str] = []

    async def choose(context: object, params: ElicitRequestParams) -> ElicitResult:
        shown.append(params.message)
        return ElicitResult(action="accept", content={"channel": str(QUICKIES.channel_id)})

    settings = settings_for(backends, fresh_valkey)
    async with open_app(settings) as first, open_app(settings) as second:
        moving = Moving(first, second)
        async with (
            serve_http(moving, "127.0.0.1", 0, 5) as port,
            httpx2.AsyncClient(headers={"authorization": f"Bearer {KEY}"}) as http,
        ):
            transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)
            async with Client(transport, mode=mode, elicitation_callback=choose) as client:
                result = await client.call_tool("channel.import", {"channel": NAME})
    assert not result.is_error
    assert shown == [f'Which channel is to be imported as "{NAME}"?']
    assert moving.moved == 1
    assert _started(backends)[-1] == QUICKIES.channel_id
