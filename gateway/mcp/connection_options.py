"""What a connection chooses for itself, in the query of the address or in header fields.

Every request brings its choice along, as a client sends each to the same address with the same
fields. The query goes before the field. Toolsets of repeated parameters or fields are a union.

Who chooses no form of the tools' names gets the one that fits (ADR 7): model interfaces refuse dots in
names, so MCP clients see underscores. A bare script has no model behind it and sees the published names.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, Literal
from urllib.parse import parse_qsl

import msgspec

from gateway.mcp.client_info import ClientInfo
from gateway.mcp.jsonrpc import INVALID_PARAMS, ProtocolError
from gateway.mcp.transport.http import Request
from gateway.tools import (
    DOTTED,
    Tool,
    ToolNaming,
    UnderscoreNaming,
    UnknownToolset,
    toolsets_named,
)

NameChoice = Literal["auto", "dotted", "underscore"]

NAMES_FIELD: Final = b"sponsorgraph-tool-names"
TOOLSETS_FIELD: Final = b"sponsorgraph-toolsets"
_CHOICES: Final[Mapping[str, NameChoice]] = {
    "dotted": "dotted",
    "underscore": "underscore",
    "auto": "auto",
}
_LONGEST: Final = 1_000


class ConnectionOptions(msgspec.Struct, frozen=True):
    """The choice of a connection.

    Attributes:
        names: The form of the tools' names, `auto` for the one that the client's signs call for; None
            leaves it to the operator.
        toolsets: The toolsets that it chooses; None if it chooses none.
    """

    names: NameChoice | None = None
    toolsets: frozenset[str] | None = None


NO_OPTIONS: Final = ConnectionOptions()


def options_of(request: Request) -> ConnectionOptions:
    """Return what the connection of this request has chosen.

    Raises:
        ProtocolError: It names a form or a toolset that there is not.
    """
    fields = request.fields
    names, toolsets = fields.get(NAMES_FIELD), fields.get(TOOLSETS_FIELD)
    if not request.query and names is None and toolsets is None:
        return NO_OPTIONS
    return _options(request.query[:_LONGEST], names, toolsets)


@lru_cache(maxsize=256)
def _options(query: bytes, names: bytes | None, toolsets: bytes | None) -> ConnectionOptions:
    pairs = parse_qsl(query.decode("latin-1"), max_num_fields=_LONGEST)
    chosen = dict(pairs)
    form = chosen.get("names", _text(names)).strip().lower()
    if form and form not in _CHOICES:
        raise ProtocolError(
            INVALID_PARAMS,
            f"Unknown form of tool names: {form[:80]}. There are dotted, underscore and auto.",
        )
    named = [value for name, value in pairs if name == "toolsets"]
    try:
        sets = toolsets_named(",".join(named) if named else _text(toolsets))
    except UnknownToolset as unknown:
        raise ProtocolError(INVALID_PARAMS, unknown.public_message) from None
    return ConnectionOptions(_CHOICES.get(form), sets)


def _text(field: bytes | None) -> str:
    return "" if field is None else field[:_LONGEST].decode("latin-1")


class ToolNames:
    """Choose the names of the tools for each caller.

    Args:
        tools: All tools of the gateway.
        setting: The operator's; a connection's own choice goes before it.
    """

    def __init__(self, tools: Iterable[Tool], setting: NameChoice) -> None:
        self._setting = setting
        self._underscores = UnderscoreNaming(tools)

    def naming(self, caller: ClientInfo, chosen: NameChoice | None) -> ToolNaming:
        """Return the names for this caller, who may have chosen a form."""
        form = chosen or self._setting
        if form == "auto":
            form = "underscore" if caller.shows_mcp else "dotted"
        return self._underscores if form == "underscore" else DOTTED
