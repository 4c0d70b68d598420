"""`sponsorgraph connect`: what it writes into clients' files, and what it leaves alone."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.agents.clients import CLIENTS, KEY_VARIABLE
from cli.agents.jsonc import JsonDocument
from cli.agents.locations import Machine
from cli.app import cli
from servicekit.agents import skill_files

URL = "https://sponsorgraph.example"
ENDPOINT = f"{URL}/mcp"
KEY = "mcp_0123456789"
FILES = {
    "claude-code": ".claude.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "opencode": ".config/opencode/opencode.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
}
BY_LOGIN: Mapping[str, Any] = {
    "claude-code": {"type": "http", "url": ENDPOINT},
    "codex": {"url": ENDPOINT},
    "gemini": {"httpUrl": ENDPOINT},
    "opencode": {"type": "remote", "url": ENDPOINT, "enabled": True},
    "cursor": {"url": ENDPOINT},
    "vscode": {"type": "http", "url": ENDPOINT},
    "claude-desktop": {"command": "npx", "args": ["-y", "mcp-remote", ENDPOINT]},
}
KEYS: Mapping[str, Any] = {
    "claude-code": {"headers": {"Authorization": f"Bearer ${{{KEY_VARIABLE}}}"}},
    "codex": {"bearer_token_env_var": KEY_VARIABLE},
    "gemini": {"headers": {"Authorization": f"Bearer ${{{KEY_VARIABLE}}}"}},
    "opencode": {"oauth": False, "headers": {"Authorization": f"Bearer {{env:{KEY_VARIABLE}}}"}},
    "cursor": {"headers": {"Authorization": f"Bearer ${{env:{KEY_VARIABLE}}}"}},
    "vscode": {"headers": {"Authorization": "Bearer ${input:sponsorgraph-api-key}"}},
    "claude-desktop": {
        "args": ["-y", "mcp-remote", ENDPOINT, "--header", "Authorization:${AUTHORIZATION}"],
        "env": {"AUTHORIZATION": f"Bearer {KEY}"},
    },
}
WITH_COMMENTS = """\
{
  // chosen by hand
  "theme": "dark", /* not light */
  "%s": {
    "other": {"url": "https://other.example"}, // stays
  },
}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SPONSORGRAPH_HOME", str(tmp_path / "stack"))
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    return tmp_path


def connect(*arguments: str) -> Any:
    return CliRunner().invoke(cli, ["connect", *arguments])


def connected(client: str, *arguments: str) -> Any:
    result = connect(client, "--url", URL, *arguments)
    assert result.exit_code == 0, result.output
    return result


def content(client: str, path: Path) -> Any:
    text = path.read_text()
    if CLIENTS[client].format == "toml":
        return tomllib.loads(text)
    return JsonDocument(text, comments=CLIENTS[client].format == "jsonc").content()


def entry(client: str, path: Path) -> Any:
    return content(client, path)[CLIENTS[client].servers]["sponsorgraph"]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_without_a_file_gets_one_that_its_owner_alone_reads(
    client: str, home: Path
) -> None:
    connected(client)
    path = home / FILES[client]
    assert entry(client, path) == BY_LOGIN[client]
    assert path.stat().st_mode & 0o777 == 0o600
    assert KEY not in path.read_text()


@pytest.mark.parametrize("client", CLIENTS)
def test_a_key_is_named_where_the_client_reads_one_and_written_only_where_it_cannot(
    client: str, home: Path
) -> None:
    path = home / FILES[client]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("" if CLIENTS[client].format == "toml" else "{}")
    path.chmod(0o644)
    connected(client, "--key")
    assert entry(client, path) == {**BY_LOGIN[client], **KEYS[client]}
    written = KEY in path.read_text()
    assert written == (client == "claude-desktop")
    assert path.stat().st_mode & 0o777 == (0o600 if written else 0o644)
    connected(client)
    assert entry(client, path) == BY_LOGIN[client]
    assert KEY not in path.read_text()


