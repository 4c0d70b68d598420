"""The texts of cells of tables with data."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from auth_service.domain.explore.columns import Column, Row, Value
from auth_service.domain.explore.labels import Labels, shown_day, words
from auth_service.domain.explore.tables import TableSpec


@dataclass(frozen=True, slots=True)
class Cells:
    """What cells show, with the names of categories and countries."""

    labels: Labels

    def text(self, column: Column, row: Row) -> str:
        """Return the text of a cell."""
        value = column.value(row)
        if value is None and column.substitute is not None:
            value = column.substitute(row)
        return self._shown(column.form, value)

    def note(self, column: Column, row: Row) -> str:
        """Return the second line of a cell, empty without one."""
        note = column.note(row) if column.note else ""
        return self._shown(column.note_form, note) if note else ""

    def remark(self, text: str) -> str:
        return self.labels.with_names(text)

    def bar(
        self, spec: TableSpec, column: Column, row: Row, rows: Sequence[Row], ranked_by: str = ""
    ) -> int | None:
        """Return the length of a row's bar in percent of the longest one, None in a column without bars.

        Bars are of the column `ranked_by`, if it is given, else of the one that the column names.
        """
        key = column.bar and (ranked_by or column.bar)
        measured = next((other for other in spec.columns if other.key == key), None)
        if measured is None:
            return None
        amounts = [measured.value(other) for other in rows]
        longest = max((amount for amount in amounts if isinstance(amount, int | float)), default=0)
        own = measured.value(row)
        return round(own / longest * 100) if isinstance(own, int | float) and longest else 0

    def _shown(self, form: str, value: Value) -> str:
        if value is None or value == "":
            return "–"
        if isinstance(value, int | float):
            return _number(form, value)
        if form == "day":
            return shown_day(value)
        if form == "category":
            return self.labels.category(value)
        if form == "country":
            return self.labels.country(value)
        return words(value) if form == "words" else value


def _number(form: str, value: float) -> str:
    if form == "share":
        return _percentage(value)
    return f"{value:,}" if form == "number" else str(value)


def _percentage(share: float) -> str:
    """Return a share in percent, with one decimal place below 10 %; halves are rounded up, as views do."""
    percent = Decimal(str(share)) * 100
    step = Decimal("0.1") if abs(share) < 0.1 else Decimal(1)
    return f"{percent.quantize(step, ROUND_HALF_UP)}%"
