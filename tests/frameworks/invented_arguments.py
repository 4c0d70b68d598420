"""The arguments that the stand-in of a model gives to a tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tests.frameworks.provider_rules import OfferedTool

LIMIT: Final = 3
_BY_TYPE: Final[Mapping[str, Any]] = {
    "string": "",
    "integer": 0,
    "number": 0,
    "boolean": False,
    "array": [],
    "object": {},
}


def arguments(tool: OfferedTool) -> dict[str, Any]:
    """Return a `limit`, and for each other argument that the schema requires what a model without need for it gives.

    Strict schemas require every argument: models give null where they may, else what is nearest to nothing.
    """
    properties = tool.schema.get("properties", {})
    required = tool.schema.get("required", ())
    return {
        **{name: _nothing(name, properties[name]) for name in required if name in properties},
        "limit": LIMIT,
    }


def _nothing(name: str, schema: Mapping[str, Any]) -> Any:
    for alternative in schema.get("anyOf", ()):
        if alternative.get("type") == "null":
            return None
    kind: Any = schema.get("type")
    if schema.get("nullable") or "null" in (kind or ()):
        return None
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("format") == "date":
        return "2009-01-01" if name == "since" else "2029-12-31"
    return _BY_TYPE.get(str(kind).lower(), "")
