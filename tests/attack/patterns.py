"""Every regular expression of the product, and texts made to make each of them slow."""

import ast
import gc
import pkgutil
import re
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, cast

PACKAGES: Final = (
    "auth_service", "catalog_service", "gateway", "import_worker", "cli", "devstack", "servicekit",
    "shapes",
)  # fmt: skip
_internals: Any = import_module("re._parser")
_parse: Any = _internals.parse
_compile: Any = import_module("re._compiler").compile
_COMPILES: Final = frozenset("compile match search fullmatch sub split findall finditer".split())
_USE: Final = re.compile(
    r"\b([A-Z_]+)\.(match|search|fullmatch|sub|split|findall|finditer)\(", re.ASCII
)
_DEPTH: Final = 4
_MOST: Final = 40
"""Texts for one pattern at most; the tables of phrases repeat the same ones."""
_SAMPLES: Final = " aZ0_-.@/#:\xe9\n"
"""One of each kind of character that patterns tell apart."""


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern, the module that holds it, and its name there ("" within a table)."""

    pattern: "re.Pattern[Any]"
    module: str
    name: str


def modules() -> Iterator[types.ModuleType]:
    """Every module of the product but those that run when they are imported."""
    for package in PACKAGES:
        root = import_module(package)
        yield root
        for item in pkgutil.walk_packages(root.__path__, f"{package}."):
            if ".migrations" not in item.name and not item.name.endswith("__main__"):
                yield import_module(item.name)


def held() -> list[Found]:
    """The patterns that modules hold, also inside of their tables."""
    found: dict[tuple[Any, int], Found] = {}
    for module in modules():
        for name, value in list(vars(module).items()):
            called = name if isinstance(value, re.Pattern) else ""
            for pattern in _within((cast("object", value),), _DEPTH):
                one = Found(pattern, module.__name__, called)
                found.setdefault((pattern.pattern, pattern.flags), one)
    return list(found.values())


def _within(values: Sequence[object], depth: int) -> Iterator["re.Pattern[Any]"]:
    for value in values:
        if isinstance(value, re.Pattern):
            yield cast("re.Pattern[Any]", value)
        elif depth and not isinstance(value, types.ModuleType | types.FunctionType | type):
            yield from _within(gc.get_referents(value), depth - 1)


def inside_functions(root: Path) -> set[str]:
    """Where a function makes a pattern each time it runs, as `path:function`."""
    places: set[str] = set()
    for package in PACKAGES:
        for path in (root / package).rglob("*.py"):
            if path.name.endswith(("_pb2.py", "_pb2_grpc.py")):
                continue
            for function in ast.walk(ast.parse(path.read_text())):
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and any(
                    _makes_pattern(node) for node in ast.walk(function)
                ):
                    places.add(f"{path.relative_to(root)}:{function.name}")
    return places


def _makes_pattern(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in _COMPILES
    )


def uses(root: Path) -> dict[str, set[str]]:
    """What is done with patterns, by the name that they have."""
    found: dict[str, set[str]] = {}
    for package in PACKAGES:
        for path in (root / package).rglob("*.py"):
            for name, method in _USE.findall(path.read_text()):
                found.setdefault(name, set()).add(method)
    return found


def attacks(pattern: "re.Pattern[Any]", length: int) -> list[str]:
    """Texts of `length` characters: what a repeat of the pattern repeats, then what cannot match."""
    written = pattern.pattern
    text = written.decode("latin-1") if isinstance(written, bytes) else written
    pumps: list[tuple[str, str]] = []
    _walk(_parse(text, pattern.flags), "", pumps)
    texts: dict[str, None] = {}
    for before, pump in pumps:
        for unit in filter(None, dict.fromkeys((pump, before + pump))):
            repeated = before + unit * (length // len(unit) + 1)
            texts[repeated[: length - 1] + "\x01"] = None
    return list(texts)[:_MOST]


def _walk(tree: Any, before: str, pumps: list[tuple[str, str]]) -> str:
    """Notes (what comes before, what is repeated) of each repeat; gives a text that fits `tree`."""
    fits = ""
    for operation, argument in tree:
        name = str(operation)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            low, high, body = argument
            inner = _walk(body, before + fits, pumps)
            if int(high) > 1:
                pumps.append((before + fits, inner))
            fits += inner * max(int(low), 1)
        elif name == "SUBPATTERN":
            fits += _walk(argument[3], before + fits, pumps)
        elif name == "ATOMIC_GROUP":
            fits += _walk(argument, before + fits, pumps)
        elif name == "BRANCH":
            options = [_walk(option, before + fits, pumps) for option in argument[1]]
            fits += options[0]
        elif name in ("ASSERT", "ASSERT_NOT"):
            _walk(argument[1], before + fits, pumps)
        elif name == "LITERAL":
            fits += chr(argument)
        elif name in ("IN", "NOT_LITERAL", "ANY"):
            fits += _one_of(operation, argument)
    return fits


def _one_of(operation: Any, argument: Any) -> str:
    """A character that a class of characters takes."""
    one = _compile(_tree([(operation, argument)]))
    listed: list[Any] = cast("list[Any]", argument) if isinstance(argument, list) else []
    own: list[Any] = [item[1] for item in listed if str(item[0]) in ("RANGE", "LITERAL")]
    firsts = [chr(int(first[0] if isinstance(first, tuple) else first)) for first in own]  # pyright: ignore[reportUnknownArgumentType]
    return next((c for c in (*_SAMPLES, *firsts) if one.match(c)), "a")


def _tree(content: Any) -> Any:
    return _internals.SubPattern(_internals.State(), content)
