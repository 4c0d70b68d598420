"""`resources/read`: a tool's result under an address, for the tool's price.

A read has no result that means failure, as a tool call has, so what fails is a JSON-RPC error; an
MCP client still gets it with HTTP 200 where any other status would look like a broken server.
"""

from typing import Final

from gateway.mcp.jsonrpc import INVALID_PARAMS, ProtocolError
from gateway.mcp.methods.tools_call import ToolCalls, ToolSuccess
from gateway.mcp.progress import NO_PROGRESS
from gateway.mcp.results import META_QUOTA, Incoming, Result
from gateway.mcp.transport.http import quota_headers
from gateway.resources import ResourceCatalogue, UnknownResource
from gateway.views import view_of

SESSION_NOT_FOUND: Final = -32002
"""The code of an unknown resource in the revisions before 2026-07-28."""

_VIEW_FRESH_MS: Final = 3_600_000
_NOT_THERE: Final = frozenset({"not_found", "invalid_arguments"})


class ResourceMethods:
    """Reads resources."""

    def __init__(self, resources: ResourceCatalogue, calls: ToolCalls) -> None:
        self._resources = resources
        self._calls = calls

    async def read(self, incoming: Incoming) -> Result:
        """Return the result of `resources/read`.

        Raises:
            ProtocolError: There is no such resource, or it cannot be read now.
            InsufficientScope: The credential does not reach it.
        """
        uri = incoming.message.params.get("uri")
        if not isinstance(uri, str):
            raise ProtocolError(INVALID_PARAMS, "`params.uri` must be the address of a resource.")
        view = view_of(uri)
        if view is not None:
            # The same for everyone, and changed with releases only.
            fresh = {"ttlMs": _VIEW_FRESH_MS, "cacheScope": "public"}
            value = {"contents": [view.content]}
            return Result(value | fresh if incoming.caller.is_stateless else value)
        try:
            found, variable = self._resources.find(uri)
        except UnknownResource as unknown:
            raise _not_there(unknown.public_message, uri, incoming) from None
        outcome = await self._calls.perform(
            found.tool,
            found.arguments(variable),
            incoming.principal,
            NO_PROGRESS,
            incoming.elicitor,
            incoming.naming,
        )
        if isinstance(outcome, ToolSuccess):
            content = {"uri": uri, "mimeType": "application/json", "text": outcome.content.decode()}
            value = {"contents": [content], "_meta": {META_QUOTA: outcome.quota}}
            if incoming.caller.is_stateless:
                value |= {"ttlMs": found.fresh_ms, "cacheScope": "private"}
            return Result(value, quota_headers(outcome.quota))
        if outcome.code in _NOT_THERE:
            raise _not_there(outcome.text, uri, incoming)
        raise outcome.protocol_error(incoming.caller)


def _not_there(text: str, uri: str, incoming: Incoming) -> ProtocolError:
    # A script is of no revision in particular, and gets the code that is not retired.
    has_session = incoming.caller.is_client and not incoming.caller.is_stateless
    code = SESSION_NOT_FOUND if has_session else INVALID_PARAMS
    return ProtocolError(code, text, data={"uri": uri[:1000]})
