"""Frozen dataclasses to protobuf messages and back, by field name.

A dataclass and its message have the same field names. `None` is an absent optional field, a tuple a
repeated one, a `date` an ISO 8601 day, a `datetime` an RFC 3339 instant in UTC, an enum its value.
The conversion of each class is derived once and cached.
"""

import dataclasses
import types
from collections.abc import Callable
from datetime import date, datetime
from enum import Enum
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from servicekit import timestamps

M = TypeVar("M", bound=Message)
T = TypeVar("T")

_Convert = Callable[[Any], Any]


def encode(value: object, message_type: type[M]) -> M:
    """Return the message of `message_type` that says what the dataclass instance `value` says."""
    return _encoder(type(value), message_type)(value)


def decode(message: Message, cls: type[T]) -> T:
    """Return the instance of dataclass `cls` that says what `message` says."""
    return _decoder(cls)(message)


def _inner(hint: Any) -> tuple[Any, bool, bool]:
    """(type, optional, repeated) of an annotation."""
    optional = False
    if get_origin(hint) in (Union, types.UnionType):
        (hint,) = (arg for arg in get_args(hint) if arg is not type(None))
        optional = True
    if get_origin(hint) is tuple:
        return get_args(hint)[0], optional, True
    return hint, optional, False


@cache
def _encoder(cls: type[Any], message_type: type[M]) -> Callable[[Any], M]:
    hints = get_type_hints(cls)
    plan: list[tuple[str, _Convert | None, bool]] = []
    for field in dataclasses.fields(cls):
        if field.name not in message_type.DESCRIPTOR.fields_by_name:
            raise TypeError(
                f"{message_type.__name__} has no field {field.name!r} of {cls.__name__}"
            )
        hint, _, repeated = _inner(hints[field.name])
        nested = message_type.DESCRIPTOR.fields_by_name[field.name].message_type
        plan.append((field.name, _scalar_encoder(hint, nested), repeated))

    def convert(value: Any) -> M:
        arguments: dict[str, Any] = {}
        for name, inner, repeated in plan:
            item = getattr(value, name)
            if item is None:
                continue
            if inner is not None:
                item = [inner(element) for element in item] if repeated else inner(item)
            arguments[name] = item
        return message_type(**arguments)

    return convert


def _scalar_encoder(hint: Any, nested: Any) -> _Convert | None:
    if nested is not None:
        message_class = GetMessageClass(nested)
        return lambda value: _encoder(_class_of(value), message_class)(value)
    if isinstance(hint, type) and issubclass(hint, datetime):
        return timestamps.to_text
    if isinstance(hint, type) and issubclass(hint, date):
        return date.isoformat
    if isinstance(hint, type) and issubclass(hint, Enum):
        return lambda value: value.value
    return None


def _class_of(value: object) -> type[Any]:
    return type(value)


@cache
def _decoder(cls: type[T]) -> Callable[[Message], T]:
    hints = get_type_hints(cls)
    plan = [
        (field.name, _scalar_decoder(hint), optional, repeated)
        for field in dataclasses.fields(cls)  # pyright: ignore[reportArgumentType]
        for hint, optional, repeated in [_inner(hints[field.name])]
    ]

    def convert(message: Message) -> T:
        arguments: dict[str, Any] = {}
        for name, inner, optional, repeated in plan:
            if optional and not message.HasField(name):
                arguments[name] = None
                continue
            item = getattr(message, name)
            if repeated:
                arguments[name] = tuple(item) if inner is None else tuple(inner(i) for i in item)
            else:
                arguments[name] = item if inner is None else inner(item)
        return cls(**arguments)

    return convert


def _scalar_decoder(hint: Any) -> _Convert | None:
    if dataclasses.is_dataclass(hint):
        return _decoder(cast("type[Any]", hint))
    if get_origin(hint) is Literal or not isinstance(hint, type):
        return None
    if issubclass(hint, datetime | date):
        return hint.fromisoformat
    if issubclass(hint, Enum):
        return hint
    return None
