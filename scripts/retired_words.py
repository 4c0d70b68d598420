"""Fail when an identifier has a retired word: `python -m scripts.retired_words [PATH …]`.

The words are those of the project's earlier private vocabulary; `docs/glossary.md` explains the terms of the
domain that stay. Checked are the names of folders and files; of classes, functions, parameters, variables and attributes
in Python; of settings, metrics, labels of metrics, commands, and what a statement of SQL names; of what `.proto` files
declare; and of functions and variables in JavaScript and Lua. Texts and comments are not.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

CHECKED: Final = (
    "auth_service",
    "catalog_service",
    ":(exclude)*/migrations/*",  # they stay as they were released
    "benchmarks",
    "cli",
    "devstack",
    "gateway",
    "import_worker",
    "protos",
    "scripts",
    "servicekit",
    "shapes",
    "tests",
)
"""The paths of git that are checked when none is given. `(".",)` checks everything."""


def _with_standard(standard: str, retired: str) -> dict[str, str]:
    return dict.fromkeys(retired.split(), standard)


RETIRED: Final[Mapping[str, str]] = {
    **_with_standard(
        "call or query; elicit, of a person", "ask asks asked asker askers asking askings"
    ),
    **_with_standard("request or query", "question questions"),
    **_with_standard("response or result", "answer answers answered answering"),
    **_with_standard("return, report or send", "tell tells told telling"),
    **_with_standard("cached, stored or persistent", "kept"),
    **_with_standard("batch", "gatherer gathered gathering trip trips"),
    **_with_standard("pending", "aboard"),
    **_with_standard("flush", "depart departs departed"),
    **_with_standard("max wait", "patience"),
    **_with_standard("poll", "looked looking"),
    **_with_standard("record, audit or log", "noted noting"),
    **_with_standard("concurrency limits or slots", "rooms"),
    **_with_standard("entitlements", "standing"),
    **_with_standard("decision", "verdict verdicts"),
    **_with_standard("admission request", "applicant applicants"),
    **_with_standard("refund or reserve", "giver taker"),
    **_with_standard("counter generation", "lineage lineages"),
    **_with_standard("reply channel", "mailbox mailboxes"),
    **_with_standard("protocol version", "era eras"),
    **_with_standard("shutdown, or has stopped", "leaving draining"),
    **_with_standard("encryption", "sealed sealing seal seals"),
    **_with_standard("crawl", "walk walked walks"),
    **_with_standard("mcp, rpc or web", "face faces"),
    **_with_standard("cooperative", "gently"),
    **_with_standard("maintenance", "upkeep"),
    **_with_standard("login service", "entrance"),
    **_with_standard("sponsorship filter", "sighting sightings"),
    **_with_standard("correction log", "trail trails"),
    **_with_standard("revocation listener", "believer hear hears heard"),
    **_with_standard("problem", "trouble troubles"),
    **_with_standard("form values, or a module of typed wrappers", "untyped"),
}
"""Each retired word, in lower case, with the word that stands in its place."""

RETIRED_ALONE: Final[Mapping[str, str]] = {
    **_with_standard("a noun", "given one those what who whom"),
    **_with_standard("a limit named max_…", "most"),
    **_with_standard("poll", "look"),
    **_with_standard("usage, of a `UsageRequest`", "charge charges"),
    **_with_standard("a path, a folder, a location or a slot", "place places"),
}
"""Words that are retired as whole names only: `one_process` says something, `one` does not."""

ALLOWED: Final[Mapping[str, frozenset[str]]] = {
    "gateway/quota/reserve.lua": frozenset(
        {"era"}
    ),  # of the calendar, from which a day's date is calculated
    "auth_service/clients/stripe_gateway.py": frozenset({"charge", "charges"}),  # Stripe's objects
    "tests/fakes/stripe_api.py": frozenset({"charge", "charges"}),
    "catalog_service/storage/connections.py": frozenset({"one"}),  # SQLAlchemy's name of a method
    "cli/commands/corrections.py": frozenset({"trail"}),  # the hidden name of before of a command
}
"""Retired words that another field has too, by the file where they stand."""

_SCRIPTS: Final = (".js", ".mjs", ".lua")
_NAMING: Final = frozenset(
    {"bindparam", "subquery", "cte", "label", "alias", "lateral", "render_derived", "command"}
)
"""Calls whose first argument names a part of a statement, or a command."""

_WORD: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_METRIC: Final = re.compile(r"sponsorgraph_[a-z_]+")
_SCRIPT_COMMENT: Final = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*|--[^\n]*", re.DOTALL)
_SCRIPT_NAME: Final = re.compile(
    r"\b(?:const|let|var|local|function|class)\s+(?:function\s+)?(\w+)(?:\s*\(([\w\s,]*)\))?"  # declared
    r"|\b(?:const|let|var)\s*[{\[]([\w\s,:]+)[}\]]\s*="  # taken out of an object
    r"|\bfunction\s*\w*\s*\(([\w\s,]*)\)"  # parameters
    r"|\(([\w\s,]*)\)\s*=>|\b(\w+)\s*=>"
    r"|^\s*(?:async\s+)?(?!(?:if|for|while|switch|catch|function|return)\b)(\w+)\s*\(([\w\s,]*)\)\s*\{",  # methods
    re.MULTILINE | re.ASCII,
)
_PROTO_COMMENT: Final = re.compile(r"//.*")
_PROTO_NAME: Final = re.compile(
    r"\b(?:message|enum|service|rpc|oneof)\s+(\w+)|(\w+)\s*=\s*\d+\s*[;\[]", re.ASCII
)


class Use(NamedTuple):
    """A retired word in an identifier."""

    path: str
    line: int
    identifier: str
    word: str
    standard: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: `{self.identifier}` has the retired word `{self.word}`; use {self.standard}"


def words_of(identifier: str) -> list[str]:
    """Split a snake_case or CamelCase identifier into words, in lower case."""
    return [word.lower() for word in _WORD.findall(identifier)]


def retired_words_of(identifier: str) -> Iterator[tuple[str, str]]:
    """Yield each retired word of an identifier with its standard word."""
    words = words_of(identifier)
    for word in dict.fromkeys(words):
        known = word if word in RETIRED else word.removeprefix("un")
        if known in RETIRED:
            yield word, RETIRED[known]
    if len(words) == 1 and words[0] in RETIRED_ALONE:
        yield words[0], RETIRED_ALONE[words[0]]


def python_identifiers(source: str) -> Iterator[tuple[str, int]]:
    """Yield the names that a module defines or assigns, and its metrics, with their lines."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name, node.lineno
            case ast.arg():
                yield node.arg, node.lineno
            case ast.alias(asname=str(name)):
                yield name, node.lineno
            case ast.Name(ctx=ast.Store()):
                yield node.id, node.lineno
            case ast.Attribute(value=ast.Name(id="self" | "cls"), ctx=ast.Store()):
                yield node.attr, node.lineno
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name, node.lineno
            case ast.Call():
                yield from _names_in_call(node)
            case _:
                pass


