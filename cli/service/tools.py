"""Calls of tools as a script makes them: one request without a handshake."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from cli.service.errors import CallError, UnlistedToolError
from cli.service.http import Http
from cli.service.session import Session

_UNAUTHORIZED: Final = 401
_ALL_TOOLS: Final = {"Sponsorgraph-Toolsets": "all"}
Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as the service lists it for this person."""

    name: str
    title: str
    description: str
    arguments: Fields
    required: Sequence[str]


@dataclass(frozen=True, slots=True)
class ToolClient:
    """Calls with a person's credential."""

    http: Http
    session: Session

    def tools(self) -> tuple[ListedTool, ...]:
        """Return the tools that the person's plan has.

        Raises:
            LoginError: There is no credential.
            CallError: The service refuses, or does not answer.
        """
        listed = self._result("tools/list", {}).get("tools", [])
        return tuple(_tool(item) for item in listed)

    def tool(self, name: str) -> ListedTool:
        """Return one tool of the person's plan, by its name with a dot or an underscore.

        Raises:
            UnlistedToolError: The plan has none; the message has the nearest.
        """
        tools = {tool.name: tool for tool in self.tools()}
        for known, tool in tools.items():
            if name in (known, known.replace(".", "_")):
                return tool
        near = difflib.get_close_matches(name, tools, 3, 0.4)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise UnlistedToolError(
            f"Your plan has no tool {name}.{hint} `sponsorgraph tools` lists them."
        )

    def call(self, name: str, arguments: Fields) -> Fields:
        """Return the structured content of a call's result.

        Raises:
            CallError: The call failed; with the service's own sentence.
        """
        result = self._result("tools/call", {"name": name, "arguments": arguments})
        content = result.get("structuredContent")
        if not isinstance(content, dict):
            raise CallError("The service's answer has no structured content.")
        return cast("dict[str, Any]", content)

    def _result(self, method: str, params: Fields) -> Fields:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        token = self.session.token()
        status, response = self.http.post_json(self.session.url, body, token, _ALL_TOOLS)
        if status == _UNAUTHORIZED and not self.session.api_key:
            token = self.session.token(refused=token)
            status, response = self.http.post_json(self.session.url, body, token, _ALL_TOOLS)
        fields = cast("dict[str, Any]", response) if isinstance(response, dict) else {}
        result = fields.get("result")
        if isinstance(result, dict):
            return cast("dict[str, Any]", result)
        raise CallError(_message(status, fields))


def _tool(item: Fields) -> ListedTool:
    schema = item["inputSchema"]
    return ListedTool(
        name=item["name"],
        title=item.get("title", ""),
        description=item.get("description", ""),
        arguments=schema.get("properties", {}),
        required=schema.get("required", ()),
    )


def _message(status: int, fields: Fields) -> str:
    error = fields.get("error")
    message = cast("dict[str, Any]", error).get("message") if isinstance(error, dict) else None
    return str(message) if message else f"The service answered with {status}."
