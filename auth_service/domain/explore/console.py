"""The console: a form from the input schema of a tool, its values as arguments, and the call in other languages."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from auth_service.domain.explore.calls import ToolCall
from servicekit.errors import InvalidInput

_VIEW_ADDRESS: Final = "ui://sponsorgraph/"


@dataclass(frozen=True, slots=True)
class FormField:
    """A field of the form.

    Attributes:
        name: Name of the argument.
        form: text, lines, number, date, flag, choice or choices.
        description: What the argument is, with its default.
        options: Values to choose from.
        is_integer: True if a number has no fraction.
    """

    name: str
    form: str
    description: str
    is_required: bool
    options: Sequence[str] = ()
    is_integer: bool = False


@dataclass(frozen=True, slots=True)
class ConsoleTool:
    """A tool as the console offers it; `view` is the name of its view, if it has one."""

    name: str
    title: str
    description: str
    fields: Sequence[FormField]
    view: str | None


def tool_of(listed: Mapping[str, Any]) -> ConsoleTool:
    """Return a tool of its entry in `tools/list`."""
    schema = listed["inputSchema"]
    required = schema.get("required", ())
    address = str(listed.get("_meta", {}).get("ui", {}).get("resourceUri", ""))
    return ConsoleTool(
        listed["name"],
        listed["title"],
        listed["description"],
        [
            _field(name, argument, is_required=name in required)
            for name, argument in schema["properties"].items()
            if not argument.get("deprecated")
        ],
        address.removeprefix(_VIEW_ADDRESS) or None,
    )


def arguments_of(tool: ConsoleTool, values: Callable[[str], Sequence[str]]) -> dict[str, Any]:
    """Return the arguments of a filled form; fields left empty are no arguments.

    Raises:
        InvalidInput: A number is none.
    """
    arguments: dict[str, Any] = {}
    for field in tool.fields:
        entered = [value.strip() for value in values(field.name) if value.strip()]
        if entered:
            arguments[field.name] = _value(field, entered)
    return arguments


def as_curl(url: str, call: ToolCall) -> str:
    """Return the call as a command; the body is in single quotes, which it escapes."""
    body = json.dumps(_message(call), indent=2, ensure_ascii=False).replace("'", "'\\''")
    return (
        f"curl -s {url} \\\n  -H 'Authorization: Bearer mcp_…' \\\n"
        f"  -H 'Content-Type: application/json' \\\n  -d '{body}'"
    )


def as_python(url: str, call: ToolCall) -> str:
    """Return the call as a program in Python."""
    return (
        "import httpx\n\n"
        "response = httpx.post(\n"
        f"    {url!r},\n"
        '    headers={"Authorization": "Bearer mcp_…"},\n'
        f"    json={_message(call)!r},\n"
        ")\n"
        'print(response.json()["result"]["structuredContent"])'
    )


def as_typescript(url: str, call: ToolCall) -> str:
    """Return the call as a program in TypeScript."""
    body = json.dumps(_message(call), indent=2, ensure_ascii=False).replace("\n", "\n  ")
    return (
        f"const response = await fetch({json.dumps(url)}, {{\n"
        '  method: "POST",\n'
        '  headers: { Authorization: "Bearer mcp_…", "Content-Type": "application/json" },\n'
        f"  body: JSON.stringify({body}),\n"
        "});\n"
        "console.log((await response.json()).result.structuredContent);"
    )


def _message(call: ToolCall) -> dict[str, Any]:
    params = {"name": call.tool, "arguments": dict(call.arguments)}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def _field(name: str, argument: Mapping[str, Any], *, is_required: bool) -> FormField:
    kind = argument.get("type")
    items: Mapping[str, Any] = argument.get("items", {})
    options = argument.get("enum") or items.get("enum") or ()
    if kind == "array":
        form = "choices" if options else "lines"
    elif options:
        form = "choice"
    elif kind == "boolean":
        form, options = "flag", ("true", "false")
    elif kind in ("integer", "number"):
        form = "number"
    else:
        form = "date" if argument.get("format") == "date" else "text"
    description = argument.get("description", "")
    return FormField(name, form, description, is_required, options, kind == "integer")


def _value(field: FormField, entered: Sequence[str]) -> Any:
    if field.form == "choices":
        return list(entered)
    if field.form == "lines":
        return [line.strip() for line in entered[0].splitlines() if line.strip()]
    if field.form == "flag":
        return entered[0] == "true"
    if field.form == "number":
        return _number(field, entered[0])
    return entered[0]


def _number(field: FormField, text: str) -> int | float:
    try:
        value = int(text) if field.is_integer else float(text)
        if math.isfinite(value):
            return value
    except (ValueError, OverflowError):
        pass
    raise InvalidInput(f"`{field.name}` must be a number.", details={"field": field.name})
