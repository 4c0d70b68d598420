"""Constant mixed load: what is asked, by whom, how often, and what became of every call.

Open loop: calls are sent by the clock, whether or not those before have got a response, as callers
who know nothing of each other do. A slow response so delays nobody, and hides nobody's wait.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import httpx2

PER_SECOND: Final = 40.0
MAX_IN_FLIGHT: Final = 600
DEADLINE_SECONDS: Final = 25.0
"""Longest wait of a caller. The gateway's own, for the begin of an import, is 20 s."""

_IDLE_SECONDS: Final = 2.0
_CATALOG: Final = frozenset({"catalog_service"})
_IMPORTS: Final = frozenset({"import_worker"})
_ALONE: Final[frozenset[str]] = frozenset()
_SPONSORS: Final = ("nordvpn", "squarespace", "brilliant", "raycon", "audible")
_CREATORS: Final = ("UC--3c8RqSfAqYBdDjIG3UNA", "UC--BMyA2X4a9PGAo3lTuopg")


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """One message.

    Attributes:
        name: Of the tool, or of the method where it is none.
        arguments: Of the tool; None for a method.
        cost: Requests of the month that a response takes.
        needs: Services beside the gateway without which it fails.
    """

    name: str
    arguments: dict[str, Any] | None
    cost: int
    needs: frozenset[str]

    def message(self, number: int) -> dict[str, Any]:
        method, params = self.name, dict[str, Any]()
        if self.arguments is not None:
            method, params = "tools/call", {"name": self.name, "arguments": self.arguments}
        return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


_NUMBERS: Final = itertools.count()
"""Of all loads: what one has requested, another does not find among the cached results."""


def mixed() -> Iterator[ToolRequest]:
    """Requests without end: most differ from all before, so that no cached result helps."""
    for n in _NUMBERS:
        brand, creator = _SPONSORS[n % len(_SPONSORS)], _CREATORS[n % len(_CREATORS)]
        day = f"2024-{n % 12 + 1:02}-{n % 28 + 1:02}"
        fresh = n % 100_000
        yield ToolRequest("sponsor.search", {"search": "vpn", "min_videos": fresh}, 1, _CATALOG)
        yield ToolRequest("tools/list", None, 0, _ALONE)
        yield ToolRequest("sponsor.get", {"sponsor": brand}, 1, _CATALOG)
        yield ToolRequest("channel.imports", {}, 0, _IMPORTS)
        yield ToolRequest("sponsor.stats", {"sponsor": brand, "from": day}, 1, _CATALOG)
        yield ToolRequest("youtuber.search", {"min_subscribers": fresh, "limit": 3}, 1, _CATALOG)
        yield ToolRequest("account.usage", {}, 0, _ALONE)
        yield ToolRequest("sponsor.top", {"from": day, "limit": n % 47 + 1}, 1, _CATALOG)
        yield ToolRequest("youtuber.get", {"youtuber": creator}, 1, _CATALOG)
        # A request for every 25 names.
        names = [f"brand {n} {number}" for number in range(26)]
        yield ToolRequest("catalog.resolve", {"names": names}, 2, _CATALOG)
        yield ToolRequest("youtuber.sponsors", {"youtuber": creator, "from": day}, 1, _CATALOG)


@dataclass(frozen=True, slots=True)
class Account:
    """A calling account.

    Attributes:
        email: Of the account.
        account_id: Of the account.
        token: An API key or an access token.
        limit: Requests of a month.
        is_client: Calls in a session, as MCP clients do, and not as a bare script.
    """

    email: str
    account_id: str
    token: str
    limit: int
    is_client: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """The outcome of one call; instants are of `time.monotonic`.

    Attributes:
        kind: "ok", "quota" for a month that is used up; else what the caller saw: "503 unavailable"
            (script), "tool unavailable" (client), "refused", "cut" and "timed out".
        remaining: Requests that are left, from the response.
        retry_after: Seconds to wait before another try, from the response's header.
    """

    account: Account
    request: ToolRequest
    sent: float
    ended: float
    kind: str
    remaining: int | None = None
    retry_after: int | None = None
    detail: str = ""

    @property
    def is_good(self) -> bool:
        return self.kind in ("ok", "quota")

    @property
    def is_unreported(self) -> bool:
        """The caller does not know whether the call was done and charged.

        502 and 504 are a balancer's, before a gateway that broke while it answered.
        """
        return self.kind in ("cut", "timed out", "502", "504")

    @property
    def is_clear(self) -> bool:
        """The caller learned what happened: a response or an error in words, or nobody listening."""
        return not self.is_unreported


