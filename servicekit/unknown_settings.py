"""Variables that look like a service's settings and are none: a mistyped one would leave its setting at the default."""

import difflib
import os
import re
from collections.abc import Sequence
from typing import Final

from pydantic_settings import BaseSettings

_SERVICE_LINK: Final = re.compile(
    r"(\w{1,60}_)?(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP)(_\w+)?)"
)
"""Kubernetes gives each container such variables for each Service of its namespace, `AUTH_SERVICE_HOST` for one named auth."""

_LINKED_PORT: Final = re.compile(r"(\w{1,60}_)?PORT=(tcp|udp)://.*")


def unknown_settings(settings_class: type[BaseSettings]) -> Sequence[str]:
    """Return a sentence for each variable of the environment that has the service's prefix and is no setting of it."""
    prefix = str(settings_class.model_config.get("env_prefix", ""))
    names = [f"{prefix}{name}".upper() for name in settings_class.model_fields]
    known = {*names, *(f"{name}_FILE" for name in names)}
    return [
        _sentence(variable, names)
        for variable in sorted(os.environ)  # noqa: TID251 - settings are read by their class; this is about what is none
        if variable.upper().startswith(prefix)
        and variable.upper().partition("__")[0] not in known
        and not _is_service_link(variable.upper().removeprefix(prefix), os.environ[variable])  # noqa: TID251
    ]


def _is_service_link(name: str, value: str) -> bool:
    return bool(_SERVICE_LINK.fullmatch(name) or _LINKED_PORT.fullmatch(f"{name}={value}"))


def _sentence(variable: str, names: Sequence[str]) -> str:
    nearest = difflib.get_close_matches(variable.upper(), names, n=1)
    fix = (
        f"is {nearest[0]} meant?" if nearest else "docs/configuration.md has those that there are."
    )
    return f"{variable} is no setting and has no effect: {fix}"
