"""Arguments as callers send them, made those that the schema lists, where they can mean one thing only.

Frameworks fill what a model left out with null, and some hold every number as a float. Where a framework requires every
argument (strict schemas), models send blanks for what they would leave out.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from gateway.domain.errors import InvalidArguments

_LARGEST_EXACT = 2**53
"""Beyond it a float is no longer one integer."""
_REFUSES_BLANK = frozenset({"minLength", "pattern", "format", "enum"})
_NEVER_LEFT_OUT = frozenset({"idempotency_key"})
"""Without it a repeated call is made twice, and its caller believes that it was not."""


def listed_names(
    arguments: Mapping[str, object], former_names: Mapping[str, str]
) -> tuple[dict[str, object], dict[str, str]]:
    """Return the arguments under the names that the schema lists, and the former ones by those.

    Args:
        arguments: As sent; those that are null are left out.
        former_names: The listed name, by each former one.

    Raises:
        InvalidArguments: Both names of an argument were sent.
    """
    present = {name: value for name, value in arguments.items() if value is not None}
    sent = {listed: former for former, listed in former_names.items() if former in present}
    for listed, former in sent.items():
        if listed in present:
            raise InvalidArguments(
                f"`{former}` is the former name of `{listed}`, and both were sent: "
                f"send `{listed}` alone.",
                details={"field": f"{former}, {listed}"},
            )
    return {former_names.get(name, name): value for name, value in present.items()}, sent


def without_blanks(arguments: Mapping[str, object], schema: Mapping[str, Any]) -> dict[str, object]:
    """Return the arguments without those that are optional, blank, and may not be blank."""
    properties, required = schema["properties"], schema.get("required", ())
    return {
        name: value
        for name, value in arguments.items()
        if name in required
        or name in _NEVER_LEFT_OUT
        or not _is_blank(value, properties.get(name, {}))
    }


def _is_blank(value: object, schema: Mapping[str, Any]) -> bool:
    if value == "":
        return schema.get("type") == "string" and _REFUSES_BLANK & schema.keys() != frozenset()
    return value == [] and "minItems" in schema


def fitted(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return the value without nulls, and with whole floats as integers where the schema has integers."""
    kind = schema.get("type")
    if kind == "integer" and isinstance(value, float):
        is_whole = value.is_integer() and abs(value) <= _LARGEST_EXACT
        return int(value) if is_whole else value
    if kind == "array" and isinstance(value, list):
        items = schema.get("items", {})
        return [fitted(item, items) for item in cast("Sequence[Any]", value) if item is not None]
    if isinstance(value, dict):
        members = schema.get("properties", {})
        fields = cast("dict[str, Any]", value).items()
        return {
            name: fitted(member, members.get(name, {}))
            for name, member in fields
            if member is not None
        }
    return value
