"""Tables as Parquet, a row group for each part."""

import io
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
from pyarrow import parquet

from gateway.exports.columns import READERS, Column, Kind
from gateway.exports.writers import Rows

_arrow: Final[Any] = pa
_parquet: Final[Any] = parquet
_TYPES: Final[Mapping[Kind, Any]] = {
    "text": _arrow.string(),
    "integer": _arrow.int64(),
    "number": _arrow.float64(),
    "boolean": _arrow.bool_(),
    "date": _arrow.date32(),
    "instant": _arrow.timestamp("us", tz="UTC"),
    "json": _arrow.string(),
}


class ParquetWriter:
    """Write Parquet into memory, of which each part is what has been added: the format's end refers to places from the start."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._schema = _arrow.schema([(column.name, _TYPES[column.kind]) for column in columns])
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

    def end(self) -> bytes:
        self._writer.close()
        return self._added()

    def _added(self) -> bytes:
        self._file.seek(self._sent)
        part = self._file.read()
        self._sent += len(part)
        return part


def _array(column: Column, cells: Sequence[Any]) -> Any:
    read = READERS.get(column.kind)
    values = [cell if cell is None or read is None else read(cell) for cell in cells]
    return _arrow.array(values, type=_TYPES[column.kind])
