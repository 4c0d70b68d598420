"""The definition of a resource: address, texts, handler, and the tool whose price it has.

A resource is an async function of its one argument's class and a `ToolContext`, as a tool is; its
docstring is the description, its return class the shape of its JSON.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, cast, get_type_hints

from gateway.completions import Completer
from gateway.tools import Handler, Params, Tool

VARIABLE: Final = "{id}"
"""The variable part of the address in a template."""


@dataclass(frozen=True)
class Resource:
    """A published resource, or a template of resources if its address has a variable.

    Attributes:
        address: Such as "sponsorgraph://sponsor/{id}".
        name: For programs.
        title: For people.
        description: For AI clients.
        tool: What reading it does, needs and costs.
        completers: Of each variable.
        fresh_ms: How long a client may keep what it read.
    """

    address: str
    name: str
    title: str
    description: str
    tool: Tool
    completers: Mapping[str, Completer]
    fresh_ms: int

    @property
    def is_template(self) -> bool:
        return VARIABLE in self.address

    def arguments(self, variable: str) -> dict[str, object]:
        """The arguments of the tool for an address with this in place of the variable."""
        return dict.fromkeys(self.tool.params.model_fields, variable) if variable else {}


def resource(
    address: str,
    *,
    name: str,
    title: str,
    priced_as: Tool,
    completer: Completer | None = None,
    fresh_ms: int = 300_000,
) -> Callable[[Handler], Resource]:
    """Makes a resource of its handler. It needs, counts and costs what `priced_as` does."""

    def publish(run: Handler) -> Resource:
        types = get_type_hints(run)
        result_type = types.pop("return")
        params = cast("type[Params]", types[next(iter(types))])
        return Resource(
            address=address,
            name=name,
            title=title,
            description=" ".join((inspect.getdoc(run) or "").split()),
            tool=replace(priced_as, params=params, result_type=result_type, run=run),
            completers={} if completer is None else {VARIABLE.strip("{}"): completer},
            fresh_ms=fresh_ms,
        )

    return publish
