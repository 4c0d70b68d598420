"""`Args:` and `Attributes:` of docstrings name parameters and attributes that exist."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]

Function = ast.FunctionDef | ast.AsyncFunctionDef


def described_names(docstring: str, section: str) -> Iterator[str]:
    """Yield the names that a section describes: `width: …`, `width, height: …` or `width and height: …`."""
    lines = iter(docstring.splitlines())
    if f"{section}:" not in lines:
        return
    for line in lines:
        if line and not line.startswith(" "):
            return
        if entry := re.match(r" {4}(\*{0,2}\w[\w, `*]*):", line):
            for name in re.split(r", | and ", entry[1]):
                yield name.strip("`*")


def parameters(function: Function) -> set[str]:
    arguments = function.args
    optional = [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    return {
        argument.arg
        for argument in [
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            *optional,
        ]
    }


def attributes(cls: ast.ClassDef) -> set[str]:
    """Return the names that the class's body or its methods set, and those of its methods."""
    methods = {node.name for node in cls.body if isinstance(node, Function)}
    names = {
        node.id
        for statement in cls.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    set_in_methods = {
        node.attr
        for node in ast.walk(cls)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    return methods | names | set_in_methods


def constructor_parameters(cls: ast.ClassDef) -> set[str]:
    """Return the parameters of `__init__`; of a class without one, its attributes."""
    for node in cls.body:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            return parameters(node)
    return attributes(cls)


def unknown_names(source: str) -> Iterator[str]:
    """Yield `function.name` or `Class.name` for each described name that does not exist."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ClassDef | Function):
            continue
        if isinstance(node, ast.ClassDef):
            known = {"Args": constructor_parameters(node), "Attributes": attributes(node)}
        else:
            known = {"Args": parameters(node)}
        docstring = ast.get_docstring(node) or ""
        for section, names in known.items():
            for name in described_names(docstring, section):
                if name not in names:
                    yield f"{node.name}.{name}"


def test_docstrings_describe_parameters_and_attributes_that_exist() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "*.py"],  # noqa: S607
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    paths = [path for path in listed if "_pb2" not in path and (ROOT / path).exists()]
    unknown = [
        f"{path}: {name}" for path in paths for name in unknown_names((ROOT / path).read_text())
    ]
    assert unknown == []


def test_a_parameter_under_its_earlier_name_is_found() -> None:
    source = """
def resize(width, *sides):
    '''Resize.

    Args:
        width, height: In pixels:
            both.
        *sides: Which ones.
    Returns:
        old: Its former size.
    '''
"""
    assert list(unknown_names(source)) == ["resize.height"]


def test_an_attribute_under_its_earlier_name_is_found() -> None:
    source = """
class Slots:
    '''Slots.

    Args:
        most: How many.
    Attributes:
        used: Slots in use.
        free: Slots not in use.
    '''

    def __init__(self, max_slots):
        self.free = max_slots
"""
    assert list(unknown_names(source)) == ["Slots.most", "Slots.used"]


def test_the_fields_of_a_class_are_arguments_and_attributes() -> None:
    source = """
class Size:
    '''A size.

    Args:
        width: In pixels.
    Attributes:
        height: In pixels.
    '''

    width: int
    height: int = 0
"""
    assert list(unknown_names(source)) == []
