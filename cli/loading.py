"""Loads the modules of commands: each command's own when it is called for, all of them for the help."""

import sys
from collections.abc import Generator, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from cli.examples import add_examples
from cli.exit_codes import INTERRUPTED
from servicekit.process.imports import skip_unused_imports


@contextmanager
def loading() -> Generator[None]:
    """Import modules inside the block, which takes up to a second; Ctrl-C ends the process with one sentence."""
    try:
        with skip_unused_imports("rich", "pygments"):
            yield
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted; nothing was done.\n")
        sys.exit(INTERRUPTED)


class CommandsByName(MutableMapping[str, Any]):
    """Commands, each made when it is looked up.

    Args:
        locations: `module:name` of each command's function, or of the `typer.Typer` of a group.
    """

    def __init__(self, locations: Mapping[str, str]) -> None:
        self._locations = dict(locations)
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = _made(name, self._locations[name])
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._locations.setdefault(name, "")
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._locations[name]
        self._made.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._locations

    def __iter__(self) -> Iterator[str]:
        return iter(self._locations)

    def __len__(self) -> int:
        return len(self._locations)


def group_of(locations: Mapping[str, str]) -> type[TyperGroup]:
    """Return the class of a group of commands that are loaded when they are called."""

    class Group(TyperGroup):
        def __init__(self, **attributes: Any) -> None:
            super().__init__(**attributes)
            self.commands = CommandsByName(locations)

    return Group


def _made(name: str, location: str) -> Any:
    module, _, attribute = location.partition(":")
    with loading():
        found = getattr(import_module(module), attribute)
    if isinstance(found, typer.Typer):
        add_examples(found, f"{name} ")
        group = get_group(found)
        group.name = name
        return group
    alone = typer.Typer(add_completion=False)
    alone.command(name)(found)
    add_examples(alone)
    return get_command(alone)
