"""A stand-in for the models of all providers, on a port of 127.0.0.1.

It refuses what the provider refuses, calls `sponsor_top` once, and then names the brand of the first rank.
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from tests.frameworks.invented_arguments import arguments
from tests.frameworks.provider_rules import RefusedToolError
from tests.frameworks.text_protocol import reply_in_text
from tests.frameworks.wires import ANTHROPIC, CHAT, GEMINI, RESPONSES, Conversation, Reply, Wire

TOOL: Final = "sponsor_top"
_WIRES: Final[Mapping[str, Wire]] = {
    "/chat/completions": CHAT,
    "/responses": RESPONSES,
    "/messages": ANTHROPIC,
    ":generateContent": GEMINI,
    ":streamGenerateContent": GEMINI,
}
_COUNTS: Final = {"input_tokens": 10, "totalTokens": 10}
_FIRST_BRAND: Final = re.compile(r'sponsor\\*":\s*\{.*?name\\*":\s*\\*"([^"\\]+)')
_FINAL_TOOL: Final = "final_answer"
"""smolagents takes an answer by a tool of its own."""


@dataclass(slots=True)
class Model:
    """What went to the model.

    Attributes:
        url: Where it listens.
        refused: What it answered 400 to, in the provider's words.
        offered: Names of all tools that it was offered.
        results: What tools returned, as it came to the model.
    """

    url: str
    refused: list[str] = field(default_factory=list[str])
    offered: set[str] = field(default_factory=set[str])
    results: list[str] = field(default_factory=list[str])

    def reply(self, conversation: Conversation) -> Reply:
        """Return what the model says, or raise what the provider refuses."""
        for tool, check in conversation.tools:
            check(tool)
            self.offered.add(tool.name)
        self.results += conversation.results
        brand = _FIRST_BRAND.search(conversation.text)
        sentence = f"The first rank is {brand[1]}." if brand else ""
        names = {tool.name: tool for tool, _ in conversation.tools}
        if in_text := reply_in_text(conversation.text, TOOL, sentence):
            return Reply(text=in_text)
        if sentence and _FINAL_TOOL in names:
            return Reply(tool=_FINAL_TOOL, arguments={"answer": sentence})
        if sentence:
            return Reply(text=sentence)
        if conversation.results:
            return Reply(text=f"The tool gave no ranking: {conversation.results[-1][:500]}")
        for name, tool in names.items():
            if name.endswith(TOOL):
                return Reply(tool=name, arguments=arguments(tool))
        return Reply(text="No tool for this was offered.")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: Model

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Print nothing: what counts is recorded."""

    def do_GET(self) -> None:
        self._send(HTTPStatus.OK, {"object": "list", "data": [], "models": []})

    def do_HEAD(self) -> None:
        self._send(HTTPStatus.OK, {})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        path = self.path.partition("?")[0].rstrip("/")
        wire = next((wire for end, wire in _WIRES.items() if path.endswith(end)), None)
        if wire is None:
            known = path.endswith(("/count_tokens", ":countTokens"))
            self._send(HTTPStatus.OK if known else HTTPStatus.NOT_FOUND, _COUNTS if known else {})
            return
        body = json.loads(raw)
        try:
            reply = self.model.reply(wire.read(body))
        except RefusedToolError as error:
            self.model.refused.append(str(error))
            refusal = {"code": 400, "message": str(error), "type": "invalid_request_error"}
            self._send(HTTPStatus.BAD_REQUEST, {"type": "error", "error": refusal})
            return
        if body.get("stream") or "streamGenerateContent" in path:
            self._stream(wire, body, reply)
        else:
            self._send(HTTPStatus.OK, wire.whole(body, reply))

    def _stream(self, wire: Wire, body: Mapping[str, Any], reply: Reply) -> None:
        lines: list[str] = []
        for kind, data in wire.events(body, reply):
            lines += [f"event: {kind}\n"] if kind else []
            lines += [f"data: {json.dumps(data)}\n\n"]
        if wire is CHAT:
            lines.append("data: [DONE]\n\n")
        self._write(HTTPStatus.OK, "text/event-stream", "".join(lines).encode())

    def _send(self, status: HTTPStatus, document: Mapping[str, Any]) -> None:
        self._write(status, "application/json", json.dumps(document).encode())

    def _write(self, status: HTTPStatus, content_type: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


@contextlib.contextmanager
def running_model() -> Generator[Model]:
    """Listen until the end of the context."""
    handler = type("Handler", (_Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    model = Model(f"http://127.0.0.1:{server.server_port}")
    handler.model = model
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
