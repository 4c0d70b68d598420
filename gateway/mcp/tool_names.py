"""The name under which a client sees a tool, dotted or with underscores (ADR: tool names are dotted).

Some clients refuse dots in tool names, and then hide a server's every tool. They are recognised by
the name that they give.
"""

from typing import Final, Literal

ToolNames = Literal["auto", "dotted", "underscore"]

CLIENTS_REFUSING_DOTS: Final = (
    "claude-ai",  # claude.ai and Claude Desktop
    "claude.ai",
    "claude desktop",
    "claude-user",
    "cursor",
    "openai",
    "chatgpt",
    "codex",
)
"""Parts of the names of clients that refuse dots, in lower case."""


def uses_underscores(mode: ToolNames, client_name: str) -> bool:
    """Return whether a client of this name is to see underscore names."""
    if mode != "auto":
        return mode == "underscore"
    folded = client_name.casefold()
    return any(part in folded for part in CLIENTS_REFUSING_DOTS)
