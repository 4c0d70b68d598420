"""A stand-in of an endpoint that takes chat completions as OpenAI's does, and that misbehaves on request."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from servicekit.http import server as http_server

Brand = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def text(self) -> Mapping[str, str]:
        """The title and the description in it."""
        return json.loads(self.body["messages"][1]["content"])


@dataclass(frozen=True, slots=True)
class Reply:
    """A prepared response. The body is sent in pieces, with `pause` seconds before each but the first."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    pieces: int = 1
    pause: float = 0.0


def brand(name: str, evidence: str, **changes: Any) -> Brand:
    """A brand as the schema has it."""
    return {
        "brand": name,
        "domain": None,
        "kind": "paid_sponsorship",
        "evidence": evidence,
    } | changes


def completion(content: Any, **changes: Any) -> bytes:
    """The body of a completion with this output."""
    written = content if isinstance(content, str) else json.dumps(content)
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": written},
        "finish_reason": "stop",
    } | changes
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "choices": [choice],
            "usage": {"prompt_tokens": 410, "completion_tokens": 23, "total_tokens": 433},
        }
    ).encode()


def completion_of(*brands: Brand) -> Reply:
    """A good response with these brands."""
    return Reply(body=completion({"brands": list(brands)}))


@dataclass(slots=True)
class ChatCompletions:
    """The endpoint. `replies` are sent one by one, then what `label` makes of each text."""

    label: Callable[[str, str], Sequence[Brand]] = lambda _title, _description: ()
    replies: list[Reply] = field(default_factory=list[Reply])
    received: list[Received] = field(default_factory=list[Received])
    base_url: str = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        raw = await request.body()
        body = json.loads(raw) if raw else None
        headers = dict(request.headers)
        self.received.append(Received(request.method, request.url.path, headers, body))
        await _send(self.replies.pop(0) if self.replies else self._labelled(), send)

    def _labelled(self) -> Reply:
        text = self.received[-1].text
        return completion_of(*self.label(text["title"], text["description"]))


async def _send(reply: Reply, send: Send) -> None:
    headers = {"content-type": "application/json"} | dict(reply.headers)
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": reply.status, "headers": pairs})
    size = max(1, -(-len(reply.body) // reply.pieces))
    for start in range(0, len(reply.body), size):
        if start and reply.pause:
            await asyncio.sleep(reply.pause)
        piece = reply.body[start : start + size]
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


@asynccontextmanager
async def running_completions(
    endpoint: ChatCompletions | None = None,
) -> AsyncGenerator[ChatCompletions]:
    """Serves the endpoint on a free port of this machine until the block ends."""
    served = endpoint or ChatCompletions()
    async with http_server.serve_http(served, "127.0.0.1", 0, 1) as port:
        served.base_url = f"http://127.0.0.1:{port}/v1"
        yield served
