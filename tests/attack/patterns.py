"""All regular expressions of the product, and texts constructed to slow each of them."""

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
_MAX_REPEATS: Final = 40
"""Texts for one pattern at most; the tables of phrases repeat the same ones."""
_SAMPLES: Final = " aZ0_-.@/#:\xe9\n"
"""One of each kind of character that patterns distinguish."""


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern with its module and its name ("" within a table)."""

    pattern: "re.Pattern[Any]"
    module: str
    name: str


def modules() -> Iterator[types.ModuleType]:
    """Return every module of the product, except those that run when imported."""
    for package in PACKAGES:
        root = import_module(package)
        yield root
        for item in pkgutil.walk_packages(root.__path__, f"{package}."):
            if ".migrations" not in item.name and not item.name.endswith("__main__"):
                yield import_module(item.name)


def held() -> list[Found]:
    """Return the patterns in modules, including those within tables."""
    found: dict[tuple[Any, int], Found] = {}
    for module in modules():
        for name, value in list(vars(module).items()):
            called = name if isinstance(value, re.Pattern) else ""
            for pattern in _within((cast("object", value),), _DEPTH):
                usage = Found(pattern, module.__name__, called)
                found.setdefault((pattern.pattern, pattern.flags), usage)
    return list(found.values())


def _within(values: Sequence[object], depth: int) -> Iterator["re.Pattern[Any]"]:
    for value in values:
        if isinstance(value, re.Pattern):
            yield cast("re.Pattern[Any]", value)
        elif depth and not isinstance(value, types.ModuleType | types.FunctionType | type):
            yield from _within(gc.get_referents(value), depth - 1)


def inside_functions(root: Path) -> set[str]:
    """Return the functions that compile a pattern at each call, as `path:function`."""
    functions: set[str] = set()
    for package in PACKAGES:
        for path in (root / package).rglob("*.py"):
            if path.name.endswith(("_pb2.py", "_pb2_grpc.py")):
                continue
            for function in ast.walk(ast.parse(path.read_text())):
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and any(
                    _makes_pattern(node) for node in ast.walk(function)
                ):
                    functions.add(f"{path.relative_to(root)}:{function.name}")
    return functions


def _makes_pattern(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in _COMPILES
    )


def uses(root: Path) -> dict[str, set[str]]:
    """Uses of patterns in the code, by the names of the patterns."""
    found: dict[str, set[str]] = {}
    for package in PACKAGES:
        for path in (root / package).rglob("*.py"):
            for name, method in _USE.findall(path.read_text()):
                found.setdefault(name, set()).add(method)
    return found


def attacks(pattern: "re.Pattern[Any]", length: int) -> list[str]:
    """Return texts of `length` characters: a repeated part of the pattern, then a mismatch."""
    written = pattern.pattern
    text = written.decode("latin-1") if isinstance(written, bytes) else written
    pumps: list[tuple[str, str]] = []
    _collect(_parse(text, pattern.flags), "", pumps)
    texts: dict[str, None] = {}
    for before, pump in pumps:
        for unit in filter(None, dict.fromkeys((pump, before + pump))):
            repeated = before + unit * (length // len(unit) + 1)
            texts[repeated[: length - 1] + "\x01"] = None
    return list(texts)[:_MAX_REPEATS]


def _collect(tree: Any, before: str, pumps: list[tuple[str, str]]) -> str:
    """Append (prefix, repeated text) of each repeat to `pumps`; return a text that matches `tree`."""
    fits = ""
    for operation, argument in tree:
        name = str(operation)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            low, high, body = argument
            inner = _collect(body, before + fits, pumps)
            if int(high) > 1:
                pumps.append((before + fits, inner))
            fits += inner * max(int(low), 1)
        elif name == "SUBPATTERN":
            fits += _collect(argument[3], before + fits, pumps)
        elif name == "ATOMIC_GROUP":
            fits += _collect(argument, before + fits, pumps)
        elif name == "BRANCH":
            options = [_collect(option, before + fits, pumps) for option in argument[1]]
            fits += options[0]
        elif name in ("ASSERT", "ASSERT_NOT"):
            _collect(argument[1], before + fits, pumps)
        elif name == "LITERAL":
            fits += chr(argument)
        elif name in ("IN", "NOT_LITERAL", "ANY"):
            fits += _character_of(operation, argument)
    return fits


def _character_of(operation: Any, argument: Any) -> str:
    """Return a character that the character class matches."""
    compiled = _compile(_tree([(operation, argument)]))
    listed: list[Any] = cast("list[Any]", argument) if isinstance(argument, list) else []
    ranges: list[Any] = [item[1] for item in listed if str(item[0]) in ("RANGE", "LITERAL")]
    firsts = [chr(int(first[0] if isinstance(first, tuple) else first)) for first in ranges]  # pyright: ignore[reportUnknownArgumentType]
    return next((c for c in (*_SAMPLES, *firsts) if compiled.match(c)), "a")


def _tree(content: Any) -> Any:
    return _internals.SubPattern(_internals.State(), content)