@dataclass(slots=True)
class Load:
    """Calls of some accounts, one after the other by the clock.

    Attributes:
        url: Of the endpoint.
        accounts: Who calls, in turn.
        calls: Those that have ended.
        held_back: Calls that were due and not sent, as too many were under way.
    """

    url: str
    accounts: Sequence[Account]
    per_second: float = PER_SECOND
    max_in_flight: int = MAX_IN_FLIGHT
    deadline: float = DEADLINE_SECONDS
    requests: Callable[[], Iterator[ToolRequest]] = mixed
    calls: list[Call] = field(default_factory=list[Call])
    held_back: int = 0
    sent: int = 0
    _under_way: dict[asyncio.Task[None], float] = field(
        default_factory=dict[asyncio.Task[None], float]
    )
    _ended: bool = False

    @asynccontextmanager
    async def going(self) -> AsyncGenerator[None]:
        """Constant load inside the block; leaving it waits for the calls under way."""
        async with AsyncExitStack() as stack:
            callers = [
                (item, await stack.enter_async_context(caller(self.url, item, self.deadline)))
                for item in self.accounts
            ]
            pacing = asyncio.create_task(self._pace(callers))
            try:
                yield
            finally:
                self._ended = True
                await pacing
                await asyncio.gather(*self._under_way)

    def since(self, instant: float, until: float = float("inf")) -> list[Call]:
        """Calls that were sent between two instants."""
        return [call for call in self.calls if instant <= call.sent < until]

    def good_since(self, instant: float) -> int:
        return sum(item.is_good for item in self.since(instant))

    def by_kind(self) -> Counter[str]:
        """Count the outcomes by kind."""
        return Counter(call.kind for call in self.calls)

    def whole_since(self, instant: float, seconds: float = 1.0) -> float | None:
        """The first instant from which all calls of a second got a response; None if there is none.

        Of calls that have ended; see `is_whole_since` for those under way.
        """
        sent = sorted(self.since(instant), key=lambda item: item.sent)
        if not sent:
            return None
        begin = instant
        for item in sent:
            if item.sent >= begin + seconds:
                return begin
            if not item.is_good:
                begin = item.sent
        return begin if sent[-1].sent > begin + seconds else None

    def is_whole_since(self, instant: float) -> bool:
        """Return whether `whole_since` has its second, and no call under way can spoil it any more."""
        begin = self.whole_since(instant)
        return begin is not None and all(sent > begin + 1 for sent in self._under_way.values())

    async def _pace(self, callers: Sequence[tuple[Account, httpx2.AsyncClient]]) -> None:
        turns, requests = itertools.cycle(callers), self.requests()
        began = time.monotonic()
        for number in itertools.count():
            await asyncio.sleep(began + number / self.per_second - time.monotonic())
            if self._ended:
                return
            request = next(requests)
            if len(self._under_way) >= self.max_in_flight:
                self.held_back += 1
                continue
            account, http = next(turns)
            task = asyncio.create_task(self._send(http, account, request, number))
            self._under_way[task] = time.monotonic()
            task.add_done_callback(self._under_way.pop)

    async def _send(
        self, http: httpx2.AsyncClient, account: Account, request: ToolRequest, number: int
    ) -> None:
        self.sent += 1
        self.calls.append(await send_call(http, self.url, account, request, number))


@asynccontextmanager
async def caller(url: str, account: Account, deadline: float) -> AsyncGenerator[httpx2.AsyncClient]:
    """Connections with the account's credential; in a session, if it is a client's."""
    # Given up before the server gives it up: a request on its way would be cut off.
    limits = httpx2.Limits(
        max_connections=None, max_keepalive_connections=20, keepalive_expiry=_IDLE_SECONDS
    )
    headers = {"Authorization": f"Bearer {account.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=deadline, limits=limits) as http:
        if account.is_client:
            version = "2025-06-18"
            about = {"name": "fault test", "version": "1"}
            params = {"protocolVersion": version, "capabilities": {}, "clientInfo": about}
            body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
            begun = await http.post(url, json=body)
            http.headers["Mcp-Session-Id"] = begun.headers["mcp-session-id"]
            http.headers["MCP-Protocol-Version"] = version
        yield http


async def send_call(
    http: httpx2.AsyncClient, url: str, account: Account, request: ToolRequest, number: int = 1
) -> Call:
    """Send one request and return its outcome."""
    sent = time.monotonic()
    remaining, retry_after, detail = None, None, ""
    try:
        reply = await http.post(url, json=request.message(number))
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        kind, detail = "refused", repr(error)
    except httpx2.TimeoutException:
        kind = "timed out"
    except httpx2.TransportError as error:
        kind, detail = "cut", repr(error)
    else:
        kind, remaining = _kind(reply), _remaining(reply)
        retry_after = int(reply.headers["retry-after"]) if "retry-after" in reply.headers else None
        detail = "" if kind in ("ok", "quota") else reply.text[:300]
    return Call(account, request, sent, time.monotonic(), kind, remaining, retry_after, detail)


def _kind(reply: httpx2.Response) -> str:
    try:
        body = reply.json()
    except ValueError:
        return f"{reply.status_code}"
    if "result" in body:
        result = body["result"]
        if not result.get("isError"):
            return "ok"
        code = result["structuredContent"]["error"]["code"]
        return "quota" if code == "quota_exceeded" else f"tool {code}"
    error: dict[str, Any] = body["error"]
    data: dict[str, Any] = error.get("data") or {}
    code = data.get("code", error["code"])
    return "quota" if code == "quota_exceeded" else f"{reply.status_code} {code}"


def _remaining(reply: httpx2.Response) -> int | None:
    rate_limit = reply.headers.get("ratelimit")  # '"monthly";r=41;t=3600'
    return None if rate_limit is None else int(rate_limit.split(";r=")[1].split(";")[0])
