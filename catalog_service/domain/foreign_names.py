"""Names of brands in other alphabets, by which a search finds them; no answer shows them."""

import csv
from functools import cache
from importlib import resources


def names_of(slug: str) -> tuple[str, ...]:
    return _names().get(slug, ())


@cache
def _names() -> dict[str, tuple[str, ...]]:
    file = resources.files("catalog_service.domain") / "foreign_names.csv"
    lines = file.read_text("utf-8").splitlines()
    return {row["slug"]: tuple(row["names"].split(";")) for row in csv.DictReader(lines)}
