"""What a connection chooses for itself, in the query of the address or in header fields.

Every request brings its choice along, as a client sends each to the same address with the same
fields. The query goes before the field. Toolsets of repeated parameters or fields are a union.

Who chooses no form of the tools' names gets the one that fits (ADR 7): model interfaces refuse dots in
names, so MCP clients see underscores. A bare script has no model behind it and sees the published names.
Who chooses no format of the text gets JSON where structured content is read, and where a program reads the text; MCP
clients of revisions without structured content get Markdown, which says the same in the fewest tokens (ADR 70).
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, Literal, TypeVar
from urllib.parse import parse_qsl

import msgspec

from gateway.mcp import versions
from gateway.mcp.client_info import ClientInfo
from gateway.mcp.jsonrpc import INVALID_PARAMS, ProtocolError
from gateway.mcp.texts.formats import TextFormat
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
TextChoice = Literal["auto", "json", "markdown", "toon"]

NAMES_FIELD: Final = b"sponsorgraph-tool-names"
TOOLSETS_FIELD: Final = b"sponsorgraph-toolsets"
TEXT_FIELD: Final = b"sponsorgraph-text"
_NAMES: Final[Mapping[str, NameChoice]] = {
    "dotted": "dotted",
    "underscore": "underscore",
    "auto": "auto",
}
_TEXTS: Final[Mapping[str, TextChoice]] = {
    "json": "json",
    "markdown": "markdown",
    "toon": "toon",
    "auto": "auto",
}
_Choice = TypeVar("_Choice", NameChoice, TextChoice)
_LONGEST: Final = 1_000


class ConnectionOptions(msgspec.Struct, frozen=True):
    """The choice of a connection.

    Attributes:
        names: The form of the tools' names, `auto` for the one that the client's signs call for; None
            leaves it to the operator.
        toolsets: The toolsets that it chooses; None if it chooses none.
        text: The format of the text of answers, `auto` for the one that fits the client; None leaves it to the operator.
    """

    names: NameChoice | None = None
    toolsets: frozenset[str] | None = None
    text: TextChoice | None = None


NO_OPTIONS: Final = ConnectionOptions()


def options_of(request: Request) -> ConnectionOptions:
    """Return what the connection of this request has chosen.

    Raises:
        ProtocolError: It names a form, a format or a toolset that there is not.
    """
    fields = request.fields
    names, toolsets, text = map(fields.get, (NAMES_FIELD, TOOLSETS_FIELD, TEXT_FIELD))
    if not request.query and names is None and toolsets is None and text is None:
        return NO_OPTIONS
    return _options(request.query[:_LONGEST], names, toolsets, text)


@lru_cache(maxsize=256)
def _options(
    query: bytes, names: bytes | None, toolsets: bytes | None, text: bytes | None
) -> ConnectionOptions:
    pairs = parse_qsl(query.decode("latin-1"))
    chosen = dict(pairs)
    form = _choice("form of tool names", chosen.get("names", _text(names)), _NAMES)
    text_format = _choice("format of texts", chosen.get("text", _text(text)), _TEXTS)
    named = [value for name, value in pairs if name == "toolsets"]
    try:
        sets = toolsets_named(",".join(named) if named else _text(toolsets))
    except UnknownToolset as unknown:
        raise ProtocolError(INVALID_PARAMS, unknown.public_message) from None
    return ConnectionOptions(form, sets, text_format)


def _choice(subject: str, sent: str, choices: Mapping[str, _Choice]) -> _Choice | None:
    """Return the choice of this name; None for none.

    Raises:
        ProtocolError: There is none of this name.
    """
    name = sent.strip().lower()
    if name and name not in choices:
        *first, last = choices
        raise ProtocolError(
            INVALID_PARAMS,
            f"Unknown {subject}: {name[:80]}. There are {', '.join(first)} and {last}.",
        )
    return choices.get(name)


def _text(field: bytes | None) -> str:
    return "" if field is None else field[:_LONGEST].decode("latin-1")


class Presentation:
    """Choose the names of the tools and the format of texts for each caller.

    Args:
        tools: All tools that texts may name.
        names: The operator's form of names; a connection's own choice goes before it.
        text: The operator's format of texts, likewise.
    """

    def __init__(
        self, tools: Iterable[Tool], names: NameChoice = "auto", text: TextChoice = "auto"
    ) -> None:
        self._names = names
        self._text: TextChoice = text
        self._underscores = UnderscoreNaming(tools)

    def naming(self, caller: ClientInfo, chosen: NameChoice | None) -> ToolNaming:
        """Return the names for this caller, who may have chosen a form."""
        form = chosen or self._names
        if form == "auto":
            form = "underscore" if caller.shows_mcp else "dotted"
        return self._underscores if form == "underscore" else DOTTED

    def text_format(self, caller: ClientInfo, chosen: TextChoice | None) -> TextFormat:
        """Return the format of texts for this caller, who may have chosen one."""
        text = chosen or self._text
        if text == "auto":
            reads_text_alone = (
                caller.shows_mcp and caller.revision < versions.WITH_STRUCTURED_CONTENT
            )
            return "markdown" if reads_text_alone else "json"
        return text
