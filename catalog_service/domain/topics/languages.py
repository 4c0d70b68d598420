"""The text search configuration of Postgres that a video's words are indexed by."""

from collections.abc import Mapping
from typing import Final

SIMPLE: Final = "simple"
"""No stop words, no endings: words as they are written."""

ENGLISH: Final = "english"
CONFIGURATIONS: Final[Mapping[str, str]] = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": ENGLISH,
    "es": "spanish",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nb": "norwegian",
    "ne": "nepali",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
"""By the first part of a BCP 47 tag; Postgres has them since version 14."""

ALL: Final = (SIMPLE, *dict.fromkeys(CONFIGURATIONS.values()))


def configuration_of(language: str | None) -> str:
    """Return the configuration for a video's language, a BCP 47 tag such as "en-US"; `SIMPLE` where Postgres has none."""
    return CONFIGURATIONS.get((language or "").partition("-")[0].lower(), SIMPLE)


def language_name(configuration: str) -> str:
    return configuration.capitalize()
