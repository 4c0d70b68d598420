"""Whatever is sent, the endpoint responds: in time, with the request's id, as the protocol wants it.

`FUZZ_MESSAGES=1000000 pytest tests/integration/gateway/test_fuzzing.py` sends more, and others each
time; without it the same 5,000 are sent every time, and `make fuzz` goes on by coverage. What was once found stays as an example.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Generator
from dataclasses import dataclass
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from gateway.app import open_app
from gateway.mcp.transport.endpoint import McpEndpoint
from gateway.mcp.versions import STATELESS
from tests.fakes.backends import running_backends
from tests.fakes.gateway_ports import KEY, principal
from tests.fakes.wire import Exchange, Wire
from tests.integration.gateway.conftest import request, settings_for
from tests.integration.gateway.fuzz_messages import (
    FREE_KEY,
    SCOPELESS_KEY,
    SPENT_KEY,
    Sent,
    requests,
)
from tests.integration.gateway.fuzz_results import check_response, deliver
from tests.integration.gateway.test_progress import steps as import_steps
from tests.integration.gateway.test_protocol_versions import META

MESSAGES: Final = os.environ.get("FUZZ_MESSAGES")
PER_EXAMPLE: Final = 4
SECONDS: Final = 30
"""The time after which a response counts as one that never comes."""

pytestmark = pytest.mark.timeout(0 if MESSAGES else 600)


@dataclass
class Target:
    """The gateway, and a session of it."""

    web: McpEndpoint
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
        async with open_app(settings_for(backends, valkey_url)) as web:
            begun = json.dumps(request("initialize", protocolVersion="2025-11-25")).encode()
            (_, session) = next(
                pair for pair in await _heads(web, Sent(begun), b"") if pair[0] == b"mcp-session-id"
            )
            yield Target(web, session)


async def _heads(web: McpEndpoint, sent: Sent, session: bytes) -> list[tuple[bytes, bytes]]:
    """The header fields of the reply."""
    heads: list[tuple[bytes, bytes]] = []

    async def add_headers(message: Any) -> None:
        heads.extend(message.get("headers", ()))

    await deliver(web, sent, session, add_headers)
    return heads


async def _exchange(target: Target, sent: Sent) -> Exchange:
    wire = Wire(target.web)

    async def drop(_message: Any) -> None:
        pass

    async with asyncio.timeout(SECONDS):
        await deliver(wire, sent, target.session, drop)
    wire.check()
    (exchange,) = wire.exchanges
    return exchange


def _profile() -> settings:
    messages = int(MESSAGES or 5_000)
    return settings(
        max_examples=messages // PER_EXAMPLE,
        derandomize=MESSAGES is None,
        database=None,
        deadline=None,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
    )


def _with(*headers: tuple[bytes, bytes], **message: Any) -> Sent:
    body = {"jsonrpc": "2.0", "id": 7, **message}
    return Sent(json.dumps(body).encode(), (*Sent(b"").headers, *headers))


_STATELESS_CALL: Final = {"name": "category.list", "_meta": META}


@_profile()
@example([_with(method=["ping"])])  # no string where the name of a trace's span was made of it
@example([_with(method={})])
@example([_with(method="logging/setLevel", params={"level": ["info"]})])
@example([_with((b"content-length", b"9" * 5000), method="ping")])  # too many digits for int()
@example(  # what is in base64 must be ASCII
    [
        _with(
            (b"mcp-protocol-version", STATELESS.encode()),
            (b"mcp-method", b"tools/call"),
            (b"mcp-name", b"=?base64?\xe9?="),
            method="tools/call",
            params=_STATELESS_CALL,
        )
    ]
)
@given(batch=st.lists(requests(), min_size=PER_EXAMPLE, max_size=PER_EXAMPLE))
async def test_every_request_has_its_response(target: Target, batch: list[Sent]) -> None:
    for sent in batch:
        check_response(sent, await _exchange(target, sent))
