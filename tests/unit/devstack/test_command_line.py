"""The command line: its version, its examples, its lists, and what it answers when nothing runs."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table
from typer.main import get_command
from typer.testing import CliRunner

from cli.app import cli
from cli.commands import _shell
from cli.examples import EXAMPLES
from devstack.children import Child, ChildError, wait_until
from devstack.home import DEFAULT, Addresses, Home, HomeError
from devstack.ports import free_port
from servicekit.settings_errors import EXIT_STATUS

KEY_ID = "key_0123456789abcdef"
NEEDS_A_STACK = (
    "status", "account list", "account show a@example.com", "key list a@example.com", "reconcile",
    "audit-log", "demo", "import @handle", "corrections list", "corrections log",
    "issuer rotate-key", "detect rerun --status", "account create a@example.com",
)  # fmt: skip


def run(*arguments: str, home: Path, **environment: str) -> Any:
    variables = {"SPONSORGRAPH_HOME": str(home), "COLUMNS": "80", **environment}
    return CliRunner().invoke(cli, arguments, env=variables)


def commands(group: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if getattr(command, "commands", None):
            yield from commands(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


ALL = dict(commands(get_command(cli)))


def test_the_version_is_printed(tmp_path: Path) -> None:
    result = run("--version", home=tmp_path)
    assert result.exit_code == 0
    assert result.output.startswith("sponsorgraph 0.")


@pytest.mark.parametrize("name", ALL)
def test_the_help_of_each_command_ends_with_examples(name: str, tmp_path: Path) -> None:
    output = run(*name.split(), "--help", home=tmp_path, COLUMNS="200").output
    examples = output.partition("Examples:")[2]
    assert examples
    for example in EXAMPLES[name]:
        assert example in examples


@pytest.mark.parametrize(
    ("name", "example"), [(n, e) for n, all_ in EXAMPLES.items() for e in all_]
)
def test_an_example_is_a_call_that_its_command_takes(
    name: str, example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(example.partition(" < ")[0])
    arguments = words[words.index("sponsorgraph") + 1 :]
    assert arguments[: len(name.split())] == name.split()
    for word in arguments:  # files that have to be there
        if "." in word and not word.startswith("-") and "@" not in word and "/" not in word:
            Path(word).touch()
    if name == "restore":
        arguments[1] = str(tmp_path / "a.backup")
        Path(arguments[1]).touch()
    if name == "dev youtube":
        Path("data").mkdir()
    ALL[name].make_context(name, arguments[len(name.split()) :])


@pytest.mark.parametrize("command", NEEDS_A_STACK)
@pytest.mark.parametrize("ended", [False, True])
def test_a_command_that_needs_a_stack_says_how_to_start_one(
    command: str,
    ended: bool,  # noqa: FBT001
    tmp_path: Path,
) -> None:
    if ended:  # its addresses are left over
        nowhere = "127.0.0.1:9"
        Home(tmp_path).write_addresses(Addresses(*[nowhere] * 6, supervisor_pid=2**22 + 1))
    result = run(*command.split(), home=tmp_path)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "Nothing runs at" in result.stderr
    assert "`make run` (or `sponsorgraph up`)" in result.stderr


@pytest.mark.parametrize("command", ["up", "status", "doctor", "account list"])
def test_a_setting_of_a_wrong_form_ends_a_command_with_one_sentence(
    command: str, tmp_path: Path
) -> None:
    variable = "SPONSORGRAPH_GRPC_TOKEN_FILE" if command == "account list" else "SPONSORGRAPH_PORT"
    value = str(tmp_path / "missing") if command == "account list" else "abc"
    result = run(*command.split(), home=tmp_path / "home", **{variable: value})
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert variable in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("command", "variables"),
    [
        ("catalog rebuild-rollups", ("CATALOG_DATABASE_URL",)),
        ("migrate --plan", ("CATALOG_DATABASE_URL", "AUTH_DATABASE_URL", "IMPORT_DATABASE_URL")),
        ("backup b.tar", ("CATALOG_DATABASE_URL", "AUTH_DATABASE_URL", "IMPORT_DATABASE_URL")),
        ("backup b.tar", ("AUTH_VALKEY_URL",)),
        ("backup check b.tar", ("BACKUP_CHECK_SERVER_URL",)),
    ],
)
def test_a_url_without_its_scheme_is_refused_and_its_password_not_repeated(
    tmp_path: Path, command: str, variables: tuple[str, ...]
) -> None:
    wrong = dict.fromkeys(variables, "catalog:hunter2secret@db.example/catalog")

    result = run(*command.split(), home=tmp_path, **wrong)

    assert result.exit_code == 1
    assert f"{variables[0]} is refused, as it is not a URL of the form" in result.stderr
    assert "hunter2secret" not in result.output
    assert isinstance(result.exception, SystemExit)


def test_a_url_with_a_blank_before_it_is_refused(tmp_path: Path) -> None:
    url = " postgresql://user:hunter2secret@127.0.0.1:1/x"

    result = run("catalog", "rebuild-rollups", home=tmp_path, CATALOG_DATABASE_URL=url)

    assert result.exit_code == 1
    assert "CATALOG_DATABASE_URL is refused" in result.stderr
    assert "hunter2secret" not in result.output


def test_a_url_of_an_option_is_refused_likewise(tmp_path: Path) -> None:
    named = [
        f"--{name}-url=catalog:hunter2secret@db.example/x"
        for name in ("catalog", "auth", "imports")
    ]

    result = run("backup", "b.tar", *named, home=tmp_path)

    assert result.exit_code == 1
    assert "The URL of a database is refused, as it is not a URL of the form" in result.stderr
    assert "hunter2secret" not in result.output


def test_a_catalogue_that_does_not_respond_is_one_sentence(tmp_path: Path) -> None:
    url = f"postgresql://nobody@127.0.0.1:{free_port()}/x"

    result = run("catalog", "rebuild-rollups", home=tmp_path, CATALOG_DATABASE_URL=url)

    assert result.exit_code == 1
    assert "The catalogue's database does not respond: " in result.stderr
    assert isinstance(result.exception, SystemExit)


@pytest.mark.parametrize(
    "content", [None, "{broken", "{}", "[]", '"x"', '{"postgres_password": null}']
)
def test_a_home_whose_secrets_are_lost_is_neither_opened_nor_given_new_ones(
    tmp_path: Path, content: str | None
) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "PG_VERSION").write_text("18")
    file = tmp_path / "secrets.json"
    if content is not None:
        file.write_text(content)

    with pytest.raises(HomeError, match="put the saved copy of the file back"):
        Home(tmp_path).secrets()
    result = run("doctor", home=tmp_path)

    assert result.exit_code == 1
    assert "put the saved copy of the file back" in result.output.replace("\n", " ")
    assert (file.read_text() if file.exists() else None) == content


def test_a_home_that_does_not_exist_is_not_made_by_a_check(tmp_path: Path) -> None:
    result = run("doctor", home=tmp_path / "home")

    assert "does not exist yet" in result.output
    assert not (tmp_path / "home").exists()


def test_an_empty_home_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPONSORGRAPH_HOME", "")
    assert _shell.home() == Home(Path(DEFAULT))


@pytest.mark.parametrize(
    "command", ["catalog load nowhere.jsonl", "issuer add-machine a@example.com nowhere.json"]
)
def test_a_file_that_does_not_exist_is_a_wrong_argument(command: str, tmp_path: Path) -> None:
    result = run(*command.split(), home=tmp_path)
    assert result.exit_code == 2
    assert "does not exist" in result.stderr


def test_one_port_for_both_is_refused(tmp_path: Path) -> None:
    port = str(free_port())

    result = run("up", home=tmp_path, SPONSORGRAPH_PORT=port, SPONSORGRAPH_SITE_PORT=port)

    examined = run("doctor", home=tmp_path, SPONSORGRAPH_PORT=port, SPONSORGRAPH_SITE_PORT=port)

    assert result.exit_code == 1
    assert f"SPONSORGRAPH_PORT and SPONSORGRAPH_SITE_PORT are both {port}" in result.output
    assert examined.exit_code == 1
    assert "is given twice" in examined.output


@pytest.mark.parametrize(("is_terminal", "width"), [(False, 20), (True, 30), (True, 80)])
def test_ids_are_whole_however_narrow_the_output_is(
    is_terminal: bool,  # noqa: FBT001
    width: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(_shell, "out", Console(width=width, force_terminal=is_terminal))
    table = Table(_shell.id_column("id"), "name", "created", "state")
    table.add_row(KEY_ID, "a script of many words for the night", "2026-11-23", "active")
    _shell.print_table(table)
    printed = capsys.readouterr().out
    assert KEY_ID in printed
    assert "…" not in printed
    if not is_terminal:
        assert "a script of many words for the night" in printed


def test_a_service_with_wrong_settings_is_not_started_again(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(
        f"import sys\nsys.stderr.write('WRONG_PORT is empty.\\n')\nsys.exit({EXIT_STATUS})\n"
    )
    log = tmp_path / "wrong.log"
    log.write_text("a line of before\n")
    child = Child("wrong", ["wrong"], {**os.environ, "PYTHONPATH": str(tmp_path)}, log)
    child.start()
    with pytest.raises(ChildError) as ended:
        wait_until(lambda: False, [child], "The start", 30)
    assert str(ended.value) == "WRONG_PORT is empty."
    assert log.read_text().count("WRONG_PORT") == 1


def test_an_interrupted_import_of_the_command_leaves_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from cli.__main__ import main  # noqa: PLC0415

    class Interrupted:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "cli.app":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "cli.app")
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "Interrupted; nothing was done.\n"


_INTERRUPTED_IMPORT = """
import runpy, sys

class Interrupted:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
runpy.run_module("cli", run_name="__main__")
"""


@pytest.mark.parametrize("module", ["cli.loading", "typer", "servicekit.process.imports"])
def test_an_interrupt_before_anything_is_loaded_ends_the_command_quietly(module: str) -> None:
    command = [sys.executable, "-c", _INTERRUPTED_IMPORT, module]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")
