"""Every client of the matrix takes every step, and its user sees what the service said.

The gateway is a real one on a socket, over real Valkey; the services behind it are stand-ins, so
that a plan, a used-up month and an outage are a key or an address away. The record of a whole run
is what docs/clients.md is written from.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from gateway.app import open_app
from gateway.mcp.versions import SESSION_BASED, STATELESS
from gateway.tools import all_tools
from scripts.gen_clients import PAGE, RESULTS, page_of_repository
from servicekit.http.server import serve_http
from tests.e2e.matrix import CLIENTS, STEPS, Record, take_steps
from tests.fakes.backends import Backends, running_backends
from tests.fakes.gateway_ports import principal
from tests.fakes.wire import Wire
from tests.integration.gateway.conftest import settings_for
from tests.integration.gateway.test_progress import steps as import_steps

pytestmark = [pytest.mark.timeout(120, func_only=True)]

NOWHERE: Final = "127.0.0.1:1"
KEY, SPENT, FREE = ("mcp_" + letter * 36 for letter in "kst")
USED: Final = 30
UPGRADE: Final = "https://site.example/plans"
APART: Final = frozenset({"quota", "plan", "down"})
"""Steps with a key or an address of their own."""


@dataclass
class Endless:
    """Holds the import of `@endless` after its first step, until its caller or the test lets go."""

    backends: Backends
    let_go: asyncio.Event = field(default_factory=asyncio.Event)
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    begun: object = None

    async def hold(self) -> None:
        _, query = self.backends.requests[-1]
        if getattr(query, "channel", "") != "@endless":
            return
        if query is not self.begun:
            self.begun = query
            return
        try:
            await self.let_go.wait()
        except asyncio.CancelledError:
            self.stopped.set()
            raise


@dataclass
class Gateways:
    """Two gateways over the same services: one reaches them all, the other one misses the catalog."""

    url: str
    lame_url: str
    wire: Wire
    backends: Backends


@dataclass(frozen=True)
class Taken:
    """The steps of one client.

    Attributes:
        seen: What its user saw of each.
        revision: What it spoke, by its headers; empty without such a header.
        was_stopped: The work behind the cancelled call ended with the call.
    """

    seen: Mapping[str, Any]
    revision: str
    was_stopped: bool


@pytest.fixture(scope="module")
async def gateways(valkey_url: str) -> AsyncGenerator[Gateways]:
    async with running_backends() as backends:
        backends.import_steps = import_steps(0, 50, 100)
        backends.access.used = USED
        backends.access.give(KEY, principal(account_id="matrix"))
        backends.access.give(SPENT, principal(account_id="spent", monthly_requests=USED))
        backends.access.give(
            FREE, principal(account_id="free", plan="free", plan_name="Free", features=())
        )
        whole = settings_for(backends, valkey_url)
        lame = settings_for(
            backends, valkey_url, catalog_target=NOWHERE, catalog_timeout_seconds=0.2
        )
        async with open_app(whole) as web, open_app(lame) as lame_web:
            wire, lame_wire = Wire(web), Wire(lame_web)
            async with (
                serve_http(wire, "127.0.0.1", 0, 5) as port,
                serve_http(lame_wire, "127.0.0.1", 0, 5) as lame_port,
            ):
                address = "http://127.0.0.1:{}/mcp".format
                try:
                    yield Gateways(address(port), address(lame_port), wire, backends)
                finally:
                    web.end_streams()
                    lame_web.end_streams()
            wire.check()
            lame_wire.check()


@pytest.fixture(scope="module", params=CLIENTS)
def client(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
async def taken(client: str, gateways: Gateways) -> Taken:
    """All the steps of a client, on connections of their own where the key or address differs."""
    program, endless = CLIENTS[client], Endless(gateways.backends)
    program.command()  # skips where something is missing
    able = [step for step in STEPS[1:] if step not in program.cannot]
    ways = {
        (gateways.url, KEY): [step for step in able if step not in APART],
        (gateways.url, SPENT): [step for step in able if step == "quota"],
        (gateways.url, FREE): [step for step in able if step == "plan"],
        (gateways.lame_url, KEY): [step for step in able if step == "down"],
    }
    gateways.backends.before_response = endless.hold
    before = len(gateways.wire.exchanges)
    try:
        async with asyncio.TaskGroup() as group:
            runs = [
                group.create_task(take_steps(program, url, key, *steps))
                for (url, key), steps in ways.items()
            ]
        if program.is_stateless:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(endless.stopped.wait(), 10)
    finally:
        endless.let_go.set()
        gateways.backends.before_response = None
    headers = [exchange.headers for exchange in gateways.wire.exchanges[before:]]
    versions = {header.get(b"mcp-protocol-version", b"").decode() for header in headers} - {""}
    seen = {step: observed for run in runs for step, observed in run.result().items()}
    return Taken(seen, ", ".join(sorted(versions)), endless.stopped.is_set())


@pytest.fixture(scope="module")
def record() -> Record:
    return Record()


@pytest.mark.parametrize("step", STEPS)
def test_the_user_sees_what_the_service_says(
    client: str, step: str, taken: Taken, record: Record
) -> None:
    program = CLIENTS[client]
    if step in program.cannot:
        assert step not in taken.seen
        return
    if step == "connect":
        expected = (STATELESS,) if program.is_stateless else SESSION_BASED
        assert taken.revision in ("", *expected)
        record.record(client, step, taken.revision or "no handshake needed")
        return
    # A bare script sees the published names, every client those without dots.
    named = taken.seen[step]
    CHECKS[step](named if client != "curl" else _with_underscores(named))
    if step == "cancel" and program.is_stateless:
        assert taken.was_stopped
    record.record(client, step, "yes")


def _with_underscores(seen: Any) -> Any:
    """Return what a bare script sees under the names of clients, after a look that it has no other."""
    text = json.dumps(seen)
    aliases = {tool.name: tool.alias for tool in all_tools()}
    assert not [alias for alias in aliases.values() if alias in text]
    longest_first = "|".join(sorted(map(re.escape, aliases), key=len, reverse=True))
    return json.loads(re.sub(longest_first, lambda found: aliases[found[0]], text))


def _tools(seen: Any) -> None:
    assert {"sponsor_search", "channel_import", "account_usage"} <= set(seen)
    assert not [name for name in seen if "." in name]


def _call(seen: Any) -> None:
    assert json.loads(seen)["sponsors"][0]["name"] == "some name"


def _quota(seen: Any) -> None:
    assert f"All {USED} requests of this account's plan" in seen
    assert re.search(r"renewed on \d{4}-\d{2}-01 at 00:00 UTC", seen)
    assert f"See plans and upgrade: {UPGRADE}" in seen


def _plan(seen: Any) -> None:
    assert "The plan Free does not include channel_import." in seen
    assert f"See plans and upgrade: {UPGRADE}" in seen


def _argument(seen: Any) -> None:
    assert "`limit` was 51" in seen
    assert "from 1 to 50" in seen


def _down(seen: Any) -> None:
    assert "A part of the service does not answer now. Try again in a few seconds." in seen


def _progress(seen: Any) -> None:
    assert seen == [0, 50, 100]


def _cancel(seen: Any) -> None:
    assert seen == "cancelled"


def _read(seen: Any) -> None:
    assert json.loads(seen)["sponsor"]["name"] == "some name"


def _prompt(seen: Any) -> None:
    assert 'how the brand "nordvpn" sponsors' in seen
    assert "sponsor_stats" in seen


def _complete(seen: Any) -> None:
    assert seen == ["some slug"]


CHECKS: Final = {
    "tools": _tools,
    "call": _call,
    "quota": _quota,
    "plan": _plan,
    "argument": _argument,
    "down": _down,
    "progress": _progress,
    "cancel": _cancel,
    "read": _read,
    "prompt": _prompt,
    "complete": _complete,
}


def test_the_page_says_what_was_seen(record: Record) -> None:
    if missing := record.missing():
        pytest.skip(f"not every client took every step in this run: {', '.join(missing)[:500]}")
    seen = record.as_json()
    RESULTS.write_text(seen)
    assert PAGE.read_text() == page_of_repository(), "docs/clients.md is old: run `make gen`"
