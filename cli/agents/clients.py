"""AI clients: where each has its servers of MCP, and how it writes one that is reached over HTTP.

Each function cites the client's documentation. Keys are left to a variable of the environment where the client reads
one; else they are asked for by the client, or written into a file that its owner alone can read.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, Literal

from cli.agents.locations import Machine

NAME: Final = "sponsorgraph"
KEY_VARIABLE: Final = "SPONSORGRAPH_API_KEY"

Format = Literal["json", "jsonc", "toml"]
Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Access:
    """How the service is reached.

    Attributes:
        url: Of the endpoint.
        uses_key: Whether by an API key instead of by a login in the browser.
        key: The key, for clients that read it from no variable; "" where it is not known.
    """

    url: str
    uses_key: bool = False
    key: str = ""


@dataclass(frozen=True, slots=True)
class AgentClient:
    """A program that agents run in, and how its configuration names an MCP server.

    Attributes:
        title: Its name for people.
        format: Of its file.
        file: Where its file is.
        servers: The member of the file that has the servers.
        entry: The members of a server for an access, by dotted name.
        managed: All members that `entry` may write, so that those of another access are removed.
        next_step: What the person does next, by whether a key is used.
        skills: Where it reads skills from; None where it reads none from a folder.
        needs_key: Whether a key is written into the file itself.
        elicits_key: Whether the client asks for the key; its question is then written as well.
    """

    title: str
    format: Format
    file: Callable[[Machine], Path]
    servers: str
    entry: Callable[[Access], Fields]
    managed: tuple[str, ...]
    next_step: Callable[[Access], str]
    skills: Callable[[Machine], Path] | None
    needs_key: bool = False
    elicits_key: bool = False


def _claude_code_file(machine: Machine) -> Path:
    """Return the file of servers of the scope `user`.

    "Connect Claude Code to tools via MCP" (code.claude.com/docs/en/mcp): user scope is in `~/.claude.json`;
    `CLAUDE_CONFIG_DIR` moves it ("Settings", code.claude.com/docs/en/settings).
    """
    return (machine.claude_config_dir or machine.home) / ".claude.json"


def _claude_code(access: Access) -> Fields:
    """Return a server of `type` http; `${VAR}` in headers is replaced (same page, "Environment variable expansion")."""
    return {
        "type": "http",
        "url": access.url,
        **_header(access, f"Bearer ${{{KEY_VARIABLE}}}"),
    }


def _claude_code_skills(machine: Machine) -> Path:
    """Return the folder of personal skills ("Extend Claude with skills", code.claude.com/docs/en/skills)."""
    return (machine.claude_config_dir or machine.home / ".claude") / "skills"


def _codex_file(machine: Machine) -> Path:
    """Return Codex's file ("Model Context Protocol", developers.openai.com/codex/mcp; `CODEX_HOME` moves it)."""
    return (machine.codex_home or machine.home / ".codex") / "config.toml"


def _codex(access: Access) -> Fields:
    """Return a streamable HTTP server; Codex refuses a token in the file and takes the name of its variable."""
    fields: dict[str, object] = {"url": access.url}
    return {**fields, "bearer_token_env_var": KEY_VARIABLE} if access.uses_key else fields


def _codex_skills(machine: Machine) -> Path:
    """Return the person's folder of skills, which is not in `CODEX_HOME` ("Agent Skills", developers.openai.com/codex/skills)."""
    return machine.home / ".agents" / "skills"


def _gemini_file(machine: Machine) -> Path:
    """Return the user's settings ("Gemini CLI configuration", geminicli.com/docs/reference/configuration)."""
    return (machine.gemini_cli_home or machine.home) / ".gemini" / "settings.json"


def _gemini(access: Access) -> Fields:
    """Return a server of `httpUrl`, streamable HTTP ("MCP servers with the Gemini CLI", docs/tools/mcp-server.md).

    Texts of the settings may name variables as `${VAR}` ("Gemini CLI configuration").
    """
    return {"httpUrl": access.url, **_header(access, f"Bearer ${{{KEY_VARIABLE}}}")}


def _gemini_skills(machine: Machine) -> Path:
    """Return the folder of user skills ("Agent Skills", geminicli.com/docs/cli/skills)."""
    return (machine.gemini_cli_home or machine.home) / ".gemini" / "skills"


def _opencode_file(machine: Machine) -> Path:
    """Return the global configuration ("Config", opencode.ai/docs/config): JSON or JSON with comments, whichever is there."""
    folder = machine.xdg / "opencode"
    with_comments = folder / "opencode.jsonc"
    return with_comments if with_comments.exists() else folder / "opencode.json"


def _opencode(access: Access) -> Fields:
    """Return a server of `type` remote ("MCP servers", opencode.ai/docs/mcp-servers).

    It logs in by itself; `oauth` false is for keys. `{env:VAR}` is a variable ("Config", "Variables").
    """
    fields: dict[str, object] = {"type": "remote", "url": access.url, "enabled": True}
    header = _header(access, f"Bearer {{env:{KEY_VARIABLE}}}")
    return {**fields, "oauth": False, **header} if access.uses_key else fields


def _opencode_skills(machine: Machine) -> Path:
    """Return the global folder ("Agent Skills", opencode.ai/docs/skills)."""
    return machine.xdg / "opencode" / "skills"


def _cursor_file(machine: Machine) -> Path:
    """Return the global file ("Model Context Protocol", cursor.com/docs/context/mcp)."""
    return machine.home / ".cursor" / "mcp.json"


def _cursor(access: Access) -> Fields:
    """Return a remote server; `${env:NAME}` is a variable (same page, "Config interpolation")."""
    return {"url": access.url, **_header(access, f"Bearer ${{env:{KEY_VARIABLE}}}")}


