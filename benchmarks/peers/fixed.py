"""The floor of long responses: uvicorn and an ASGI function that always sends the list of tools."""

import gzip
import json

from benchmarks.peers._common import Receive, Scope, Send, Settings, serve

_settings = Settings()
_LIST = {"jsonrpc": "2.0", "id": 1, "result": {"tools": _settings.tools}}
_PLAIN = json.dumps(_LIST, separators=(",", ":"), ensure_ascii=False).encode()
_BODY = gzip.compress(_PLAIN, 9)
_HEADERS = [
    (b"content-type", b"application/json"),
    (b"content-encoding", b"gzip"),
    (b"content-length", str(len(_BODY)).encode()),
]


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    await send({"type": "http.response.body", "body": _BODY})


if __name__ == "__main__":
    serve(app, _settings.port)
