"""Every mutation fits the code as it is, so that none is lost when the code changes."""

import dataclasses
from pathlib import Path
from typing import Final

import pytest

from tests.mutants.__main__ import chosen
from tests.mutants.mutation import (
    FOLDER,
    Mutation,
    MutationError,
    load_file,
    load_mutations,
    parse_mutation,
    read_source,
)
from tests.mutants.page import PAGE, read_results, render_page
from tests.mutants.security_rows import SecurityRow, security_rows

ROOT: Final = Path(__file__).resolve().parents[2]
MUTATION: Final = Mutation("a.toml", "It skips b", "7", "a.py", "b", "c", "tests/t.py::test_b")


def problem(mutation: Mutation) -> str | None:
    """Return what is wrong with a mutation beside this tree; None if nothing is."""
    row = security_rows(ROOT).get(mutation.row)
    if row is None:
        return f"{mutation}: docs/security-tests.md has no row {mutation.row}"
    if mutation.test not in row.tests:
        return f"{mutation}: the row {mutation.row} does not name {mutation.test}"
    try:
        mutation.applied_to(read_source(mutation, ROOT))
    except MutationError as error:
        return str(error)
    return None


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_every_mutation_fits_the_code_and_a_test_of_its_row(path: Path) -> None:
    assert [found for item in load_file(path) if (found := problem(item))] == []


def test_no_two_mutations_have_the_same_name() -> None:
    names = [mutation.name for mutation in load_mutations()]
    assert sorted(set(names)) == sorted(names)


def test_a_mutated_file_is_as_before_afterwards(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a b\n")
    with MUTATION.applied(tmp_path):
        assert (tmp_path / "a.py").read_text() == "a c\n"
    assert (tmp_path / "a.py").read_text() == "a b\n"


@pytest.mark.parametrize("text", ["", "b b"])
def test_a_text_that_is_not_there_once_is_an_error_that_names_file_and_mutation(text: str) -> None:
    with pytest.raises(MutationError, match=r"a\.toml, “It skips b”: .* a\.py"):
        MUTATION.applied_to(text)


def test_a_file_that_is_gone_is_an_error_that_names_file_and_mutation(tmp_path: Path) -> None:
    with pytest.raises(MutationError, match=r"a\.toml, “It skips b”: .* a\.py"):
        read_source(MUTATION, tmp_path)


@pytest.mark.parametrize("more", [{"rwo": "7"}, {"old": 3}])
def test_a_field_that_is_wrong_is_an_error(more: dict[str, object]) -> None:
    entry = dataclasses.asdict(MUTATION)
    del entry["source"]
    with pytest.raises(MutationError, match="It skips b"):
        parse_mutation("a.toml", entry | more)


def test_the_page_keeps_results_of_earlier_runs() -> None:
    rows = {"7": SecurityRow("7", "7. A row", (MUTATION.test,))}
    page = render_page([MUTATION], rows, {MUTATION.name: "killed"})
    assert "1 mutants (1 killed)." in page
    assert read_results(page) == {MUTATION.name: "killed"}
    assert read_results(render_page([MUTATION], rows, {})) == {MUTATION.name: "not run"}


def test_a_share_is_drawn_from_what_was_killed_and_is_the_same_for_a_seed() -> None:
    mutations = [dataclasses.replace(MUTATION, name=str(number)) for number in range(40)]
    results = {str(number): "killed" if number % 2 else "survived" for number in range(39)}
    drawn = chosen(mutations, "", 0.2, 7, results)
    assert drawn == chosen(mutations, "", 0.2, 7, results)
    assert len(drawn) == 4
    assert {results[mutation.name] for mutation in drawn} == {"killed"}
    assert len(chosen(mutations, "", 1, 7, {})) == 40


def test_the_missing_are_those_not_recorded_as_killed() -> None:
    mutations = [dataclasses.replace(MUTATION, name=name) for name in "abcd"]
    results = {"a": "killed", "b": "survived", "c": "killed by time"}
    assert [item.name for item in chosen(mutations, "", 1, 7, results, missing=True)] == ["b", "d"]


def test_the_page_records_every_mutation_as_killed() -> None:
    results = read_results(PAGE.read_text(encoding="utf-8"))
    unkilled = [
        mutation.name
        for mutation in load_mutations()
        if "killed" not in results.get(mutation.name, "")
    ]
    assert unkilled == [], "run `make mutants MUTANTS=--missing`"
