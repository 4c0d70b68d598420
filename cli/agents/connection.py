"""Changes of a client's configuration: the server in it or out of it, everything else as it was."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, cast

from cli.agents.clients import INPUT, INPUT_ID, NAME, Access, AgentClient
from cli.agents.errors import ConfigurationError, UnreadableTextError
from cli.agents.files import TextFile, read_text, split_mark
from cli.agents.jsonc import JsonDocument
from cli.agents.toml import TomlDocument

Document = JsonDocument | TomlDocument
Step = tuple[tuple[str | int, ...], object]
_GONE: Final = object()


@dataclass(frozen=True, slots=True)
class Change:
    """The change of a configuration file, before it is written.

    Attributes:
        file: The file as it is.
        text: What it would be.
        has_secret: Whether a key is in it.
    """

    file: TextFile
    text: str
    has_secret: bool = False

    @property
    def is_needed(self) -> bool:
        """True if the file has another content now."""
        return self.text != (self.file.text or "")

    def make(self) -> Path | None:
        """Write it; return the copy of the file before, None where there was none."""
        return self.file.replaced(self.text, is_secret=self.has_secret)


def connected(client: AgentClient, path: Path, access: Access) -> Change:
    """Return the change by which a client reaches the service.

    Members of its entry that are the person's own stay.

    Raises:
        ConfigurationError: The file cannot be read as what its program reads.
    """
    fields = client.entry(access)
    entry = (client.servers, NAME)
    steps: list[Step] = [
        ((*entry, *name.split(".")), fields.get(name, _GONE))
        for name in (*fields, *(name for name in client.managed if name not in fields))
    ]
    if client.elicits_key:
        steps += _input_steps(path, client, is_wanted=access.uses_key)
    return _change(client, path, steps, has_secret=client.needs_key and access.uses_key)


def disconnected(client: AgentClient, path: Path) -> Change:
    """Return the change by which a client forgets the service.

    Raises:
        ConfigurationError: The file cannot be read as what its program reads.
    """
    steps: list[Step] = [((client.servers, NAME), _GONE)]
    if client.elicits_key:
        steps += _input_steps(path, client, is_wanted=False)
    return _change(client, path, steps)


def _input_steps(path: Path, client: AgentClient, *, is_wanted: bool) -> list[Step]:
    """Return the steps by which the client's question for the key is there, or is not."""
    _, text = split_mark(read_text(path).text or "")
    content = _content(_document(client, text), path)
    inputs = content.get("inputs", [])
    items = cast("list[Any]", inputs) if isinstance(inputs, list) else []
    found = [
        index
        for index, item in enumerate(items)
        if isinstance(item, Mapping) and cast("Mapping[str, Any]", item).get("id") == INPUT_ID
    ]
    if is_wanted:
        return [] if found else [(("inputs", len(items)), INPUT)]
    return [(("inputs", index), _GONE) for index in reversed(found)]


def _change(
    client: AgentClient, path: Path, steps: Sequence[Step], *, has_secret: bool = False
) -> Change:
    file = read_text(path)
    mark, text = split_mark(file.text or "")
    document = _document(client, text)
    wanted = deepcopy(_content(document, file.path))
    try:
        for step_path, value in steps:
            document = _changed(document, step_path, value)
            _apply(wanted, step_path, value)
    except UnreadableTextError as error:
        raise error.within(file.path) from None
    _check(client, document.text, wanted, file.path)
    if not text.strip() and wanted == {}:
        return Change(file, file.text or "")
    return Change(file, mark + document.text, has_secret)


def _document(client: AgentClient, text: str) -> Document:
    if client.format == "toml":
        return TomlDocument(text)
    return JsonDocument(text if text.strip() else "{}\n", comments=client.format == "jsonc")


def _content(document: Document, path: Path) -> dict[str, Any]:
    try:
        return document.content()
    except UnreadableTextError as error:
        raise error.within(path) from None


def _changed(document: Document, path: tuple[str | int, ...], value: object) -> Document:
    return _without(document, path) if value is _GONE else document.with_value(path, value)


def _without(document: Document, path: tuple[str | int, ...]) -> Document:
    """Return the document without a member, and without the object around it that is then empty.

    Objects of servers and of settings stay: only what is inside of the entry goes.
    """
    changed = document.without(path)
    if changed is document or len(path) <= 3:
        return changed
    around = _at(changed.content(), path[:-1])
    return changed.without(path[:-1]) if around == {} else changed


def _apply(content: Any, path: tuple[str | int, ...], value: object) -> None:
    """Make a step in plain values: what the text has to say afterwards."""
    parent: Any = content
    for key, following in pairwise(path):
        if value is _GONE and (not isinstance(parent, dict) or key not in parent):
            return
        parent = cast("Any", parent).setdefault(key, {} if isinstance(following, str) else [])
    if value is not _GONE:
        _put(parent, path[-1], value)
    elif path[-1] in parent or not isinstance(parent, dict):
        del parent[path[-1]]
        if not parent and len(path) > 3:
            _apply(content, path[:-1], _GONE)


def _put(parent: Any, key: str | int, value: object) -> None:
    if isinstance(parent, dict):
        cast("dict[str | int, Any]", parent)[key] = value
    else:
        parent.append(value)


def _at(content: Any, path: Sequence[str | int]) -> Any:
    for key in path:
        content = content[key]
    return content


def _check(client: AgentClient, text: str, wanted: Any, path: Path) -> None:
    """Hold the new text against what it has to say, so that no damaged file is ever written."""
    try:
        if client.format == "toml":
            said: Any = tomllib.loads(text)
        elif client.format == "json":
            said = json.loads(text)
        else:
            said = JsonDocument(text, comments=True).content()
    except ValueError as error:
        said = error
    if _without_empty(said, client.servers) != _without_empty(wanted, client.servers):
        raise ConfigurationError(
            f"{path} cannot be changed without damage to what is in it; it is left as it is. "
            f"Add {NAME} by hand, or by the program itself."
        )


def _without_empty(content: Any, name: str) -> Any:
    """Return the content without an empty member; a table of TOML that has nothing in it is not there."""
    if isinstance(content, dict):
        members = cast("dict[str, Any]", content)
        return {key: value for key, value in members.items() if key != name or value != {}}
    return content
