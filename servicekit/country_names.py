"""Codes of countries (ISO 3166-1 alpha-2) by their names in English, for callers that send a name where a code is wanted."""

import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Final

NAMES: Final = {
    "america": "US",
    "bosnia": "BA",
    "britain": "GB",
    "burma": "MM",
    "cote d'ivoire": "CI",
    "czechia": "CZ",
    "england": "GB",
    "great britain": "GB",
    "holland": "NL",
    "ivory coast": "CI",
    "korea": "KR",
    "kosovo": "XK",
    "macedonia": "MK",
    "north korea": "KP",
    "republic of korea": "KR",
    "south korea": "KR",
    "swaziland": "SZ",
    "the netherlands": "NL",
    "turkiye": "TR",
    "uae": "AE",
    "united kingdom": "GB",
    "united states of america": "US",
    "usa": "US",
}
"""Names in English that the table of time zones writes otherwise."""


def code_of(name: str) -> str | None:
    """Return the code of the country that has a name in English; None if there is none."""
    key = _key(name)
    return NAMES.get(key) or _codes_by_name().get(key)


@cache
def _codes_by_name() -> Mapping[str, str]:
    """Return the codes by name, from the table that comes with time zones."""
    table = resources.files("tzdata").joinpath("zoneinfo/iso3166.tab").read_text("utf-8")
    rows = (line.split("\t") for line in table.splitlines() if not line.startswith("#"))
    return {_key(name): code for code, name in rows}


def _key(name: str) -> str:
    """Return a name without accents and case."""
    parts = unicodedata.normalize("NFKD", name.strip().casefold())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))
