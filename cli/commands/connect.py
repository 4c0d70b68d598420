"""`sponsorgraph connect CLIENT`: this service in an AI client's configuration, or out of it."""

import difflib
from pathlib import Path
from typing import Annotated

import typer

from cli.agents.clients import CLIENTS, KEY_VARIABLE, Access, AgentClient, ClientName
from cli.agents.connection import Change, connected, disconnected
from cli.agents.errors import ConfigurationError
from cli.agents.settings import ClientFolderSettings
from cli.agents.skills import SkillFolder
from cli.commands._service import service_errors, service_url
from cli.commands._shell import err, out
from devstack.settings import RemoteSettings
from servicekit import agents
from servicekit.settings import read


def connect(
    client: Annotated[ClientName, typer.Argument(help="The client.", show_default=False)],
    *,
    url: Annotated[
        str,
        typer.Option(
            help="Address of the service; by default SPONSORGRAPH_BASE_URL, else the stack that runs here.",
            show_default=False,
        ),
    ] = "",
    key: Annotated[
        bool,
        typer.Option(
            "--key/--oauth",
            help=f"Use an API key, which the client reads from {KEY_VARIABLE}, instead of logging in in the browser.",
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the change without making it.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the service again.")] = False,
    skill: Annotated[
        bool,
        typer.Option(
            "--skill", help="Install the skill as well, which tells agents how to use the tools."
        ),
    ] = False,
) -> None:
    """Write this service into an AI client's configuration.

    What is in the file stays, with its comments. A copy of it is made beside it, and a file that is no
    JSON or TOML is left as it is. The client logs in in the browser; no secret is written.
    """
    target = CLIENTS[client]
    with service_errors():
        path = target.file(read(ClientFolderSettings).machine())
        access = None if remove else _access(target, url, uses_key=key, has_skill=skill)
        change = connected(target, path, access) if access else disconnected(target, path)
        folder = _skill_folder(target) if skill else None
        if dry_run:
            _show(change, access)
            _show_skill(folder, is_removed=remove)
            return
        _make(change, target, is_removed=remove)
        _make_skill(folder, is_removed=remove)
        if access:
            out.print(target.next_step(access), soft_wrap=True)


def _access(client: AgentClient, url: str, *, uses_key: bool, has_skill: bool) -> Access:
    address = service_url(url)
    if has_skill and "?" not in address:
        address += "?toolsets=all"  # the skill speaks of tools that are not listed by default
    key = read(RemoteSettings).api_key.get_secret_value() if client.needs_key else ""
    if uses_key and client.needs_key and not key:
        raise ConfigurationError(
            f"{client.title} reads keys from its file alone. Set {KEY_VARIABLE} to the key for this "
            "command, or leave out --key and log in in the browser."
        )
    return Access(address, uses_key, key)


def _show(change: Change, access: Access | None) -> None:
    """Print the lines that would change, without the key."""
    if not change.is_needed:
        out.print(f"{change.file.path} would stay as it is.", soft_wrap=True)
        return
    out.print(f"{change.file.path} would change:", soft_wrap=True)
    before, after = (change.file.text or "").splitlines(), change.text.splitlines()
    for line in list(difflib.unified_diff(before, after, lineterm="", n=0))[2:]:
        shown = line.replace(access.key, "…") if access and access.key else line
        out.print(shown, soft_wrap=True)


def _make(change: Change, client: AgentClient, *, is_removed: bool) -> None:
    state = "is not in" if is_removed else "is in"
    if not change.is_needed:
        out.print(f"The service {state} {change.file.path} already.", soft_wrap=True)
        return
    copy: Path | None = change.make()
    out.print(
        f"The service {state} {change.file.path} now, for {client.title}.",
        soft_wrap=True,
    )
    if copy:
        err.print(f"The file as it was: {copy}", soft_wrap=True)


def _skill_folder(client: AgentClient) -> SkillFolder:
    if client.skills is None:
        raise ConfigurationError(
            f"{client.title} reads skills from no folder: give it /skills/{agents.NAME}.zip of the site "
            "in its settings, and leave out --skill."
        )
    folder = client.skills(read(ClientFolderSettings).machine()) / agents.NAME
    return SkillFolder(folder, agents.skill_files())


def _show_skill(folder: SkillFolder | None, *, is_removed: bool) -> None:
    if folder is not None:
        act = "be removed from" if is_removed else "be written to"
        out.print(f"The skill would {act} {folder.path}.", soft_wrap=True)


def _make_skill(folder: SkillFolder | None, *, is_removed: bool) -> None:
    if folder is None:
        return
    if is_removed:
        state = "is not in" if folder.remove() else "was not in"
    else:
        state = "is in"
        for copy in folder.install():
            err.print(f"The file as it was: {copy}", soft_wrap=True)
    out.print(f"The skill {state} {folder.path}.", soft_wrap=True)
