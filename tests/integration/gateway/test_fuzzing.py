"""Whatever is sent, the endpoint answers: in time, with the request's id, as the protocol wants it.

`FUZZ_MESSAGES=1000000 pytest tests/integration/gateway/test_fuzzing.py` sends more, and others each
time; without it the same 10,000 are sent every time. What was once found stays as an example.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
from collections import Counter
from collections.abc import AsyncGenerator, Generator, Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from gateway.app import opened
from gateway.mcp_face.revisions import MODERN
from gateway.mcp_face.web import WebApp
from tests.fakes.backends import running_backends
from tests.fakes.gateway_ports import KEY, principal
from tests.fakes.wire import Exchange, Wire
from tests.integration.gateway.conftest import request, settings_for
from tests.integration.gateway.fuzz_messages import (
    FREE_KEY,
    SCOPELESS_KEY,
    SESSION,
    SPENT_KEY,
    Sent,
    requests,
)
from tests.integration.gateway.test_eras import META
from tests.integration.gateway.test_progress import steps as import_steps

ASKED: Final = os.environ.get("FUZZ_MESSAGES")
PER_EXAMPLE: Final = 4
NESTING: Final = 32
SECONDS: Final = 30
"""How long an answer may take before it counts as one that never comes."""

NOT_READ: Final = frozenset({403, 405, 413, 415})
"""Statuses of requests refused before their body was looked at."""

pytestmark = pytest.mark.timeout(0 if ASKED else 600)


@dataclass
class Target:
    """The gateway, and a session of it."""

    web: WebApp
    session: bytes


@pytest.fixture(scope="module")
def _quiet() -> Generator[None]:
    """Writing the logs of so many refusals would take longer than the refusals."""
    with capture_logs():
        yield


@pytest.fixture(scope="module")
async def target(_quiet: None, valkey_url: str) -> AsyncGenerator[Target]:
    async with running_backends() as backends:
        backends.import_steps = import_steps(0, 50, 100)
        plenty = {"monthly_requests": 10**9, "burst_requests": 10**9}
        access = backends.access
        access.give(KEY, principal(account_id="fuzz", **plenty))
        access.give(SCOPELESS_KEY, principal(account_id="fuzz-n", scopes=(), **plenty))
        access.give(FREE_KEY, principal(account_id="fuzz-f", plan_name="Free", features=()))
        access.give(SPENT_KEY, principal(account_id="fuzz-s", monthly_requests=0))
        async with opened(settings_for(backends, valkey_url)) as web:
            begun = json.dumps(request("initialize", protocolVersion="2025-11-25")).encode()
            (_, session) = next(
                pair for pair in await _heads(web, Sent(begun), b"") if pair[0] == b"mcp-session-id"
            )
            yield Target(web, session)


async def _heads(web: WebApp, sent: Sent, session: bytes) -> list[tuple[bytes, bytes]]:
    """The header fields of the reply."""
    heads: list[tuple[bytes, bytes]] = []

    async def keep(message: Any) -> None:
        heads.extend(message.get("headers", ()))

    await _deliver(web, sent, session, keep)
    return heads


async def _deliver(app: Any, sent: Sent, session: bytes, send: Any) -> None:
    """One request over ASGI. A caller who listens leaves when that has begun."""
    bodies, leaves = [sent.body], asyncio.Event()

    async def receive() -> Any:
        if bodies:
            return {"type": "http.request", "body": bodies.pop()}
        await leaves.wait()
        return {"type": "http.disconnect"}

    async def sending(message: Any) -> None:
        if b"notifications/subscriptions/acknowledged" in message.get("body", b""):
            leaves.set()
        await send(message)

    headers = [(name, value.replace(SESSION, session)) for name, value in sent.headers]
    scope = {
        "type": "http",
        "path": "/mcp",
        "method": sent.method,
        "query_string": sent.query,
        "headers": headers,
    }
    await app(scope, receive, sending)


async def _exchange(target: Target, sent: Sent) -> Exchange:
    wire = Wire(target.web)

    async def drop(_message: Any) -> None:
        pass

    async with asyncio.timeout(SECONDS):
        await _deliver(wire, sent, target.session, drop)
    wire.check()
    (exchange,) = wire.exchanges
    return exchange


def _understood(body: bytes) -> object:
    """The body's value by another reader of JSON than the gateway's; None if it may not be one."""
    try:
        value = json.loads(body.decode(), parse_constant=_refuse)
        json.dumps(value, ensure_ascii=False).encode()  # a lone surrogate has no UTF-8
    except (ValueError, RecursionError):
        return None
    return None if _depth(value) > NESTING or not all(map(_fits, _leaves(value))) else value


def _refuse(constant: str) -> float:
    raise ValueError(constant)


def _fits(leaf: object) -> bool:
    return not isinstance(leaf, float) or math.isfinite(leaf)


def _inside(value: object) -> list[Any]:
    if isinstance(value, dict):
        return list(cast("dict[str, Any]", value).values())
    return cast("list[Any]", value) if isinstance(value, list) else []


def _depth(value: object) -> int:
    return 1 + max(map(_depth, _inside(value)), default=0) if _is_container(value) else 0


def _is_container(value: object) -> bool:
    return isinstance(value, dict | list)


def _leaves(value: object) -> Iterator[object]:
    if not _is_container(value):
        yield value
    for one in _inside(value):
        yield from _leaves(one)


def _id(message: object) -> str | None:
    """The id that an answer must carry, as JSON; None where it is no valid one."""
    if not isinstance(message, dict):
        return None
    found = cast("dict[str, Any]", message).get("id")
    is_valid = isinstance(found, str) or (type(found) is int and abs(found) <= 2**63 - 1)
    return json.dumps(found) if is_valid else None


def _is_response(message: object) -> bool:
    """Whether it is a client's response, which is taken without a word or refused."""
    if not isinstance(message, dict):
        return False
    fields = cast("dict[str, Any]", message)
    has_method = fields.get("method") is not None
    return (
        fields.get("jsonrpc") == "2.0" and not has_method and bool({"result", "error"} & {*fields})
    )


