"""The rules that providers of models hold tools to: names, and the part of JSON Schema that they take.

Each follows what the provider documents and answers; where two versions of a rule are in use, the narrower one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Schema = Mapping[str, Any]


class RefusedToolError(Exception):
    """The provider answers 400 to the whole request."""


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as a framework hands it to the model.

    Attributes:
        name: Under which the model calls it.
        schema: Of its arguments.
        is_strict: The provider is asked to hold the model to the schema.
    """

    name: str
    schema: Schema
    is_strict: bool


_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_GEMINI_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")
_ANTHROPIC_PROPERTY: Final = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_STRICT_DEPTH: Final = 10

_OPENAI_STRICT_REFUSES: Final = frozenset(
    "allOf contains default dependentRequired dependentSchemas else if maxContains maxLength maxProperties"
    " minContains minLength minProperties not oneOf patternProperties propertyNames then unevaluatedItems"
    " unevaluatedProperties uniqueItems".split()
)
_OPENAI_FORMATS: Final = frozenset(
    "date-time time date duration email hostname ipv4 ipv6 uuid".split()
)
_ANTHROPIC_STRICT_REFUSES: Final = frozenset(
    "else exclusiveMaximum exclusiveMinimum if maxItems maxLength maximum minLength minimum multipleOf not oneOf"
    " patternProperties then".split()
)
_GEMINI: Final = frozenset(
    "anyOf default description enum example format items maxItems maxLength maxProperties maximum minItems minLength"
    " minProperties minimum nullable pattern properties propertyOrdering required title type".split()
)
_GEMINI_FORMATS: Final = {
    "string": {"enum", "date-time"},
    "integer": {"int32", "int64"},
    "number": {"float", "double"},
}


def check_openai(tool: OfferedTool) -> None:
    """Refuse what the interfaces of OpenAI and Azure refuse."""
    if not _NAME.fullmatch(tool.name):
        raise RefusedToolError(
            f"Invalid 'tools[0].function.name': string does not match pattern."
            f" Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'. ({tool.name})"
        )
    _is_object(tool, {"anyOf", "oneOf", "allOf", "enum", "not"})
    for where, schema in _parts(tool.schema):
        types = _types(schema)
        if "array" in types and "items" not in schema:
            raise _invalid(tool, f"In context={where}, array schema missing items.")
        if tool.is_strict:
            _openai_strict(tool, where, schema)


def _openai_strict(tool: OfferedTool, where: tuple[str, ...], schema: Schema) -> None:
    _without(tool, where, schema, _OPENAI_STRICT_REFUSES)
    if len(where) > 2 * _STRICT_DEPTH:
        raise _invalid(tool, f"In context={where}, the schema is nested too deep.")
    if schema.get("format", "date") not in _OPENAI_FORMATS:
        raise _invalid(tool, f"In context={where}, '{schema['format']}' is not a valid format.")
    _is_closed(tool, where, schema)
    properties = schema.get("properties", {})
    if "object" in _types(schema) and set(schema.get("required", ())) != set(properties):
        raise _invalid(
            tool,
            f"In context={where}, 'required' is required to be supplied and to be an array including every key"
            " in properties.",
        )


def check_anthropic(tool: OfferedTool) -> None:
    """Refuse what Anthropic's interface refuses."""
    if not _NAME.fullmatch(tool.name):
        raise RefusedToolError(
            f"tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$' ({tool.name})"
        )
    _is_object(tool, {"anyOf", "oneOf", "allOf"})
    for where, schema in _parts(tool.schema):
        for name in schema.get("properties", {}):
            if not _ANTHROPIC_PROPERTY.fullmatch(name):
                raise _invalid(
                    tool, f"property keys should match '{_ANTHROPIC_PROPERTY.pattern}': {name}"
                )
        if tool.is_strict:
            _without(tool, where, schema, _ANTHROPIC_STRICT_REFUSES)
            _is_closed(tool, where, schema)


def check_gemini(tool: OfferedTool) -> None:
    """Refuse what Gemini's `parameters`, a part of OpenAPI's schema, has no field for."""
    check_gemini_name(tool)
    for where, schema in _parts(tool.schema):
        for keyword in schema.keys() - _GEMINI:
            raise _invalid(
                tool, f'Unknown name "{keyword}" at {".".join(where)}: Cannot find field.'
            )
        kind = str(schema.get("type", "")).lower()
        if not isinstance(schema.get("type", ""), str):
            raise _invalid(tool, f"{'.'.join(where)}.type: Proto field is not repeating.")
        allowed = _GEMINI_FORMATS.get(kind)
        if allowed and schema.get("format") and schema["format"] not in allowed:
            raise _invalid(
                tool,
                f"{'.'.join(where)}.format: only {sorted(allowed)} are supported for {kind.upper()} type",
            )
        if "enum" in schema and kind != "string":
            raise _invalid(tool, f"{'.'.join(where)}.enum: only allowed for STRING type")
        if kind == "array" and "items" not in schema:
            raise _invalid(tool, f"{'.'.join(where)}.items: missing field.")


def check_gemini_name(tool: OfferedTool) -> None:
    """Refuse a name that Gemini refuses; `parametersJsonSchema` is held to nothing else."""
    if not _GEMINI_NAME.fullmatch(tool.name):
        raise RefusedToolError(
            "Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9),"
            f" underscores (_), dots (.), colons (:) or dashes (-), with a maximum length of 64. ({tool.name})"
        )


Check = Callable[[OfferedTool], None]


def _is_object(tool: OfferedTool, refused: set[str]) -> None:
    if tool.schema.get("type") != "object" or refused & tool.schema.keys():
        raise _invalid(
            tool, f"schema must have type 'object' and not have {sorted(refused)} at the top level."
        )


def _is_closed(tool: OfferedTool, where: tuple[str, ...], schema: Schema) -> None:
    if "object" in _types(schema) and schema.get("additionalProperties") is not False:
        raise _invalid(
            tool,
            f"In context={where}, 'additionalProperties' is required to be supplied and to be false.",
        )


def _without(
    tool: OfferedTool, where: tuple[str, ...], schema: Schema, refused: frozenset[str]
) -> None:
    for keyword in sorted(schema.keys() & refused):
        raise _invalid(tool, f"In context={where}, '{keyword}' is not permitted.")


def _types(schema: Schema) -> tuple[str, ...]:
    kind = schema.get("type", ())
    return (kind,) if isinstance(kind, str) else tuple(kind)


def _parts(
    schema: Schema, where: tuple[str, ...] = ("schema",)
) -> Iterator[tuple[tuple[str, ...], Schema]]:
    """Yield a schema and all that are within it, each with its place."""
    yield where, schema
    for keyword in ("properties", "$defs", "definitions"):
        for name, part in schema.get(keyword, {}).items():
            yield from _parts(part, (*where, keyword, name))
    for keyword in ("anyOf", "allOf", "oneOf", "prefixItems"):
        for index, part in enumerate(schema.get(keyword, ())):
            yield from _parts(part, (*where, keyword, str(index)))
    for keyword in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(keyword), Mapping):
            yield from _parts(schema[keyword], (*where, keyword))


def _invalid(tool: OfferedTool, why: str) -> RefusedToolError:
    return RefusedToolError(f"Invalid schema for function '{tool.name}': {why}")
