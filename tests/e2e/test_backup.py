"""`sponsorgraph backup` of a stack that runs, `restore` into it when it is stopped."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import RunningStack, start, wait_for
from tests.e2e.prepared_home import prepare_home

pytestmark = [pytest.mark.timeout(300)]


def results(stack: RunningStack) -> list[Any]:
    return [
        stack.tool_result("sponsor.search", {"search": "vpn", "limit": 5}),
        stack.tool_result("sponsor.top", {"limit": 5}),
        stack.tool_result("category.list", {}),
    ]


def used(stack: RunningStack) -> int:
    return stack.tool_result("account.usage", {})["requests_used"]


def test_after_a_restore_the_results_are_the_same(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path / "backup.tar"
    stack = start(prepare_home(tmp_path_factory, tmp_path / "home"))
    try:
        before = results(stack)
        made = stack.command("backup", str(file))
        assert made.returncode == 0, made.stderr
        refused = stack.command("restore", str(file), "--force")
        assert "stop the services first" in " ".join(refused.stderr.split())
        email = stack.account("creator")
        new = tmp_path / "new.jsonl"
        sponsor = {
            "type": "sponsor",
            "slug": "vpn-of-the-test",
            "name": "VPN of the test",
            "category": "vpn",
        }
        new.write_text(json.dumps(sponsor) + "\n")
        loaded = stack.command("catalog", "load", str(new))
        assert loaded.returncode == 0, loaded.stderr + loaded.stdout
        results(stack)
        time.sleep(2)
    finally:
        assert stack.stop() == 0
    planned = stack.command("migrate", "--plan")
    assert (planned.returncode, "Nothing runs" in planned.stderr) == (0, False), planned.stderr
    refused = stack.command("restore", str(file))
    assert "not empty" in " ".join(refused.stderr.split())
    restored = stack.command("restore", str(file), "--force")
    assert restored.returncode == 0, restored.stderr
    again = start(tmp_path / "home")
    try:
        assert used(again) == 3
        assert results(again) == before
        assert again.command("account", "show", email).returncode == 3
    finally:
        again.stop()


def test_a_backup_is_restored_into_a_home_that_is_not_there_and_its_start_prints_what_works(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file, home = tmp_path / "backup.tar", tmp_path / "a 'new' home"
    source = start(prepare_home(tmp_path_factory, tmp_path / "home"))
    try:
        before = results(source)[0]
        made = source.command("backup", str(file))
        assert made.returncode == 0, made.stderr
    finally:
        assert source.stop() == 0
    # Its secrets are others than those of the backup, that of the signing keys too.
    elsewhere = replace(
        source, home=home, environment={**source.environment, "SPONSORGRAPH_HOME": str(home)}
    )
    restored = elsewhere.command("restore", str(file))
    assert restored.returncode == 0, restored.stderr
    stack = start(home)
    try:
        assert results(stack)[0] == before
        assert stack.connection["api_key"] != source.connection["api_key"]
        assert stack.connection["password"] == ""
        assert (
            stack.command("account", "delete", stack.connection["email"], "--yes").returncode == 0
        )
    finally:
        assert stack.stop() == 0
    again = start(home)
    try:
        assert results(again)[0] == before
        assert again.connection["password"]
    finally:
        again.stop()


def test_the_key_of_demo_is_that_of_the_home_from_then_on(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    stack = start(prepare_home(tmp_path_factory, tmp_path / "home"))
    try:
        before = stack.connection
        shown = stack.command("demo")
        assert shown.returncode == 0, shown.stderr
        printed = dict(re.findall(r"^(.+?): +(.+)$", shown.stdout, re.MULTILINE))
        assert printed["API key"] != before["api_key"]
        assert printed["MCP URL"] == before["mcp_url"]
        assert printed["Site"] == before["site_url"]
        assert printed["Password"] == before["password"]
        os.kill(before["pids"]["gateway"], signal.SIGKILL)
        wait_for(
            lambda: stack.connection["pids"]["gateway"] != before["pids"]["gateway"],
            30,
            "the new process is written down",
        )
        assert stack.connection["api_key"] == printed["API key"]
        (key,) = [
            key
            for key in json.loads(stack.command("key", "list", before["email"], "--json").stdout)
            if key["revoked_at"] is None
        ]
        assert stack.command("key", "revoke", key["key_id"]).returncode == 0
    finally:
        assert stack.stop() == 0
    again = start(tmp_path / "home")
    try:
        assert again.connection["api_key"] != printed["API key"]
        assert again.connection["password"] == before["password"]
        assert used(again) == 0
    finally:
        again.stop()