def _answers(exchange: Exchange) -> list[dict[str, Any]]:
    """The responses, without what was told before them."""
    if exchange.kind == b"text/event-stream":
        lines = exchange.said.decode().splitlines()
        said = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
        return [one for one in said if "method" not in one]
    if not exchange.said:
        return []
    assert exchange.kind == b"application/json"
    answer = json.loads(exchange.said)
    if isinstance(answer, list):
        assert answer
        return cast("list[dict[str, Any]]", answer)
    return [answer]


def _check(sent: Sent, exchange: Exchange) -> None:
    answers = _answers(exchange)
    assert exchange.status < 500 or exchange.status == 503
    for answer in answers:
        assert answer["jsonrpc"] == "2.0"
        assert ("result" in answer) != ("error" in answer)
        assert answer.get("error", {}).get("code") != -32603
    if exchange.status == 204 or exchange.status in NOT_READ:
        return
    value = _understood(sent.body)
    answered = Counter(json.dumps(one["id"]) for one in answers if "id" in one)
    if isinstance(value, list) and exchange.status == 200:
        messages = cast("list[object]", value)
        due = Counter(_id(one) for one in messages if not _is_response(one))
        del due[None]
        assert answered == due
    elif isinstance(value, list):
        assert not answered
    elif _is_response(value):
        assert all("error" in one for one in answers)
    elif (due := _id(value)) is not None:
        acknowledged = b"notifications/subscriptions/acknowledged" in exchange.said
        assert acknowledged or answered == Counter([due])
    else:
        assert not answered or value is None


def _profile() -> settings:
    messages = int(ASKED or 10_000)
    return settings(
        max_examples=messages // PER_EXAMPLE,
        derandomize=ASKED is None,
        database=None,
        deadline=None,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
    )


def _with(*headers: tuple[bytes, bytes], **message: Any) -> Sent:
    body = {"jsonrpc": "2.0", "id": 7, **message}
    return Sent(json.dumps(body).encode(), (*Sent(b"").headers, *headers))


_MODERN_CALL: Final = {"name": "category.list", "_meta": META}


@_profile()
@example([_with(method=["ping"])])  # no string where the name of a trace's span was made of it
@example([_with(method={})])
@example([_with(method="logging/setLevel", params={"level": ["info"]})])
@example([_with((b"content-length", b"9" * 5000), method="ping")])  # too many digits for int()
@example(  # what is in base64 must be ASCII
    [
        _with(
            (b"mcp-protocol-version", MODERN.encode()),
            (b"mcp-method", b"tools/call"),
            (b"mcp-name", b"=?base64?\xe9?="),
            method="tools/call",
            params=_MODERN_CALL,
        )
    ]
)
@given(batch=st.lists(requests(), min_size=PER_EXAMPLE, max_size=PER_EXAMPLE))
async def test_every_request_has_its_answer(target: Target, batch: list[Sent]) -> None:
    for sent in batch:
        _check(sent, await _exchange(target, sent))