@pytest.mark.parametrize("client", CLIENTS)
def test_a_second_time_changes_nothing_and_leaves_no_second_copy(client: str, home: Path) -> None:
    connected(client)
    path = home / FILES[client]
    before = path.read_bytes()
    assert "already" in connected(client).output
    assert path.read_bytes() == before
    assert [item.name for item in path.parent.iterdir() if "backup" in item.name] == []


@pytest.mark.parametrize("client", CLIENTS)
def test_removing_it_gives_the_file_back_as_it_was(client: str, home: Path) -> None:
    path = home / FILES[client]
    path.parent.mkdir(parents=True, exist_ok=True)
    servers = CLIENTS[client].servers
    before = {
        "toml": f'# mine\nmodel = "x"\n\n[{servers}.other]\nurl = "y" # stays\n',
        "jsonc": WITH_COMMENTS % servers,
        "json": json.dumps({"a": [1, 2.50], servers: {"other": {"url": "ü"}}}, indent=4),
    }[CLIENTS[client].format]
    path.write_text(before)
    connected(client, "--key")
    assert content(client, path)[servers].keys() == {"other", "sponsorgraph"}
    copy = next(item for item in path.parent.iterdir() if ".backup-" in item.name)
    assert copy.read_text() == before
    assert copy.stat().st_mode & 0o777 == 0o600
    assert connect(client, "--remove").exit_code == 0
    left = path.read_text()
    if client == "vscode":
        assert content(client, path).pop("inputs") == []
        left = left.replace('  "inputs": [],\n', "")
    if client == "codex":  # a blank line stays where its table was
        left = left.rstrip("\n") + "\n"
    assert left == before
    assert "already" in connect(client, "--remove").output


@pytest.mark.parametrize("client", CLIENTS)
def test_the_only_server_of_a_client_is_removed_too(client: str, home: Path) -> None:
    connected(client)
    assert connect(client, "--remove").exit_code == 0
    assert "sponsorgraph" not in (home / FILES[client]).read_text()


@pytest.mark.parametrize("client", ["gemini", "opencode", "cursor", "vscode"])
def test_comments_stay_where_the_program_reads_them(client: str, home: Path) -> None:
    path = home / FILES[client]
    path.parent.mkdir(parents=True)
    path.write_text(WITH_COMMENTS % CLIENTS[client].servers)
    connected(client)
    for comment in ("// chosen by hand", "/* not light */", "// stays"):
        assert comment in path.read_text()
    assert entry(client, path) == BY_LOGIN[client]


@pytest.mark.parametrize(
    ("client", "text", "line"),
    [
        ("claude-code", '{\n  "a": 1,\n}', 3),
        ("claude-code", '{\n  // a comment\n  "a": 1\n}', 2),
        ("claude-code", '{"a": NaN}', 1),
        ("claude-code", "[]", 1),
        ("claude-desktop", '{\n"mcpServers": []}', 2),
        ("cursor", '{\n\n"mcpServers": {"a": }}', 3),
        ("cursor", '{\n"mcpServers": {}} trailing', 2),
        ("gemini", '{\n/* no end\n"a": 1}', 2),
        ("gemini", '{"mcpServers": {\n"sponsorgraph": 1}}', 2),
        ("opencode", '{"mcp": {},\n"mcp": {}}', 2),
        ("vscode", '{"servers": {"a": "b', 1),
        ("codex", 'model = "x"\n[mcp_servers\n', 2),
        ("codex", 'a = 1\nmcp_servers = "x"\n', 2),
    ],
)
def test_a_broken_file_is_left_alone_with_its_name_and_line(
    client: str, text: str, line: int, home: Path
) -> None:
    path = home / FILES[client]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    result = connect(client, "--url", URL)
    assert result.exit_code == 1
    assert f"{path}, line {line}" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert path.read_text() == text
    assert len(list(path.parent.glob("*backup*"))) == 0


