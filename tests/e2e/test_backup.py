"""`sponsorgraph backup` of a stack that runs, `restore` into it when it is stopped."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import RunningStack, start
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
