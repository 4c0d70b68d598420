"""Messages about a call's invalid arguments, which let the caller correct them at once."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import msgspec
from pydantic_core import ErrorDetails

from gateway.tools._near_names import meant_argument, meant_value
from servicekit.country_names import code_of
from servicekit.named_days import advice_on

COUNTRY_CODE: Final = r"^[A-Za-z]{2}$"
WITHOUT_BLANKS: Final = r"^\S+$"
DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
"""The form of a day; the calendar may have none of that date."""
_SHOWN: Final = 60
_AS_LISTED: Final[Mapping[str, str]] = {}
_NO_VALUES: Final[Mapping[str, object]] = {}
_NUMBER: Final = re.compile(r"[+-]?[0-9][0-9,_ ]*(\.[0-9]+)?([eE][+-]?[0-9]+)?")
"""A number as people and programs write it, with separators or an exponent."""
_NAMED: Final = re.compile(r"`([a-z_]+)`")
_LONGEST_NAME: Final = 80
_LONGEST_LIST: Final = 2_000
"""Characters of a text that is read as a list: to look for what each entry may mean takes time."""

_BETWEEN_ENTRIES: Final = re.compile(r"[,;\n]")
_PATHS_OF_ONE_PARENT: Final = "{"
"""Paths of fields have commas within braces."""
_QUOTE: Final = re.compile(r'(?<!\\)(?:\\\\)*"')


def problems(
    errors: Sequence[ErrorDetails],
    schema: Mapping[str, Any],
    sent: Mapping[str, str] = _AS_LISTED,
    values: Mapping[str, object] = _NO_VALUES,
) -> str:
    """One sentence for each problem: the field, what was given, what is allowed.

    Args:
        errors: What pydantic found.
        schema: Of the arguments.
        sent: The former name, by listed name, of the arguments that were sent under it.
        values: The arguments as sent, by listed name, where they were fitted before the check.
    """
    properties: Mapping[str, Mapping[str, Any]] = schema["properties"]
    return " ".join(_problem(error, properties, sent, values) for error in errors)


def fields_of(errors: Sequence[ErrorDetails], schema: Mapping[str, Any]) -> list[str]:
    """Return the names of the arguments that are wrong; of arguments that do not fit together, those that the message names."""
    found: list[str] = []
    for error in errors:
        if error["loc"]:
            found.append(str(error["loc"][0])[:_LONGEST_NAME])
        else:
            found += [name for name in _NAMED.findall(error["msg"]) if name in schema["properties"]]
    return list(dict.fromkeys(found))


def expectation(schema: Mapping[str, Any]) -> str:
    """Describe the values that a property's schema allows, such as "an integer from 1 to 50 (default 10)"."""
    if "enum" in schema:
        text = "one of " + ", ".join(shown(value) for value in schema["enum"])
    elif schema["type"] == "array":
        text = _list(schema)
    elif schema["type"] == "string":
        text = _string(schema)
    else:
        article = "an" if schema["type"] == "integer" else "a"
        text = f"{article} {schema['type']}{_range(schema)}"
    return f"{text} (default {shown(schema['default'])})" if "default" in schema else text


def shown(value: object) -> str:
    """The value as JSON, cut to a length that a message can bear."""
    text = msgspec.json.encode(value).decode()
    if len(text) <= _SHOWN:
        return text
    begun = text[: _SHOWN - 2]
    # A string that is cut ends all the same: what is quoted are the caller's words (`ToolNaming`).
    return begun + ('…"' if len(_QUOTE.findall(begun)) % 2 else "…")


def _problem(
    error: ErrorDetails,
    properties: Mapping[str, Mapping[str, Any]],
    sent: Mapping[str, str],
    values: Mapping[str, object],
) -> str:
    if not error["loc"]:
        return f"{error['msg'].removeprefix('Value error, ')}."
    field = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        return _unknown(field, properties)
    allowed = properties[field]
    if error["type"] == "missing":
        return f"`{field}` is required: {expectation(allowed)}. {allowed['description']}"
    value = error["input"]
    if value == []:
        value = values.get(field, value)
    name = f"`{field}` (sent as `{sent[field]}`)" if field in sent else f"`{field}`"
    index = error["loc"][1:2]
    if index and isinstance(index[0], int) and isinstance(values.get(field), list):
        name, allowed = f"Entry {index[0] + 1} of {name}", allowed["items"]
    elif error["type"] == "too_long" and isinstance(value, list):
        return f"{name} has {len(cast('list[object]', value)):,} entries; it must be {expectation(allowed)}."
    return _misfit(name, value, allowed)


