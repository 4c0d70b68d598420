"""A mutation: a change of one file that breaks what one row of docs/security-tests.md promises."""

from __future__ import annotations

import tomllib
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent / "mutations"


class MutationError(Exception):
    """A mutation that is badly written or no longer fits the code."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """One `[[mutation]]` of a data file.

    Attributes:
        source: The data file's name.
        name: What the broken code does, in a sentence; unique.
        row: The row of docs/security-tests.md: `1`, `API4`, or the text of its first cell.
        file: The file that is changed, from the root of the repository.
        old: A text that occurs in the file exactly once.
        new: What takes its place.
        test: The test that fails because of it: `path/test_file.py::test_name`.
    """

    source: str
    name: str
    row: str
    file: str
    old: str
    new: str
    test: str

    def __str__(self) -> str:
        return f"{self.source}, “{self.name}”"

    def applied_to(self, text: str) -> str:
        """Return the text of the file, mutated.

        Raises:
            MutationError: The old text is not in the file, or not exactly once, or is the new text.
        """
        found = text.count(self.old)
        if found != 1:
            raise MutationError(f"{self}: the old text is {found} times in {self.file}, not once")
        if self.old == self.new:
            raise MutationError(f"{self}: the new text is the old text")
        return text.replace(self.old, self.new)

    @contextmanager
    def applied(self, root: Path) -> Generator[None]:
        """Mutate the file under `root` while the context is open."""
        path = root / self.file
        before = read_source(self, root)
        path.write_text(self.applied_to(before), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(before, encoding="utf-8")


def read_source(mutation: Mutation, root: Path) -> str:
    """Return the text of the file that a mutation changes.

    Raises:
        MutationError: There is no such file.
    """
    try:
        return (root / mutation.file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MutationError(f"{mutation}: there is no file {mutation.file}") from None


def parse_mutation(source: str, fact: dict[str, Any]) -> Mutation:
    """Return the mutation that an entry of a data file describes.

    Raises:
        MutationError: A field is missing, unknown, or no text.
    """
    required = {field.name for field in fields(Mutation)} - {"source"}
    label = f"{source}, “{fact.get('name', '?')}”"
    if fact.keys() != required:
        different = ", ".join(sorted(fact.keys() ^ required))
        raise MutationError(f"{label}: fields missing or unknown: {different}")
    if not all(isinstance(value, str) for value in fact.values()):
        raise MutationError(f"{label}: every field is text")
    return Mutation(source, **fact)


def load_file(path: Path) -> list[Mutation]:
    """Return the mutations of one data file, in its order."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    return [parse_mutation(path.name, fact) for fact in document["mutation"]]


def load_mutations(paths: Iterable[Path] = ()) -> list[Mutation]:
    """Return the mutations of all data files, or of those named."""
    return [item for path in (paths or sorted(FOLDER.glob("*.toml"))) for item in load_file(path)]
