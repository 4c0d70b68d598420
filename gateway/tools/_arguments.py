"""Messages about a call's invalid arguments, which let the caller correct them at once."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from pydantic_core import ErrorDetails

_SHOWN: Final = 60


def problems(errors: Sequence[ErrorDetails], schema: Mapping[str, Any]) -> str:
    """One sentence for each problem: the field, what was given, what is allowed."""
    properties: Mapping[str, Mapping[str, Any]] = schema["properties"]
    return " ".join(_problem(error, properties) for error in errors)


def nearest(name: str, names: Iterable[str], count: int = 1) -> list[str]:
    """The names most like `name`, best first, upper and lower case being alike."""
    by_folded = {item.casefold(): item for item in names}
    found = difflib.get_close_matches(name.casefold(), by_folded, n=count, cutoff=0.5)
    return [by_folded[item] for item in found]


def expectation(schema: Mapping[str, Any]) -> str:
    """Describe the values that a property's schema allows, such as "an integer from 1 to 50 (default 10)"."""
    if "enum" in schema:
        text = "one of " + ", ".join(shown(value) for value in schema["enum"])
    elif schema["type"] == "array":
        text = f"a list of {expectation(schema['items']).removeprefix('one of ')}"
    elif schema["type"] == "string":
        text = _string(schema)
    else:
        article = "an" if schema["type"] == "integer" else "a"
        text = f"{article} {schema['type']}{_range(schema)}"
    return f"{text} (default {shown(schema['default'])})" if "default" in schema else text


def shown(value: object) -> str:
    """The value as JSON, cut to a length that a message can bear."""
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _problem(error: ErrorDetails, properties: Mapping[str, Mapping[str, Any]]) -> str:
    if not error["loc"]:
        return f"{error['msg'].removeprefix('Value error, ')}."
    field = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        return _unknown(field, properties)
    allowed = properties[field]
    if error["type"] == "missing":
        return f"`{field}` is required: {expectation(allowed)}. {allowed['description']}"
    return f"`{field}` was {shown(error['input'])}; it must be {expectation(allowed)}."


def _unknown(field: str, properties: Mapping[str, Mapping[str, Any]]) -> str:
    if not properties:
        return f"`{field[:_SHOWN]}` is not an argument: this tool takes none."
    close = nearest(field[:_SHOWN], properties)
    hint = f" Did you mean `{close[0]}`?" if close else ""
    known = ", ".join(f"`{name}`" for name in properties)
    return f"`{field[:_SHOWN]}` is not an argument.{hint} This tool takes {known}."


def _string(schema: Mapping[str, Any]) -> str:
    if schema.get("format") == "date":
        return "a day as YYYY-MM-DD"
    if "pattern" in schema:
        return f"a string such as {shown(schema['examples'][0])}"
    return f"a string of {schema.get('minLength', 0)} to {schema['maxLength']} characters"


def _range(schema: Mapping[str, Any]) -> str:
    if "minimum" not in schema:
        return ""
    return f" from {schema['minimum']} to {schema['maximum']}"