def _misfit(name: str, value: object, allowed: Mapping[str, Any]) -> str:
    """Say what an argument was and what it must be."""
    if allowed.get("format") == "date":
        return f"{name} was {shown(value)}{_no_day(str(value))}."
    remedy = _remedy(value, allowed) if isinstance(value, str) else ""
    meant = _meant(value, allowed)
    suggestion = f" Did you mean {shown(meant)}?" if meant is not None else ""
    return f"{name} was {shown(value)}; it must be {expectation(allowed)}{remedy}.{suggestion}"


def _no_day(text: str) -> str:
    """Return why a text is no day, with the days that it may mean."""
    if DAY.fullmatch(text):
        return ": the calendar has no such day"
    advice = advice_on(text)
    return f"; it must be a day as YYYY-MM-DD{f': {advice}' if advice else ''}"


def _meant(value: object, allowed: Mapping[str, Any]) -> object:
    """Return the enumerated value, or the list, that a caller may mean; None if there is none likely."""
    if not isinstance(value, str):
        return None
    if "enum" in allowed:
        return meant_value(value, allowed["enum"])
    return _as_list(value, allowed) if allowed.get("type") == "array" else None


def _as_list(text: str, allowed: Mapping[str, Any]) -> list[str] | None:
    """Return the entries of a text as a list that the schema takes; None if it takes none of the kind."""
    if len(text) > _LONGEST_LIST:
        return None
    is_whole = _PATHS_OF_ONE_PARENT in text
    parts = [part.strip() for part in ([text] if is_whole else _BETWEEN_ENTRIES.split(text))]
    written, values = list(filter(None, parts)), allowed["items"].get("enum")
    meant = [meant_value(part, values) if values else part for part in written]
    entries = [entry for entry in meant if entry is not None]
    if text.lstrip().startswith("[") or not entries or len(entries) < len(written):
        return None
    fits = allowed.get("minItems", 0) <= len(entries) <= allowed.get("maxItems", len(entries))
    return entries if fits else None


def _remedy(text: str, allowed: Mapping[str, Any]) -> str:
    """Return what to do if a number, a boolean or a list came within a string; nothing for others."""
    kind, written = allowed.get("type"), text.strip()[:_SHOWN]
    if kind in ("integer", "number") and _NUMBER.fullmatch(written):
        return ": a string was sent; send the number without quotes"
    if kind == "boolean" and written.lower() in ("true", "false"):
        return f": a string was sent; send {written.lower()} without quotes"
    if kind == "array" and written.startswith("["):
        return ": a string was sent; send the list itself"
    if allowed.get("pattern") == COUNTRY_CODE and (code := code_of(written)):
        return f": {code} is {written}'s"
    return ""


def _unknown(field: str, properties: Mapping[str, Mapping[str, Any]]) -> str:
    if not properties:
        return f"`{field[:_SHOWN]}` is not an argument: this tool takes none."
    meant = meant_argument(field, properties)
    hint = f" Did you mean `{meant}`?" if meant else ""
    known = ", ".join(f"`{name}`" for name in properties)
    return f"`{field[:_SHOWN]}` is not an argument.{hint} This tool takes {known}."


def _list(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minItems", 0), schema.get("maxItems")
    count = f"{low} to {high}" if low else f"up to {high}"
    items = expectation(schema["items"])
    if "enum" in schema["items"]:
        return f"a list of {count} of {items.removeprefix('one of ')}"
    # Of several, "a string of …" is "strings of …".
    _, noun, *rest = items.split(" ")
    return " ".join((f"a list of {count} {noun}s", *rest))


def _string(schema: Mapping[str, Any]) -> str:
    if schema.get("format") == "date":
        return "a day as YYYY-MM-DD"
    if schema.get("pattern") == COUNTRY_CODE:
        return 'a country code of two letters (ISO 3166-1 alpha-2), such as "US"'
    length = ""
    if "maxLength" in schema:
        length = f" of {schema.get('minLength', 0)} to {schema['maxLength']} characters"
    if schema.get("pattern") == WITHOUT_BLANKS:
        return f"a string{length} without blanks, such as {shown(schema['examples'][0])}"
    return f"a string{length}"


def _range(schema: Mapping[str, Any]) -> str:
    if "minimum" not in schema:
        return ""
    return f" from {schema['minimum']} to {schema['maximum']}"