def test_deep_nesting_and_other_encodings_are_errors_and_no_tracebacks(home: Path) -> None:
    path = home / FILES["cursor"]
    path.parent.mkdir()
    path.write_text('{"a":' + "[" * 100_000)
    assert "nested too deeply" in connect("cursor", "--url", URL).stderr
    path.write_bytes(b'{\n"a": "\xff"}')
    assert f"{path}, line 2: it is not in UTF-8" in connect("cursor", "--url", URL).stderr


def test_ends_of_lines_indents_and_the_mark_of_windows_stay(home: Path) -> None:
    path = home / FILES["cursor"]
    path.parent.mkdir()
    path.write_bytes('\ufeff{\r\n\t"mcpServers": {\r\n\t\t"a": {}\r\n\t}\r\n}\r\n'.encode())
    connected("cursor")
    text = path.read_bytes().decode()
    assert text.startswith("\ufeff{\r\n")
    assert '\r\n\t\t"sponsorgraph": {\r\n\t\t\t"url"' in text
    assert text.count("\n") == text.count("\r\n")


def test_what_the_person_added_to_the_entry_stays(home: Path) -> None:
    path = home / FILES["gemini"]
    path.parent.mkdir()
    old = {"httpUrl": "http://old", "trust": True, "headers": {"X-Mine": "1", "Authorization": "a"}}
    path.write_text(json.dumps({"mcpServers": {"sponsorgraph": old}}))
    connected("gemini")
    assert entry("gemini", path) == {
        "httpUrl": ENDPOINT,
        "trust": True,
        "headers": {"X-Mine": "1"},
    }


def test_a_dry_run_writes_nothing_and_shows_no_key(home: Path) -> None:
    result = connected("claude-desktop", "--key", "--dry-run")
    assert '+    "sponsorgraph": {' in result.output
    assert KEY not in result.output
    assert not (home / FILES["claude-desktop"]).exists()


def test_a_link_to_the_file_stays_a_link(home: Path) -> None:
    target = home / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_text("{}")
    (home / ".claude.json").symlink_to(target)
    connected("claude-code")
    assert (home / ".claude.json").is_symlink()
    assert entry("claude-code", target) == BY_LOGIN["claude-code"]


def test_a_key_that_has_to_be_written_has_to_be_known(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    result = connect("claude-desktop", "--key", "--url", URL)
    assert result.exit_code == 1
    assert KEY_VARIABLE in result.stderr
    assert not (home / FILES["claude-desktop"]).exists()


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("https://a.example", "https://a.example/mcp"),
        ("https://a.example/", "https://a.example/mcp"),
        ("https://a.example/mcp?toolsets=sponsors", "https://a.example/mcp?toolsets=sponsors"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/mcp"),
        ("http://[::1]:8000/x", "http://[::1]:8000/x"),
        ("http://a.example", None),
        ("http://localhost.a.example", None),
        ("ftp://a.example", None),
        ("https://user@a.example", None),
        ("a.example", None),
    ],
)
def test_only_addresses_at_which_nobody_listens_are_written(
    url: str, written: str | None, home: Path
) -> None:
    result = connect("cursor", "--url", url)
    path = home / FILES["cursor"]
    if written is None:
        assert result.exit_code == 1
        assert not path.exists()
    else:
        assert entry("cursor", path)["url"] == written


def test_without_an_address_the_error_says_how_to_give_one(home: Path) -> None:
    result = connect("cursor")
    assert result.exit_code == 1
    assert "--url" in result.stderr


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("linux", ".config"),
        ("darwin", "Library/Application Support"),
        ("win32", "AppData/Roaming"),
    ],
)
def test_files_are_where_each_system_has_them(platform: str, folder: str, tmp_path: Path) -> None:
    machine = Machine(platform, tmp_path)
    paths = {
        name: client.file(machine).relative_to(tmp_path).as_posix()
        for name, client in CLIENTS.items()
    }
    assert paths == {
        **FILES,
        "vscode": f"{folder}/Code/User/mcp.json",
        "claude-desktop": f"{folder}/Claude/claude_desktop_config.json",
    }


