"""Types are checked again exactly when something that they rest on has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.type_check import digest, folders

PROJECT = '[tool.pyright]\ninclude = ["gateway", "tests"]\n'


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, content in {
        "pyproject.toml": PROJECT,
        "requirements/dev.lock": "pyright==1",
        "gateway/app.py": "A = 1",
        "tests/test_app.py": "B = 1",
        "typings/stripe/__init__.pyi": "C: int",
        "protos/quota_pb2.pyi": "D: int",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path


def digests(tree: Path) -> tuple[str, str]:
    return digest("sources", tree), digest("tests", tree)


def test_the_parts_are_all_that_pyright_includes(tree: Path) -> None:
    assert (folders("sources", tree), folders("tests", tree)) == (["gateway"], ["tests"])


@pytest.mark.parametrize(
    "changed",
    [
        "pyproject.toml",
        "requirements/dev.lock",
        "gateway/app.py",
        "gateway/new.py",
        "typings/stripe/__init__.pyi",
        "protos/quota_pb2.pyi",
    ],
)
def test_what_sources_rest_on_makes_both_parts_be_checked(tree: Path, changed: str) -> None:
    before = digests(tree)
    path = tree / changed
    path.write_text((path.read_text() if path.exists() else "") + "\n")
    after = digests(tree)
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_a_changed_test_makes_only_the_tests_be_checked(tree: Path) -> None:
    before = digests(tree)
    (tree / "tests" / "test_app.py").write_text("B = 2")
    after = digests(tree)
    assert before[0] == after[0]
    assert before[1] != after[1]


def test_a_renamed_file_is_a_change(tree: Path) -> None:
    before = digests(tree)
    (tree / "gateway" / "app.py").rename(tree / "gateway" / "wiring.py")
    assert digests(tree)[0] != before[0]


def test_other_files_and_compiled_ones_change_nothing(tree: Path) -> None:
    before = digests(tree)
    (tree / "gateway" / "app.pyc").write_text("compiled")
    (tree / "gateway" / "page.html").write_text("page")
    assert digests(tree) == before
