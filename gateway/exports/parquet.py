"""Tables as Parquet, a row group for each part."""

import dataclasses
import io
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, cast, get_args, get_type_hints

import pyarrow as pa
from pyarrow import parquet

from gateway.exports.columns import COLUMN_TYPES, READERS, Column, ColumnType, Rows, plain_type

_arrow: Final[Any] = pa
_parquet: Final[Any] = parquet
_TYPES: Final[Mapping[ColumnType, Any]] = {
    "text": _arrow.string(),
    "integer": _arrow.int64(),
    "number": _arrow.float64(),
    "boolean": _arrow.bool_(),
    "date": _arrow.date32(),
    "instant": _arrow.timestamp("us", tz="UTC"),
    "json": _arrow.string(),
}


class ParquetWriter:
    """Writes Parquet into a buffer; each part is the bytes added since the last.

    The file stays in memory, as its footer refers to offsets from the start.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._schema = _arrow.schema([(column.name, _type(column)) for column in columns])
        self._file = io.BytesIO()
        self._sent = 0
        self._writer = _parquet.ParquetWriter(self._file, self._schema)

    def begin(self) -> bytes:
        return self._added()

    def rows(self, rows: Rows) -> bytes:
        if rows:
            values = zip(*rows, strict=True)
            arrays = [
                _array(column, list(cells))
                for column, cells in zip(self._columns, values, strict=True)
            ]
            self._writer.write_table(_arrow.table(arrays, schema=self._schema))
        return self._added()

    def end(self, cut_off: str | None = None) -> bytes:
        if cut_off is not None:
            self._writer.add_key_value_metadata({"cut_off": cut_off})
        self._writer.close()
        return self._added()

    def _added(self) -> bytes:
        self._file.seek(self._sent)
        part = self._file.read()
        self._sent += len(part)
        return part


def _type(column: Column) -> Any:
    return (
        _TYPES[column.kind] if column.items is None else _arrow.list_(_type_of_items(column.items))
    )


def _type_of_items(hint: Any) -> Any:
    """Return the type of values in lists: plain ones, objects with fields, or further lists."""
    plain = plain_type(hint)
    if dataclasses.is_dataclass(plain):
        fields = _fields(cast("type", plain))
        return _arrow.struct([(name, _type_of_items(field)) for name, field in fields.items()])
    if plain in COLUMN_TYPES:
        return _TYPES[COLUMN_TYPES[plain]]
    return _arrow.list_(_type_of_items(get_args(plain)[0]))


@cache
def _fields(shape: type) -> Mapping[str, Any]:
    return get_type_hints(shape, include_extras=True)


def _array(column: Column, cells: Sequence[Any]) -> Any:
    values = [None if cell is None else _cell(column, cell) for cell in cells]
    return _arrow.array(values, type=_type(column))


def _cell(column: Column, cell: Any) -> Any:
    if column.items is not None:
        return [_item(value, column.items) for value in json.loads(cell)]
    read = READERS.get(column.kind)
    return read(cell) if read else cell


def _item(value: Any, hint: Any) -> Any:
    """Return a value of JSON as one of a type in lists."""
    if value is None:
        return None
    plain = plain_type(hint)
    if dataclasses.is_dataclass(plain):
        fields = _fields(cast("type", plain))
        return {name: _item(value.get(name), field) for name, field in fields.items()}
    if plain in COLUMN_TYPES:
        read = READERS.get(COLUMN_TYPES[plain])
        return read(value) if read else value
    return [_item(part, get_args(plain)[0]) for part in value]