def test_variables_of_the_clients_move_their_files(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, client, path in (
        ("CLAUDE_CONFIG_DIR", "claude-code", "moved/.claude.json"),
        ("CODEX_HOME", "codex", "moved/config.toml"),
        ("GEMINI_CLI_HOME", "gemini", "moved/.gemini/settings.json"),
        ("XDG_CONFIG_HOME", "opencode", "moved/opencode/opencode.json"),
    ):
        monkeypatch.setenv(name, str(home / "moved"))
        connected(client)
        assert entry(client, home / path) == BY_LOGIN[client]


def test_the_file_of_opencode_with_comments_is_taken_where_it_is(home: Path) -> None:
    path = home / ".config" / "opencode" / "opencode.jsonc"
    path.parent.mkdir(parents=True)
    path.write_text("// mine\n{}\n")
    connected("opencode")
    assert path.read_text().startswith("// mine\n{")
    assert entry("opencode", path) == BY_LOGIN["opencode"]


def test_a_file_that_another_program_changes_in_the_meantime_is_not_overwritten(
    home: Path,
) -> None:
    from cli.agents.clients import Access  # noqa: PLC0415
    from cli.agents.connection import connected as change_of  # noqa: PLC0415
    from cli.agents.errors import ConfigurationError  # noqa: PLC0415

    path = home / ".claude.json"
    path.write_text("{}")
    change = change_of(CLIENTS["claude-code"], path, Access(ENDPOINT))
    path.write_text('{"projects": {}}')
    with pytest.raises(ConfigurationError, match="changed by another program"):
        change.make()
    assert path.read_text() == '{"projects": {}}'


SKILLS = {
    "claude-code": ".claude/skills",
    "codex": ".agents/skills",
    "gemini": ".gemini/skills",
    "opencode": ".config/opencode/skills",
    "cursor": ".cursor/skills",
    "vscode": ".copilot/skills",
}


@pytest.mark.parametrize("client", SKILLS)
def test_the_skill_is_installed_where_the_client_reads_skills_and_removed_again(
    client: str, home: Path
) -> None:
    folder = home / SKILLS[client] / "sponsorgraph"
    connected(client, "--skill", "--dry-run")
    assert not folder.exists()
    connected(client, "--skill")
    assert written(folder) == skill_files()
    files = [path for path in home.rglob("*") if path.is_file() and folder not in path.parents]
    assert any(f"{URL}/mcp?toolsets=all" in path.read_text() for path in files)
    connected(client, "--skill")
    assert written(folder) == skill_files()
    assert connect(client, "--remove", "--skill").exit_code == 0
    assert not folder.exists()
    assert "was not in" in connect(client, "--remove", "--skill").output


def written(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_skill_is_installed_only_where_that_is_chosen(home: Path) -> None:
    connected("claude-code")
    assert not (home / ".claude").exists()


def test_what_the_person_changed_in_the_skill_is_copied_and_their_own_files_stay(
    home: Path,
) -> None:
    folder = home / SKILLS["cursor"] / "sponsorgraph"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("mine")
    (folder / "notes.md").write_text("my notes")
    connected("cursor", "--skill")
    copy = next(folder.glob("SKILL.md.backup-*"))
    assert copy.read_text() == "mine"
    assert connect("cursor", "--remove", "--skill").exit_code == 0
    assert (folder / "notes.md").read_text() == "my notes"
    assert not (folder / "SKILL.md").exists()


def test_a_client_that_reads_skills_from_no_folder_is_left_as_it_is(home: Path) -> None:
    result = connect("claude-desktop", "--url", URL, "--skill")
    assert result.exit_code == 1
    assert "/skills/sponsorgraph.zip" in result.stderr
    assert not (home / FILES["claude-desktop"]).exists()
