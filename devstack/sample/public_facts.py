"""Public facts that files of the sample add to its raw data."""

import csv
from collections.abc import Mapping
from functools import cache
from importlib import resources


@cache
def facts_by(column: str, file: str) -> Mapping[str, Mapping[str, str]]:
    """Return what each row of a CSV file says, by the value of a column; empty cells say nothing."""
    text = resources.files("devstack.sample").joinpath(file).read_text("utf-8")
    return {
        row[column]: {name: value for name, value in row.items() if value}
        for row in csv.DictReader(text.splitlines())
    }
