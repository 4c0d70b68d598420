"""The gateway's MCP endpoint, called as a script calls it: one JSON-RPC request for each HTTP request."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import httpx2

from auth_service.clients.deadlines import PART_SECONDS
from auth_service.domain.explore.calls import ToolCall, ToolCallError, ToolResult
from servicekit.observability import logs

_CALL_SECONDS: Final = 30.0
"""For the answer to a call, which comes after the page at times and is stored for the next."""

_QUOTA: Final = "sponsorgraph/quota"

log = logs.get(__name__)


class HttpGateway:
    """Implement `ToolGateway` over one HTTP client."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client = httpx2.AsyncClient(timeout=PART_SECONDS, trust_env=False)

    async def aclose(self) -> None:
        await self._client.aclose()

    async def call(self, token: str, call: ToolCall) -> ToolResult:
        params = {"name": call.tool, "arguments": call.arguments}
        result = await self._request(token, "tools/call", params, seconds=_CALL_SECONDS)
        quota = result.get("_meta", {}).get(_QUOTA, {})
        return ToolResult(result["content"][0]["text"], quota.get("remaining"))

    async def tools(self, token: str) -> Sequence[Mapping[str, Any]]:
        result = await self._request(token, "tools/list", {}, query="?toolsets=all")
        return result["tools"]

    async def _request(
        self,
        token: str,
        method: str,
        params: Any,
        query: str = "",
        seconds: float = PART_SECONDS,
    ) -> Any:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        try:
            response = await self._client.post(
                self._url + query, json=message, headers=headers, timeout=seconds
            )
            body = response.json()
        except (httpx2.HTTPError, ValueError) as error:
            log.warning("gateway_not_reached", method=method, error=repr(error))
            raise ToolCallError(
                "The service that has the data does not respond now. Try again in a moment.",
                "unavailable",
                retry_after=5,
            ) from error
        if "error" in body:
            raise _failure(body["error"])
        return body["result"]


def _failure(error: Mapping[str, Any]) -> ToolCallError:
    data: Mapping[str, Any] = error.get("data") or {}
    return ToolCallError(
        str(error.get("message", "")),
        str(data.get("code", "unavailable")),
        data.get("retry_after_seconds"),
    )