def _names_in_call(call: ast.Call) -> Iterator[tuple[str, int]]:
    """Yield the metric with its labels, the part of a statement or the command that a call names in texts."""
    match call:
        case ast.Call(args=[ast.Constant(value=str(text)), *others]) if _METRIC.fullmatch(text):
            yield text, call.lineno
            for label in _labels([*others, *(keyword.value for keyword in call.keywords)]):
                yield label, call.lineno
        case ast.Call(
            func=ast.Name(id=name) | ast.Attribute(attr=name),
            args=[ast.Constant(value=str(text)), *_],
        ) if name in _NAMING:
            yield text, call.lineno
        case _:
            pass


def _labels(arguments: Sequence[ast.expr]) -> Iterator[str]:
    """Yield the labels in the arguments of a metric: what its lists have."""
    for argument in arguments:
        if isinstance(argument, ast.List | ast.Tuple):
            for item in argument.elts:
                if isinstance(item, ast.Constant) and isinstance(item.value, str):
                    yield item.value


def script_identifiers(source: str) -> Iterator[tuple[str, int]]:
    """Yield the functions, parameters and variables that JavaScript or Lua declares, with their lines."""
    # A comment leaves its lines behind, so that those of what follows stay.
    text = _SCRIPT_COMMENT.sub(lambda match: "\n" * match[0].count("\n"), source)
    for match in _SCRIPT_NAME.finditer(text):
        for names in filter(None, match.groups()):
            for name in re.findall(r"\w+", names):
                yield name, text.count("\n", 0, match.start()) + 1


def proto_identifiers(source: str) -> Iterator[tuple[str, int]]:
    """Yield the messages, services, methods, fields and values that a `.proto` file declares, with their lines."""
    for number, line in enumerate(source.splitlines(), start=1):
        for match in _PROTO_NAME.finditer(_PROTO_COMMENT.sub("", line)):
            yield match[1] or match[2], number


def find_retired(path: str, source: str) -> list[Use]:
    """Return the uses of retired words in a file's name and in what it defines."""
    name = PurePosixPath(path)
    if name.suffix == ".proto":
        identifiers = proto_identifiers(source)
    elif name.suffix in _SCRIPTS:
        identifiers = script_identifiers(source)
    else:
        identifiers = python_identifiers(source)
    allowed = ALLOWED.get(path, frozenset())
    parts = [(part, 1) for part in (*name.parent.parts, name.stem)]
    return [
        Use(path, line, identifier, word, standard)
        for identifier, line in [*parts, *identifiers]
        for word, standard in retired_words_of(identifier)
        if word not in allowed
    ]


def tracked_files(paths: Sequence[str]) -> list[Path]:
    """List the files below the paths that git tracks and that are checked; generated stubs follow their protos."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *paths]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    files = (
        Path(path)
        for path in listed
        if path.endswith((".py", ".proto", *_SCRIPTS)) and "_pb2" not in path
    )
    return [file for file in files if file.exists()]


def main(paths: Sequence[str]) -> int:
    """Check the files below the paths; return the exit status."""
    uses = [
        use for file in tracked_files(paths) for use in find_retired(str(file), file.read_text())
    ]
    for use in uses:
        print(use)
    return 1 if uses else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or CHECKED))
