"""Sentences about settings of a wrong form: the variable, the problem and the fix, never the value."""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from pydantic import SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticUndefined
from pydantic_settings import BaseSettings, SettingsError

EXIT_STATUS: Final = 78
"""Exit status of a process whose settings are wrong (EX_CONFIG of sysexits.h): starting it again does not help."""

_PROBLEMS: Final[Mapping[str, str]] = {
    "int_parsing": "is not a whole number",
    "int_from_float": "is not a whole number",
    "float_parsing": "is not a number",
    "finite_number": "is not a number",
    "bool_parsing": "is neither true nor false",
    "literal_error": "is not one of its values",
    "extra_forbidden": "is no part of it",
    "greater_than": "is too small",
    "greater_than_equal": "is too small",
    "less_than": "is too large",
    "less_than_equal": "is too large",
    "too_short": "is too short",
    "string_too_short": "is too short",
    "too_long": "is too long",
    "string_too_long": "is too long",
}
_FORMS: Final[Mapping[str, str]] = {
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "finite_number": "a number",
    "greater_than": "a number",
    "greater_than_equal": "a number",
    "less_than": "a number",
    "less_than_equal": "a number",
    "bool_parsing": "true or false",
}
_BOUNDS: Final[Mapping[str, str]] = {
    "ge": "at least {}",
    "gt": "above {}",
    "le": "at most {}",
    "lt": "below {}",
    "min_length": "at least {} characters",
    "max_length": "at most {} characters",
}
_WORD: Final = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


def variable_of(settings_class: type[BaseSettings], field_name: str) -> str:
    """Return the environment variable of a setting; that of its file if that is given."""
    variable = f"{settings_class.model_config.get('env_prefix', '')}{field_name}".upper()
    file_variable = f"{variable}_FILE"
    return file_variable if os.environ.get(file_variable) else variable  # noqa: TID251 - names the origin


def json_problem(settings_class: type[BaseSettings], field_name: str, text: str) -> SettingsError:
    """Return the error for a setting that has to be JSON and is not."""
    variable = variable_of(settings_class, field_name)
    problem = "is empty" if not text.strip() else "is not valid JSON"
    description = (settings_class.model_fields[field_name].description or "").rstrip(".")
    return SettingsError(
        f"{variable} {problem}: set it to JSON, or remove it for its default ({description})."
    )


def check_url(url: str, schemes: Sequence[str]) -> None:
    """Check the form of a URL. That of a database may name several hosts, as libpq takes them.

    Raises:
        ValueError: It has none of the schemes, no host, blanks, or a port that is no number.
    """
    try:
        is_url = _is_url(url, schemes)
    except ValueError:  # its message repeats a part of the URL, which may have a password
        is_url = False
    if not is_url:
        examples = " or ".join(f"{scheme}://…" for scheme in schemes)
        raise ValueError(f"it is not a URL of the form {examples}")


def _is_url(url: str, schemes: Sequence[str]) -> bool:
    parts = urlsplit(url)
    # `urlsplit` takes blanks away that drivers do not.
    if parts.scheme not in schemes or any(character.isspace() for character in url):
        return False
    named = parts.netloc.rpartition("@")[2] or "".join(parse_qs(parts.query).get("host", ()))
    hosts = [urlsplit(f"//{host}") for host in named.split(",")]
    has_hosts = all(host.hostname and (host.port is None or host.port > 0) for host in hosts)
    return has_hosts or parts.scheme == "unix"


def sentences(settings_class: type[BaseSettings], error: Exception) -> str:
    """Return one line for each setting that `error` is about."""
    if isinstance(error, ValidationError):
        details = error.errors(include_url=False)
        return "\n".join(dict.fromkeys(_sentence(settings_class, detail) for detail in details))
    # pydantic-settings wraps what a source raises in an error that names no variable.
    cause = error.__cause__
    return str(cause if isinstance(cause, SettingsError) else error)


def _sentence(settings_class: type[BaseSettings], detail: ErrorDetails) -> str:
    location = detail["loc"]
    if not location:
        return f"{_with_variables(settings_class, _own_words(detail))}."
    name, *path = location
    field = settings_class.model_fields[str(name)]
    variable = variable_of(settings_class, str(name))
    if detail["type"] == "missing":
        return f"{variable} is not set: set it, or {variable}_FILE to the path of a file that holds it."
    if path:
        variable = f"{variable} ({'.'.join(str(part) for part in path)})"
    is_empty = isinstance(detail["input"], str) and not detail["input"].strip()
    if detail["type"] == "value_error":
        problem = f"is refused, as {_with_variables(settings_class, _own_words(detail))}"
        return f"{variable} {problem}: change it{_or_default(field)}."
    problem = "is empty" if is_empty else _PROBLEMS.get(detail["type"], "has a wrong form")
    if detail["type"] == "extra_forbidden":
        return f"{variable} {problem}: docs/configuration.md has the names that there are."
    form = _form(detail, {} if path else _bounds(field))
    return f"{variable} {problem}: set it to {form}{'' if path else _or_default(field)}."


def _own_words(detail: ErrorDetails) -> str:
    """Return the message of a validator of our own; none repeats what it was given."""
    return str(detail.get("ctx", {}).get("error", "the settings do not fit together")).rstrip(".")


def _with_variables(settings_class: type[BaseSettings], text: str) -> str:
    """Replace the names of settings in a validator's message by their variables."""
    fields = settings_class.model_fields

    def variable(found: re.Match[str]) -> str:
        name = found[0]
        return variable_of(settings_class, name) if name in fields else name

    return _WORD.sub(variable, text)


def _form(detail: ErrorDetails, bounds: Mapping[str, Any]) -> str:
    context: Mapping[str, Any] = detail.get("ctx", {})
    if detail["type"] == "literal_error":
        return str(context["expected"]).replace("'", "")
    limits = {**{name: context[name] for name in _BOUNDS if name in context}, **bounds}
    form = _FORMS.get(detail["type"], "a value of the form that docs/configuration.md has")
    if "ge" in limits and "le" in limits:
        return f"{form} from {limits['ge']} to {limits['le']}"
    parts = [_BOUNDS[name].format(limit) for name, limit in limits.items()]
    if not parts:
        return form
    ends = " and ".join(parts)
    return ends if "length" in next(iter(limits)) else f"{form}, {ends}"


def _bounds(field: FieldInfo) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for item in field.metadata:
        for name in _BOUNDS:
            limit = getattr(item, name, None)
            if limit is not None:
                found[name] = limit
    return found


def _or_default(field: FieldInfo) -> str:
    default = field.default
    if default is PydanticUndefined or field.is_required():
        return ""
    if default in (None, "", {}) or isinstance(default, (SecretStr, tuple)):
        return ", or remove it"
    return f", or remove it for {str(default).lower() if isinstance(default, bool) else default}"
