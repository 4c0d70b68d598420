"""Callers at the edge who never pause, and what each of their calls came to."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

import httpx2

from tests.containers.deployment import Deployment

UNAVAILABLE: Final = "503 with Retry-After"
SUCCEEDED: Final = "succeeded"
_TOOLS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("sponsor.search", {"search": "nordvpm", "limit": 2}),
    ("youtuber.search", {"limit": 2}),
    ("channel.imports", {}),
    ("account.usage", {}),
)
_PAUSE_SECONDS: Final = 0.03


class Traffic:
    """Calls of tools, and requests of a page of the site.

    Attributes:
        calls: How often a call of a tool had an outcome: `SUCCEEDED`, `UNAVAILABLE`, or what it came to.
        pages: The same for the page.
    """

    def __init__(self, deployment: Deployment) -> None:
        self.calls: Counter[str] = Counter()
        self.pages: Counter[str] = Counter()
        self._deployment = deployment
        self._ended = threading.Event()

    @contextmanager
    def going(self) -> Generator[None]:
        """Callers inside the block."""
        callers = [
            *(threading.Thread(target=self._call_tools, args=(turn,)) for turn in range(4)),
            threading.Thread(target=self._read_pages),
        ]
        for caller in callers:
            caller.start()
        try:
            yield
        finally:
            self._ended.set()
            for caller in callers:
                caller.join()

    def _call_tools(self, turn: int) -> None:
        headers = {"Authorization": f"Bearer {self._deployment.printed['API key']}"}
        with self._deployment.client() as client:
            for number in itertools.count(turn):
                tool, arguments = _TOOLS[number % len(_TOOLS)]
                params = {"name": tool, "arguments": arguments}
                body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
                self.calls[_outcome(client, "POST", "/mcp", json=body, headers=headers)] += 1
                if self._ended.wait(_PAUSE_SECONDS):
                    return

    def _read_pages(self) -> None:
        with self._deployment.client() as client:
            while not self._ended.wait(_PAUSE_SECONDS):
                self.pages[_outcome(client, "GET", "/login")] += 1


def _outcome(client: httpx2.Client, method: str, path: str, **request: Any) -> str:
    try:
        response = client.request(method, path, **request)
    except httpx2.TransportError as error:
        return repr(error)
    if response.status_code == 503 and response.text and "Retry-After" in response.headers:
        return UNAVAILABLE
    failed = path == "/mcp" and response.json().get("result", {}).get("isError", True)
    if response.status_code == 200 and not failed:
        return SUCCEEDED
    return f"{response.status_code} {response.text[:300]}"