def _cursor_skills(machine: Machine) -> Path:
    """Return the person's folder ("Agent Skills", cursor.com/docs/context/skills)."""
    return machine.home / ".cursor" / "skills"


def _vscode_file(machine: Machine) -> Path:
    """Return `mcp.json` of the default profile.

    "MCP configuration reference" and "User and workspace settings" (code.visualstudio.com/docs): the user's folder is
    `Code/User` in the folder of settings of desktop programs.
    """
    return machine.application_data / "Code" / "User" / "mcp.json"


def _vscode(access: Access) -> Fields:
    """Return a server of `type` http; `${input:ID}` asks for a secret and stores it encrypted (same reference)."""
    header = _header(access, f"Bearer ${{input:{INPUT_ID}}}")
    return {"type": "http", "url": access.url, **header}


def _vscode_skills(machine: Machine) -> Path:
    """Return Copilot's folder of personal skills ("Use Agent Skills in VS Code", code.visualstudio.com/docs)."""
    return machine.home / ".copilot" / "skills"


INPUT_ID: Final = "sponsorgraph-api-key"
INPUT: Final[Fields] = {
    "type": "promptString",
    "id": INPUT_ID,
    "description": "API key of Sponsorgraph, from the account page",
    "password": True,
}


def _claude_desktop_file(machine: Machine) -> Path:
    """Return the desktop program's file ("Connect to local MCP servers", modelcontextprotocol.io/docs/develop/connect-local-servers).

    The page names macOS and Windows. On Linux the folder is that of other desktop programs.
    """
    return machine.application_data / "Claude" / "claude_desktop_config.json"


def _claude_desktop(access: Access) -> Fields:
    """Return a program that connects to the service, as this file takes no remote servers.

    mcp-remote's README: `npx mcp-remote URL`, with `--header NAME:${VAR}` and the value in `env`, as spaces in arguments
    get lost on Windows. Only addresses of this machine are reached over HTTP, and need `--allow-http`.
    """
    arguments = ["-y", "mcp-remote", access.url]
    if access.url.startswith("http://"):
        arguments.append("--allow-http")
    if not access.uses_key:
        return {"command": "npx", "args": arguments}
    arguments += ["--header", "Authorization:${AUTHORIZATION}"]
    return {
        "command": "npx",
        "args": arguments,
        "env.AUTHORIZATION": f"Bearer {access.key}",
    }


def _header(access: Access, value: str) -> Fields:
    return {"headers.Authorization": value} if access.uses_key else {}


def _with_variable(access: Access, login: str) -> str:
    if access.uses_key:
        return f"Set {KEY_VARIABLE} in the environment that it is started from."
    return login


_URL_AND_HEADER: Final = ("url", "headers.Authorization", "type", "command", "args")


class ClientName(StrEnum):
    """The names that `sponsorgraph connect` takes."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI = "gemini"
    OPENCODE = "opencode"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CLAUDE_DESKTOP = "claude-desktop"


CLIENTS: Final[Mapping[str, AgentClient]] = {
    ClientName.CLAUDE_CODE: AgentClient(
        "Claude Code",
        "json",
        _claude_code_file,
        "mcpServers",
        _claude_code,
        _URL_AND_HEADER,
        lambda access: _with_variable(access, "Log in: run `claude`, then /mcp in it."),
        _claude_code_skills,
    ),
    ClientName.CODEX: AgentClient(
        "Codex",
        "toml",
        _codex_file,
        "mcp_servers",
        _codex,
        ("url", "bearer_token_env_var", "command", "args"),
        lambda access: _with_variable(access, f"Log in: `codex mcp login {NAME}`."),
        _codex_skills,
    ),
    ClientName.GEMINI: AgentClient(
        "Gemini CLI",
        "jsonc",
        _gemini_file,
        "mcpServers",
        _gemini,
        ("httpUrl", *_URL_AND_HEADER),
        lambda access: _with_variable(
            access, f"Log in: run `gemini`, then /mcp auth {NAME} in it."
        ),
        _gemini_skills,
    ),
    ClientName.OPENCODE: AgentClient(
        "opencode",
        "jsonc",
        _opencode_file,
        "mcp",
        _opencode,
        ("type", "url", "enabled", "oauth", "headers.Authorization", "command"),
        lambda access: _with_variable(access, f"Log in: `opencode mcp auth {NAME}`."),
        _opencode_skills,
    ),
    ClientName.CURSOR: AgentClient(
        "Cursor",
        "jsonc",
        _cursor_file,
        "mcpServers",
        _cursor,
        _URL_AND_HEADER,
        lambda access: _with_variable(access, "Log in: Settings, MCP, Connect."),
        _cursor_skills,
    ),
    ClientName.VSCODE: AgentClient(
        "VS Code",
        "jsonc",
        _vscode_file,
        "servers",
        _vscode,
        _URL_AND_HEADER,
        lambda access: (
            "It asks for the key when it starts the server: MCP: List Servers."
            if access.uses_key
            else "Start the server by MCP: List Servers, and log in in the browser."
        ),
        _vscode_skills,
        elicits_key=True,
    ),
    ClientName.CLAUDE_DESKTOP: AgentClient(
        "Claude Desktop",
        "json",
        _claude_desktop_file,
        "mcpServers",
        _claude_desktop,
        ("command", "args", "env.AUTHORIZATION", "type", "url"),
        lambda access: (
            "Quit Claude Desktop and start it again. It needs Node."
            if access.uses_key
            else "Quit Claude Desktop and start it again; it opens the browser to log in. It needs Node."
        ),
        None,
        needs_key=True,
    ),
}
