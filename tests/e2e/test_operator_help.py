"""What operators are helped with, on a running stack: the support bundle, the checks, the operator's page."""

from __future__ import annotations

import json
import re
import secrets
import tarfile
from pathlib import Path
from typing import Any

import redis

from tests.clients.person import Person
from tests.e2e.conftest import RunningStack, wait_for

PASSWORD = "correct horse battery 7 staple"


def checks(stack: RunningStack) -> dict[str, Any]:
    result = stack.command("doctor", "--json")
    assert result.returncode == 0, result.stdout + result.stderr
    return {finding["subject"]: finding for finding in json.loads(result.stdout)}


def test_the_bundle_of_a_running_stack_is_whole_and_has_none_of_its_secrets(
    stack: RunningStack, tmp_path: Path
) -> None:
    email = stack.account("creator", PASSWORD)
    key = stack.key(email)
    stack.call_tool("sponsor.get", {"sponsor": f"{email} {key}"}, key)
    archive = tmp_path / "bundle.tar.gz"
    made = stack.command("support-bundle", str(archive), "--json")
    assert made.returncode == 0, made.stdout + made.stderr
    assert archive.stat().st_size < 1_000_000
    found: dict[str, str] = {}
    with tarfile.open(archive) as opened:
        for member in opened.getmembers():
            file = opened.extractfile(member)
            assert file is not None
            found[member.name.partition("/")[2]] = file.read().decode()
    assert {"databases/auth.json", "metrics/gateway.txt", "logs/gateway.log"} <= set(found)
    assert json.loads(found["databases/auth.json"])["tables"]
    everything = "\n".join(found.values())
    own = json.loads((stack.home / "secrets.json").read_text()).values()
    connection = stack.connection
    for value in (*own, connection["api_key"], connection["password"], key, email, PASSWORD):
        assert value not in everything
    assert not re.search(r"mcp_[A-Za-z0-9]{8}", everything)


def test_the_checks_of_a_running_stack_reach_the_auth_service(stack: RunningStack) -> None:
    found = checks(stack)
    assert found["Clock"]["fine"]
    assert "are written to" in found["Mails"]["detail"]
    assert "Last backup" in found


async def test_the_operators_page_shows_all_services_and_a_failed_call(stack: RunningStack) -> None:
    email = stack.account("creator", PASSWORD)
    stack.command("account", "operator", email)
    name = f"no-{secrets.token_hex(4)}"
    assert stack.call_tool("sponsor.get", {"sponsor": name}, stack.key(email)).status_code == 400
    async with Person(stack.connection["site_url"]) as person:
        await person.log_in(email, PASSWORD)
        page = (await person.visit("/operator")).text
        assert "No process of" not in page
        assert "This part cannot be shown." not in page
        assert "Workers read with version" in page
    # The gateway sends its counts every ten seconds.
    wait_for(lambda: _failures(stack) > 0, 30, "the failed call was not counted")


def _failures(stack: RunningStack) -> int:
    keys = json.loads((stack.home / "secrets.json").read_text())
    address = json.loads((stack.home / "stack.json").read_text())["valkey"]
    opened: Any = redis.Redis
    client: Any = opened.from_url(f"redis://:{keys['valkey_password']}@{address}/0")
    names = client.keys("sponsorgraph:failures:*")
    found = [int(client.hget(name, "sponsor.get|not_found") or 0) for name in names]
    client.close()
    return sum(found)
