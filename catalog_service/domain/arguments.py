"""Validation of single arguments. Each error names its field."""

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from catalog_service.domain import categories, countries, kinds
from catalog_service.domain.categories import Scope
from catalog_service.domain.errors import BadArgument
from catalog_service.domain.kinds import Kinds
from catalog_service.domain.name_keys import key_letters
from servicekit import country_names

MAX_LIMIT: Final = 50
_COUNTRY: Final = re.compile(r"[A-Za-z]{2}")
_JOINERS: Final = "\u200c\u200d"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def limit(value: int) -> int:
    if 1 <= value <= MAX_LIMIT:
        return value
    raise BadArgument("limit", f"`limit` must be from 1 to {MAX_LIMIT}, not {value}.")


def choice(field: str, value: str, allowed: Collection[str], default: str) -> str:
    """Return `value` if it is allowed, `default` if it is empty."""
    if not value:
        return default
    if value in allowed:
        return value
    listed = ", ".join(allowed)
    raise BadArgument(field, f"`{field}` must be one of {listed}.", allowed=listed)


def optional_choice(field: str, value: str | None, allowed: Collection[str]) -> str | None:
    return None if value is None else choice(field, value or " ", allowed, "")


def selected_kinds(names: Sequence[str], kind: str | None, default: Kinds) -> Kinds:
    """Return the kinds that the arguments `kinds` and `kind` name; `default` if neither does.

    Raises:
        BadArgument: One is unknown, or the two name different kinds.
    """
    single = optional_choice("kind", kind, kinds.ALL)
    named = {choice("kinds", item or " ", kinds.ALL, "") for item in names}
    if single is not None and named and named != {single}:
        raise BadArgument(
            "kinds",
            "`kind` and `kinds` name different kinds: give `kinds` alone, `kind` is deprecated.",
        )
    if single is not None:
        return (single,)
    return tuple(item for item in kinds.ALL if item in named) or default


def text(field: str, value: str, *, longest: int = 200) -> str:
    """Return `value` without surrounding white space."""
    stripped = value.strip()
    if not stripped:
        raise BadArgument(field, f"`{field}` is empty.")
    if len(stripped) > longest:
        raise BadArgument(field, f"`{field}` is longer than {longest} characters.")
    if _CONTROL.search(stripped):
        raise BadArgument(field, f"`{field}` has control characters.")
    return stripped


def has_hidden_characters(words: str) -> bool:
    """Return whether a text has characters that nobody sees, but for those that Persian, Hindi and emojis are joined by."""
    return any(
        unicodedata.category(character).startswith("C") and character not in _JOINERS
        for character in words
    )


def search(value: str | None) -> str | None:
    if value is None:
        return None
    words = text("search", value)
    if not key_letters(words):
        raise BadArgument("search", "`search` needs at least one letter or digit.")
    return words


def sponsor_categories(
    field: str, value: str | None, content_field: str | None = None
) -> tuple[str, ...] | None:
    """Return the ids of the sponsor categories that a value stands for; the first is the one it names.

    `content_field` is the argument of the same request that takes content categories; None if there is none.
    """
    if value is None:
        return None
    return categories.members(_category("sponsor", field, value, content_field))


def content_category(field: str, value: str | None, sponsor_field: str | None = None) -> str | None:
    """Return the id of the content category that a value names.

    `sponsor_field` is the argument of the same request that takes sponsor categories; None if there is none.
    """
    return None if value is None else _category("content", field, value, sponsor_field)


def named_categories(
    field: str, value: str, scopes: Sequence[Scope], remedy: str | None = None
) -> Mapping[Scope, str]:
    """Return the id of the category that a value names in each of these vocabularies that has one.

    Raises:
        BadArgument: It names none. If another vocabulary has it, the message says so and gives `remedy`.
    """
    named: dict[Scope, str] = {}
    for scope in scopes:
        found = categories.category_id(scope, value)
        if found is not None:
            named[scope] = found
    if not named:
        raise _no_category(field, value, scopes, remedy)
    return named


def _category(scope: Scope, field: str, value: str, other_field: str | None) -> str:
    remedy = other_field and f"give it as `{other_field}`"
    return named_categories(field, value, (scope,), remedy)[scope]


def _no_category(
    field: str, value: str, scopes: Sequence[Scope], remedy: str | None
) -> BadArgument:
    other = _other_vocabulary(value, scopes)
    if other is None:
        advice = f"{_near(value, scopes)}{_allowed(scopes)}"
    elif remedy is None:
        advice = f"It is a {other} category, which this tool does not take. {_allowed(scopes)}"
    else:
        advice = f"It is a {other} category: {remedy}."
    return BadArgument(
        field,
        f"`{field}` {value[:60]!r} is no {' or '.join(scopes)} category. {advice}",
        allowed=", ".join(
            dict.fromkeys(name for scope in scopes for name in categories.names(scope))
        ),
    )


def _near(value: str, scopes: Sequence[Scope]) -> str:
    near = dict.fromkeys(filter(None, (categories.nearest(scope, value) for scope in scopes)))
    return f"Did you mean {' or '.join(near)}? " if near else ""


def _allowed(scopes: Sequence[Scope]) -> str:
    of_one = len(scopes) == 1
    ids = {scope: ", ".join(categories.names(scope)) for scope in scopes}
    return " ".join(
        f"Allowed{'' if of_one else f' of {scope}'}: {names}." for scope, names in ids.items()
    )


def _other_vocabulary(value: str, scopes: Sequence[Scope]) -> Scope | None:
    """Return the vocabulary besides these that has a category of this name; None if none has."""
    others = categories.VOCABULARY.keys() - set(scopes)
    return next((scope for scope in others if categories.category_id(scope, value)), None)


def country(value: str | None) -> str | None:
    if value is None:
        return None
    if not _COUNTRY.fullmatch(value.strip()):
        named = country_names.code_of(value)
        hint = f": {named} is {value.strip()}'s." if named else ", as in DE."
        raise BadArgument("country", f"`country` must be an ISO 3166 code of two letters{hint}")
    code = value.strip().upper()
    if code in countries.CODES:
        return code
    meant = countries.MISTAKEN.get(code)
    hint = f"did you mean {meant}?" if meant else "give one of two letters, as in DE."
    raise BadArgument("country", f"`country` {code} is no country code of ISO 3166: {hint}")


def confidence(value: float) -> float:
    if 0 <= value <= 1:
        return value
    raise BadArgument("min_confidence", "`min_confidence` must be from 0 to 1.")


def not_negative(field: str, value: int | None) -> int | None:
    if value is not None and value < 0:
        raise BadArgument(field, f"`{field}` must not be negative.")
    return value


def subscribers(lowest: int | None, highest: int | None) -> tuple[int | None, int | None]:
    """Return the bounds if some number lies between them."""
    not_negative("min_subscribers", lowest)
    not_negative("max_subscribers", highest)
    if lowest is not None and highest is not None and lowest > highest:
        raise BadArgument(
            "min_subscribers", "`min_subscribers` must not be above `max_subscribers`."
        )
    return lowest, highest
