"""Public facts about creators of the sample that its raw data lack."""

import csv
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import resources

from shapes.catalog.ingest import YoutuberFact


def with_public_facts(youtuber: YoutuberFact) -> YoutuberFact:
    """Return the record with handle, country and category filled in where it has none."""
    facts = _by_key().get(youtuber.key, {})
    return replace(
        youtuber,
        handle=youtuber.handle or facts.get("handle"),
        country=youtuber.country or facts.get("country"),
        category=youtuber.category or facts.get("category"),
    )


@cache
def _by_key() -> Mapping[str, Mapping[str, str]]:
    """Return what `creators.csv` says, by `keys.youtuber_key`."""
    text = resources.files("devstack.sample").joinpath("creators.csv").read_text("utf-8")
    return {
        row["key"]: {name: value for name, value in row.items() if value}
        for row in csv.DictReader(text.splitlines())
    }
