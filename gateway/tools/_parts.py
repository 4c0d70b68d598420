"""Parts of large answers: what `fields` and `detail` choose, and what they leave out.

The choice is made of the finished JSON, so that the answer behind it is cached once, whatever is chosen of it.
"""

import dataclasses
import types
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, Union, cast, get_args, get_origin, get_type_hints

import msgspec
from pydantic import Field

from gateway.domain.errors import InvalidArguments
from gateway.tools._listed import ANY_TOOLSET, TOOLSET
from gateway.tools._near_names import nearest
from gateway.tools._params import Params

LEFT_OUT: Final = "fields_left_out"
"""The field of a partial answer that names what it lacks."""

_ALWAYS: Final = ("next_cursor", "note")
"""A page without its cursor ends too early, and a note says how an answer is to be read."""

Path = Annotated[str, Field(min_length=1, max_length=400)]
Tree = Mapping[str, Any]
"""Fields by name, each with the tree of the fields below it."""


class PartsArguments(Params):
    """The arguments that choose parts of the answer; they change nothing in what is looked up."""

    detail: Literal["brief", "standard", "full"] = Field(
        "standard",
        description="brief: the main fields; full: with the record, where the tool has one. "
        f"`{LEFT_OUT}` names what is missing.",
        json_schema_extra={TOOLSET: ANY_TOOLSET},
    )
    fields: list[Path] | None = Field(
        None,
        min_length=1,
        max_length=50,
        description="Only these fields of the answer, by path, such as coverage.last_video.",
        examples=[["coverage.last_video"]],
        json_schema_extra={TOOLSET: ANY_TOOLSET},
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Selection:
    """Parts of an answer.

    Attributes:
        chosen: The fields that stay.
        left_out: Paths of all others, as "sponsors.{slug,domain}" for several of one parent; a path stands for all
            below it.
    """

    chosen: Tree
    left_out: tuple[str, ...]

    def of(self, content: bytes) -> bytes:
        """Return the parts of an answer, both as JSON."""
        result = _pruned(msgspec.json.decode(content), self.chosen)
        return msgspec.json.encode({**result, LEFT_OUT: self.left_out})


def selection(arguments: Params, result_type: type, brief: tuple[str, ...]) -> Selection:
    """Return the parts that a call chooses; `fields` goes before `detail`.

    Args:
        arguments: Of the call.
        result_type: Dataclass of the answer.
        brief: Paths of the fields of a brief answer.

    Raises:
        InvalidArguments: The answer has no such field.
    """
    fields = cast("list[str] | None", getattr(arguments, "fields", None))
    return _selection(result_type, brief if fields is None else tuple(_single(fields)))


def paths(result_type: type) -> tuple[str, ...]:
    """Return the paths of all fields of an answer, in order; lists have no part in them."""
    return tuple(_paths(_tree(result_type)))


def _single(fields: Iterable[str]) -> Iterator[str]:
    """Return each path of its own; several of one parent come as `LEFT_OUT` has them."""
    for field in fields:
        above, braced, names = field.strip().removesuffix("}").partition(".{")
        if braced:
            yield from (f"{above}.{name.strip()}" for name in names.split(","))
        else:
            yield field.strip()


@lru_cache(maxsize=128)
def _selection(result_type: type, chosen: tuple[str, ...]) -> Selection:
    whole = _tree(result_type)
    _check(chosen, tuple(_paths(whole)))
    tree = _chosen((*chosen, *(name for name in _ALWAYS if name in whole)))
    return Selection(tree, tuple(_left_out(whole, tree)))


def _check(chosen: Iterable[str], known: tuple[str, ...]) -> None:
    unknown = next((path for path in chosen if path not in known), None)
    if unknown is None:
        return
    # A field is often named without all of its way.
    close = _with_rest_of_path(unknown, known) or nearest(unknown, known)
    hint = f" Did you mean `{close[0]}`?" if close else ""
    top = ", ".join(f"`{path}`" for path in known if "." not in path)
    raise InvalidArguments(
        f"`fields` has `{unknown[:80]}`, which is no field of this answer.{hint} It has {top}; fields below one are "
        "named after a dot.",
        details={"field": "fields"},
    )


def _with_rest_of_path(unknown: str, known: Iterable[str]) -> list[str]:
    """Return the paths that a path leaves a part of out: its begin, or what is between its first and last name."""
    first, _, last = unknown.partition(".")
    between = [
        path
        for path in known
        if last and path.startswith(f"{first}.") and path.endswith(f".{last}")
    ]
    return [path for path in known if path.endswith(f".{unknown}")] or between


@lru_cache(maxsize=128)
def _tree(result_type: type) -> Tree:
    """Return the fields of a dataclass as a tree."""
    hints = get_type_hints(result_type)
    return {
        field.name: _below(hints[field.name])
        for field in dataclasses.fields(cast("Any", result_type))
    }


def _below(hint: Any) -> Tree:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _below(next(item for item in arguments if item is not types.NoneType))
    if origin is tuple:
        return _below(arguments[0])
    return _tree(hint) if dataclasses.is_dataclass(hint) else {}


def _paths(tree: Tree, above: str = "") -> Iterator[str]:
    for name, below in tree.items():
        yield f"{above}{name}"
        yield from _paths(below, f"{above}{name}.")


def _chosen(chosen: Iterable[str]) -> Tree:
    """Return a tree of paths; what is below a chosen path is chosen with it."""
    tree: dict[str, Any] = {}
    for path in sorted(chosen, key=len):
        *above, last = path.split(".")
        node = tree
        for name in above:
            node = node.setdefault(name, {})
            if node is _WHOLE:
                break
        else:
            node[last] = _WHOLE
    return tree


_WHOLE: Final[dict[str, Any]] = {}
"""The tree of a field that stays with all that is below it."""


def _pruned(value: Any, chosen: Tree) -> Any:
    """Return a JSON value with the chosen fields alone, in its own order."""
    if chosen is _WHOLE:
        return value
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value).items()
        return {name: _pruned(member, chosen[name]) for name, member in members if name in chosen}
    if isinstance(value, list):
        return [_pruned(item, chosen) for item in cast("list[Any]", value)]
    return value


def _left_out(whole: Tree, chosen: Tree, above: str = "") -> Iterator[str]:
    names = [name for name in whole if name not in chosen]
    if not above or len(names) == 1:
        yield from (f"{above}{name}" for name in names)
    elif names:
        yield f"{above}{{{','.join(names)}}}"
    for name, below in whole.items():
        if chosen.get(name, _WHOLE) is not _WHOLE:
            yield from _left_out(below, chosen[name], f"{above}{name}.")
