"""The modules that a process loads at its start, and those that it does not load."""

import gc
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from servicekit.process import imports


@pytest.fixture
def optional(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module that could be imported, and is never used."""
    (tmp_path / "optional_colours.py").write_text("")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(imports, "_UNUSED", ("optional_colours",))
    monkeypatch.delitem(sys.modules, "optional_colours", raising=False)
    return "optional_colours"


def test_an_unused_module_is_not_found_inside_the_block_alone(optional: str) -> None:
    with imports.skip_unused_imports(), pytest.raises(ImportError):
        __import__(optional)
    assert __import__(optional).__name__ == optional


def test_a_needed_module_is_found_all_the_same(optional: str) -> None:
    with imports.skip_unused_imports(optional):
        assert __import__(optional).__name__ == optional


def test_a_module_loaded_before_stays(optional: str) -> None:
    before = __import__(optional)
    with imports.skip_unused_imports():
        assert __import__(optional) is before
    assert sys.modules[optional] is before


def test_the_garbage_collector_rests_inside_the_block_alone(optional: str) -> None:
    seen = list[bool]()
    with suppress(ImportError), imports.skip_unused_imports():
        seen.append(gc.isenabled())
        __import__(optional)
    assert [*seen, gc.isenabled()] == [False, True]


@pytest.mark.parametrize(
    ("module", "spared"),
    [
        ("gateway.app", ("rich", "opentelemetry.sdk", "joserfc", "sqlalchemy")),
        ("catalog_service.app", ("rich", "opentelemetry.sdk", "alembic")),
        ("auth_service.app", ("rich", "opentelemetry.sdk", "alembic")),
        ("import_worker.app", ("rich", "opentelemetry.sdk", "alembic", "import_worker.detector")),
    ],
)
def test_a_service_loads_only_what_it_needs(module: str, spared: tuple[str, ...]) -> None:
    assert (
        _loaded(f"with imports.skip_unused_imports('email_validator'): import {module}", spared)
        == []
    )


def test_the_command_is_there_without_what_its_stack_runs() -> None:
    spared = ("sqlalchemy", "procrastinate", "import_worker.detector", "cli.commands", "rich")
    assert _loaded("import cli.app", spared) == []


def test_what_supervises_a_stack_loads_no_driver_and_nothing_of_a_service() -> None:
    spared = ("grpc", "google.protobuf", "psycopg", "redis", "sqlalchemy", "cryptography", "httpx2")
    assert _loaded("import cli.commands.up", spared) == []


def _loaded(statement: str, names: tuple[str, ...]) -> list[str]:
    """Return the modules of `names` that a fresh process has loaded after a statement."""
    program = f"""
import sys
from servicekit.process import imports
{statement}
print(*(name for name in sys.argv[1:] if name in sys.modules))
"""
    command = [sys.executable, "-c", program, *names]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
