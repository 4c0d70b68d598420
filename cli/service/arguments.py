"""Arguments of tools from `key=value`, with the types of the tool's input schema."""

import difflib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from cli.service.errors import ArgumentError
from cli.service.tools import ListedTool

_TRUTHS: Final = {"true": True, "yes": True, "false": False, "no": False}


def arguments_of(tool: ListedTool, words: Sequence[str]) -> dict[str, Any]:
    """Return the arguments that `key=value` words say. A list is of commas, or of a key that repeats.

    Raises:
        ArgumentError: A word is none, the tool has no such argument, one is missing, or of a wrong type.
    """
    arguments: dict[str, Any] = {}
    for name, text in _pairs(words):
        value = _value(name, text, _schema(tool, name))
        if name in arguments:
            if not isinstance(value, list):
                raise ArgumentError(f"{name} is given twice.")
            value = [*arguments[name], *cast("list[Any]", value)]
        arguments[name] = value
    missing = [name for name in tool.required if name not in arguments]
    if missing:
        raise ArgumentError(f"{tool.name} needs {', '.join(missing)}: give {missing[0]}=….")
    return arguments


def texts_of(words: Sequence[str]) -> dict[str, Any]:
    """Return the arguments that `key=value` words say as texts, for a tool whose schema is not known.

    Raises:
        ArgumentError: A word is none.
    """
    return dict(_pairs(words))


def type_of(schema: Mapping[str, Any]) -> str:
    """Return the type of an argument for people."""
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    if schema.get("type") == "array":
        return f"list of: {type_of(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type", "JSON"))


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    for word in words:
        name, separator, text = word.partition("=")
        if not separator or not name:
            raise ArgumentError(f"{word} is no argument: write key=value.")
        yield name, text


def _schema(tool: ListedTool, name: str) -> Mapping[str, Any]:
    schema = tool.arguments.get(name)
    if schema is not None:
        return schema
    near = difflib.get_close_matches(name, tool.arguments, 1, 0.5)
    hint = f" Did you mean {near[0]}?" if near else f" It takes {', '.join(tool.arguments)}."
    raise ArgumentError(f"{tool.name} has no argument {name}.{hint}")


def _value(name: str, text: str, schema: Mapping[str, Any]) -> Any:
    kind = schema.get("type", "object")
    if kind == "array":
        if text.lstrip().startswith("["):
            return _json(name, text)
        return [_value(name, item.strip(), schema.get("items", {})) for item in text.split(",")]
    if "enum" in schema and text not in schema["enum"]:
        raise ArgumentError(f"{name} was {text!r}; it is one of {', '.join(schema['enum'])}.")
    return _CONVERSIONS.get(kind, _json)(name, text)


def _text(_name: str, text: str) -> str:
    return text


def _integer(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ArgumentError(f"{name} was {text!r}; it is a whole number.") from None


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentError(f"{name} was {text!r}; it is a number.") from None


def _boolean(name: str, text: str) -> bool:
    truth = _TRUTHS.get(text.lower())
    if truth is None:
        raise ArgumentError(f"{name} was {text!r}; it is true or false.")
    return truth


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ArgumentError(f"{name} is no JSON: {error}.") from None


_CONVERSIONS: Final[Mapping[str, Callable[[str, str], Any]]] = {
    "string": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
}
