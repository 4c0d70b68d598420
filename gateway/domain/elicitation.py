"""Requests for input to the caller's client while a call runs, and the replies to them.

A request has the method and the parameters of MCP; the stateless and the session versions of the
protocol send the same.
https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from gateway.domain.errors import ElicitationUnavailable

Kind = Literal["elicitation", "sampling", "roots"]
"""Names of what a client declares to be capable of."""

Reply = Mapping[str, Any]
"""The reply to a request as the client sent it, of the shape that the method has."""

_METHODS: Final[Mapping[Kind, str]] = {
    "elicitation": "elicitation/create",
    "sampling": "sampling/createMessage",
    "roots": "roots/list",
}
_ACTIONS: Final = frozenset({"accept", "decline", "cancel"})
_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
}


@dataclass(frozen=True, slots=True)
class InputRequest:
    """One request for input.

    Attributes:
        kind: What the client must be capable of.
        params: As the method has them.
    """

    kind: Kind
    params: Mapping[str, Any]

    @property
    def method(self) -> str:
        return _METHODS[self.kind]

    def has_form(self, reply: object) -> bool:
        """Return whether a reply has the form of a reply to this kind of request."""
        if not isinstance(reply, Mapping):
            return False
        fields = cast("Reply", reply)
        if self.kind == "sampling":
            return isinstance(fields.get("content"), dict | list) and "role" in fields
        if self.kind == "roots":
            return isinstance(fields.get("roots"), list)
        accepted = fields.get("action") == "accept"
        return fields.get("action") in _ACTIONS and (
            not accepted or isinstance(fields.get("content"), Mapping)
        )

    def is_satisfied_by(self, reply: Reply) -> bool:
        """Return whether a reply of the right form has what was requested: of a form, its fields."""
        if self.kind != "elicitation" or reply["action"] != "accept":
            return True
        schema: Mapping[str, Any] = self.params["requestedSchema"]
        content: Mapping[str, object] = reply["content"]
        if not content.keys() >= set(schema.get("required", ())):
            return False
        properties: Mapping[str, Mapping[str, Any]] = schema["properties"]
        return all(
            _allows(properties[name], value)
            for name, value in content.items()
            if name in properties
        )


class InputRequired(Exception):  # noqa: N818 - a state of the call, not a failure
    """The call can continue only with replies that its caller has to send when calling again.

    Attributes:
        requests: The requests without a reply.
        replies: The replies so far, to be sent again.
    """

    def __init__(self, requests: Mapping[str, InputRequest], replies: Mapping[str, Reply]) -> None:
        super().__init__("The call needs input.")
        self.requests = requests
        self.replies = replies


class NoElicitation:
    """The `Elicitor` of calls whose caller takes no requests for input."""

    def supports(self, kind: Kind) -> bool:
        del kind
        return False

    async def elicit(self, requests: Mapping[str, InputRequest]) -> Mapping[str, Reply]:
        raise ElicitationUnavailable(next(iter(requests.values())).kind)


NO_ELICITATION: Final = NoElicitation()


def form(message: str, properties: Mapping[str, Mapping[str, Any]]) -> InputRequest:
    """Return a form for the user of the client; every field has to be filled in.

    Args:
        message: The text of the request.
        properties: The fields by name, each with its JSON Schema of a primitive type.
    """
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return InputRequest(
        "elicitation", {"mode": "form", "message": message, "requestedSchema": schema}
    )


def choice(title: str, options: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the schema of a field with one of several values, each given with its title."""
    values = [{"const": value, "title": shown} for value, shown in options]
    return {"type": "string", "title": title, "oneOf": values}


def sampling(text: str, *, max_tokens: int) -> InputRequest:
    """Return a text for the client's model."""
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return InputRequest("sampling", {"messages": [message], "maxTokens": max_tokens})


def roots() -> InputRequest:
    """Return the folders that the client has open."""
    return InputRequest("roots", {})


def _allows(schema: Mapping[str, Any], value: object) -> bool:
    """Return whether a field's schema, of the few forms that MCP has for forms, allows the value."""
    if not isinstance(value, _TYPES[schema["type"]]):
        return False
    if isinstance(value, bool) and schema["type"] != "boolean":
        return False
    if isinstance(value, list):
        allowed = _values(schema["items"])
        return all(item in allowed for item in cast("list[object]", value))
    allowed = _values(schema)
    return not allowed or value in allowed


def _values(schema: Mapping[str, Any]) -> Sequence[object]:
    """Return the values of a choice; empty if the field is none."""
    titled: list[Mapping[str, Any]] = schema.get("oneOf") or schema.get("anyOf") or []
    return [item["const"] for item in titled] or schema.get("enum", [])
