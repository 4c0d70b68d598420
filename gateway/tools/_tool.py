"""The definition of a tool: name, texts, schemas, scope, cost, hints and handler.

A tool is an async function of its arguments and a `ToolContext`; its docstring is the description
that AI clients read, its parameter class the input schema, its return class the output schema.
"""

import inspect
import textwrap
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, cast, get_type_hints

from gateway.tools import _listed, _schema
from gateway.tools._params import Params, ToolContext
from servicekit.errors import ServiceError


@dataclass(frozen=True, slots=True)
class Hints:
    """The hints by which clients decide whether to ask a person first.

    https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations
    """

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


@dataclass(frozen=True, slots=True)
class Deprecation:
    """An announcement that a tool will go (docs/versioning.md).

    Attributes:
        since: Day of the announcement, YYYY-MM-DD.
        removal: First day on which it may be gone.
        instead: A sentence that names the replacement.
    """

    since: str
    removal: str
    instead: str

    @property
    def notice(self) -> str:
        """The announcement as a sentence for the description."""
        return (
            f"Deprecated since {self.since}, will be removed after {self.removal}. {self.instead}"
        )


Handler = Callable[[Any, ToolContext], Awaitable[object]]
"""`async (arguments, context) -> result`, annotated with the classes of both."""


@dataclass(frozen=True, slots=True)
class TaskForm:
    """The form of a tool for callers who can follow tasks.

    Attributes:
        start: As the tool's own function, but returns the `Task` that it has begun, or a result
            that there is already.
        is_needed: True if the tool runs in no other way.
    """

    start: Handler
    is_needed: bool = False


READS: Final = Hints(read_only=True, destructive=False, idempotent=True, open_world=False)


@dataclass(frozen=True)
class Tool:
    """A published tool.

    Attributes:
        name: Dotted, such as "sponsor.search".
        title: The title for people.
        description: The description for AI clients.
        scope: The scope that a credential needs.
        feature: Feature that a plan needs; none if None. Plans without it do not see the tool.
        cost: Requests that a call counts for.
        hints: See `Hints`.
        params: Class of the arguments.
        result_type: Dataclass of the result.
        run: The handler.
        deprecated: The announcement that it will go; None if there is none.
        elicits: True if it may request input from its caller before it returns.
        task: The form in which it runs as a task; None if it never does.
        by_default: False if only connections list it that choose its toolset, or all; those that choose none can call it.
        cost_of: The requests that a call with these arguments counts as, where that is not always `cost`.
        third_party_text: False if every text of the result is the service's own.
        ends_with_caller: True if a caller who disconnects ends a call, because much work may be behind it.
        failure_cost: Requests charged for a failed call, given the error (None if its caller has disconnected) and the seconds that it
            ran; no request if None.
        brief: Paths of the fields of a brief answer; empty if the tool's answers are not large, and no parts are chosen.
        runs_again: True if a call that repeats another runs again, free of charge, because the services
            behind it know its idempotency key. Otherwise the first result is returned.
        rows: The field of the result that has a list, which `catalog.export` writes as rows; None if it has none.
        plan: As the handler, but free of charge and without the rows, by which `catalog.export` checks its arguments; the handler
            itself if None.
    """

    name: str
    title: str
    description: str
    scope: str
    feature: str | None
    cost: int
    hints: Hints
    params: type[Params]
    result_type: type
    run: Handler
    deprecated: Deprecation | None = None
    elicits: bool = False
    task: TaskForm | None = None
    runs_again: bool = False
    by_default: bool = True
    cost_of: Callable[[Any], int] | None = None
    third_party_text: bool = True
    ends_with_caller: bool = False
    failure_cost: Callable[[ServiceError | None, float], int] | None = None
    rows: str | None = None
    plan: Handler | None = None
    brief: tuple[str, ...] = ()

    @property
    def alias(self) -> str:
        """The name for clients that refuse dots."""
        return self.name.replace(".", "_")

    @cached_property
    def is_cacheable(self) -> bool:
        """Return whether the result depends on arguments, day and catalogue alone."""
        reads = self.hints == READS and self.scope == "catalog:read"
        return reads and self.cost > 0 and not (self.elicits or self.task)

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        return _schema.input_schema(self.params)

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        return _schema.output_schema(self.result_type)

    def listed_input_schema(self, toolsets: frozenset[str] | None = None) -> dict[str, Any]:
        return _listed.listed_input(self.input_schema, toolsets)

    @cached_property
    def listed_output_schema(self) -> dict[str, Any]:
        return _listed.listed_output(self.output_schema)

    @cached_property
    def headers(self) -> Mapping[tuple[str, ...], str]:
        """The headers that repeat an argument, by its path among the arguments."""
        return _schema.headers(self.input_schema)


def tool(  # noqa: PLR0913 - each is a fact of the tool, by name
    name: str,
    *,
    title: str,
    hints: Hints,
    scope: str = "catalog:read",
    feature: str | None = None,
    cost: int = 1,
    third_party_text: bool = True,
    deprecated: Deprecation | None = None,
    elicits: bool = False,
    task: TaskForm | None = None,
    runs_again: bool = False,
    by_default: bool = True,
    cost_of: Callable[[Any], int] | None = None,
    ends_with_caller: bool = False,
    failure_cost: Callable[[ServiceError | None, float], int] | None = None,
    rows: str | None = None,
    plan: Handler | None = None,
    brief: str = "",
) -> Callable[[Handler], Tool]:
    """Make a `Tool` of its handler."""

    def publish(run: Handler) -> Tool:
        types = get_type_hints(run)
        result_type = types.pop("return")
        description = " ".join(textwrap.dedent(inspect.getdoc(run) or "").split())
        if deprecated is not None:
            description = f"{deprecated.notice} {description}"
        return Tool(
            name=name,
            title=title,
            description=description,
            scope=scope,
            feature=feature,
            cost=cost,
            hints=hints,
            params=cast("type[Params]", types[next(iter(types))]),
            result_type=result_type,
            run=run,
            deprecated=deprecated,
            elicits=elicits,
            task=task,
            runs_again=runs_again,
            by_default=by_default,
            cost_of=cost_of,
            third_party_text=third_party_text,
            ends_with_caller=ends_with_caller,
            failure_cost=failure_cost,
            rows=rows,
            plan=plan,
            brief=tuple(brief.split()),
        )

    return publish
