"""JSON Schemas of a tool: arguments from their pydantic class, the result from its dataclass."""

import dataclasses
import types
from collections.abc import Collection
from datetime import date, datetime
from functools import cache
from typing import Annotated, Any, Final, Union, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

Schema = dict[str, Any]

PARTS: Final = ("detail", "fields")
"""The arguments that choose parts of an answer, which is looked up and cached whole."""

_HEADER: Final = "x-mcp-header"
_SCALARS: Final[dict[type, Schema]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    object: {},
}
_ERROR: Final[Schema] = {
    "type": "object",
    "description": "Instead of an answer: why there is none (the result then has isError).",
    "properties": {
        "code": {"type": "string", "description": "Stable, for programs."},
        "message": {"type": "string", "description": "What happened and what to do."},
    },
    "required": ["code", "message"],
}


class _Plain(GenerateJsonSchema):
    """Leaves out what tells a reader nothing: titles, and null as another way to be absent."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> Schema:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> Schema:
        if schema.get("default", ...) is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - overrides
        return False


@cache
def input_schema(params: type[BaseModel]) -> Schema:
    """The schema of the arguments: required ones first, shared ones later, those that choose parts last, no unknown ones."""
    schema = params.model_json_schema(by_alias=True, schema_generator=_Plain)
    del schema["title"]
    schema.pop("description", None)
    properties = cast("Schema", schema.get("properties", {}))
    required = schema.get("required", [])
    own = params.__annotations__
    order = sorted(
        properties, key=lambda name: (name in PARTS, name not in required, name not in own)
    )
    return {**schema, "properties": {name: properties[name] for name in order}}


def without(schema: Schema, names: Collection[str]) -> Schema:
    """Return a schema of arguments without those of these names."""
    properties = cast("Schema", schema["properties"])
    return {
        **schema,
        "properties": {name: field for name, field in properties.items() if name not in names},
    }


def headers(schema: Schema, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], str]:
    """The headers that a schema of arguments has repeat their values, by path.

    https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
    """
    found: dict[tuple[str, ...], str] = {}
    properties = cast("dict[str, Schema]", schema.get("properties", {}))
    for name, field in properties.items():
        if _HEADER in field:
            found[*path, name] = f"Mcp-Param-{field[_HEADER]}"
        found |= headers(field, (*path, name))
    return found


def output_schema(result_type: type) -> Schema:
    """The schema of structured content: the result's shape, or an `error` in its place.

    Some clients hold the structured content of errors against the schema too, so it has room for
    both.
    """
    definitions: dict[str, Schema] = {}
    shape = _object(result_type, definitions)
    properties = cast("Schema", shape["properties"])
    required = shape.pop("required")
    return {
        **shape,
        "properties": {**properties, "error": _ERROR},
        "anyOf": [{"required": required}, {"required": ["error"]}],
        **({"$defs": definitions} if definitions else {}),
    }


def _object(cls: type, definitions: dict[str, Schema]) -> Schema:
    hints = get_type_hints(cls, include_extras=True)
    names = [field.name for field in dataclasses.fields(cls)]
    return {
        "type": "object",
        "description": _first_paragraph(cls),
        "properties": {name: _schema(hints[name], definitions) for name in names},
        "required": names,
    }


def _first_paragraph(cls: type) -> str:
    """Return what callers read of a docstring; further paragraphs are for developers."""
    return " ".join((cls.__doc__ or "").partition("\n\n")[0].split())


def _schema(hint: Any, definitions: dict[str, Schema]) -> Schema:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return {**_schema(arguments[0], definitions), "description": arguments[1]}
    if origin in (Union, types.UnionType):
        (some,) = (argument for argument in arguments if argument is not types.NoneType)
        return _nullable(_schema(some, definitions))
    if origin is tuple:
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    if dataclasses.is_dataclass(hint):
        cls = cast("type", hint)
        if cls.__name__ not in definitions:
            definitions[cls.__name__] = {}
            definitions[cls.__name__] = _object(cls, definitions)
        return {"$ref": f"#/$defs/{cls.__name__}"}
    return _SCALARS[hint]


def _nullable(schema: Schema) -> Schema:
    if "type" in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}
