"""Protobuf messages with every field filled, for tests of what is made of them."""

from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from protos.shapes.v1 import options_pb2

_ROWS = "sponsorgraph.catalog.v1.SqlResult.rows"
_OBJECT = "sponsorgraph.alerts.v1.Alert.data_json"
_TEXTS = {options_pb2.INSTANT: "2026-11-01T10:00:00Z", options_pb2.DAY: "2026-11-01"}


def filled(message: Message) -> Message:
    """`message` with a plausible value in every field, two in a repeated one."""
    for field in message.DESCRIPTOR.fields:
        if field.message_type is not None:
            _fill_nested(message, field)
        elif field.is_repeated:
            getattr(message, field.name).extend([_value(field), _value(field)])
        else:
            setattr(message, field.name, _value(field))
    return message


def _fill_nested(message: Message, field: Any) -> None:
    if field.is_repeated:
        for _ in range(2):
            filled(getattr(message, field.name).add())
    else:
        filled(getattr(message, field.name))


def _value(field: Any) -> object:
    if field.full_name == _ROWS:
        return '[["NordVPN", 7, null]]'
    if field.full_name == _OBJECT:
        return '{"percent": 80}'
    if field.cpp_type in (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_INT64):
        return 7
    if field.cpp_type == FieldDescriptor.CPPTYPE_DOUBLE:
        return 0.5
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return True
    options: Any = field.GetOptions()
    return _TEXTS.get(options.Extensions[options_pb2.format]) or f"some {field.name}"
