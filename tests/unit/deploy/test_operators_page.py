"""The commands of docs/operations.md for Kubernetes, run by a shell with a kubectl that writes them down."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.unit.deploy.test_kubernetes import NAME, PROCESSES, build

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = (ROOT / "docs" / "operations.md").read_text()
BLOCKS: Final = [
    re.sub(r"^ {3}", "", block, flags=re.MULTILINE) if indent else block
    for indent, block in re.findall(r"^( *)```sh\n(.*?)^ *```", PAGE, re.DOTALL | re.MULTILINE)
]
_STUB: Final = '#!/bin/sh\necho "kubectl $*" >> "$LOG"\ncat > /dev/null < /dev/null\n'


def block_with(text: str) -> str:
    (found,) = [block for block in BLOCKS if text in block]
    return found


def commands_of(block: str, folder: Path) -> list[str]:
    """Run a block in the folder; return the commands that kubectl was given, in their order."""
    programs, log = folder / "programs", folder / "log"
    programs.mkdir()
    stub = programs / "kubectl"
    stub.write_text(_STUB)
    stub.chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", "-euc", block],
        cwd=folder,
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "LOG": str(log)},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    return log.read_text().splitlines()


def test_no_command_restarts_all_deployments_at_once() -> None:
    assert "rollout restart deployment\n" not in PAGE
    assert "rollout restart deployment`" not in PAGE


def test_a_changed_secret_restarts_one_deployment_after_another(tmp_path: Path) -> None:
    commands = commands_of(block_with("rollout restart"), tmp_path)
    rollouts = [command.split()[4:6] for command in commands if " rollout " in command]
    names = [target.partition("/")[2] for _, target in rollouts[::2]]
    assert set(names) == set(PROCESSES)
    assert names[-1] == "gateway"
    assert rollouts == [
        [word, f"deployment/{name}"] for name in names for word in ("restart", "status")
    ]


def test_an_upgrade_rolls_one_deployment_after_another_after_the_migrations(tmp_path: Path) -> None:
    commands = commands_of(
        block_with("condition=complete job -l app.kubernetes.io/name=migrate"), tmp_path
    )
    waited = next(i for i, command in enumerate(commands) if " wait " in command)
    rolled = commands[waited + 1 : -1]
    names = [command.rpartition("=")[2] for command in rolled[::2]]
    assert set(names) == set(PROCESSES)
    assert names[-1] == "gateway"
    assert all("rollout status" in command for command in rolled[1::2])
    assert commands[-1] == "kubectl apply -k ."


def test_what_the_upgrade_selects_is_all_that_a_deployment_needs() -> None:
    built = build("production")
    for name in PROCESSES:
        deployment = built.of("Deployment")[name]
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        (settings,) = [
            source["configMapRef"]["name"]
            for source in container["envFrom"]
            if "configMapRef" in source
        ]
        for item in (deployment, built.of("ConfigMap")[settings]):
            assert item["metadata"]["labels"][NAME] == name


@pytest.mark.parametrize("block", [block for block in BLOCKS if "create secret" in block])
def test_every_secret_can_be_made_twice(block: str) -> None:
    for line in block.splitlines():
        if "create secret" in line:
            assert line.endswith("--dry-run=client -o yaml | kubectl apply -f -"), line


def test_a_secret_of_the_page_has_what_its_file_has(tmp_path: Path) -> None:
    if not shutil.which("kubectl"):
        pytest.skip("kubectl is not on PATH")
    (line, *_) = re.findall(r"kubectl .*--from-env-file.*?(?= \| kubectl apply)", PAGE)
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "auth.env").write_text("AUTH_GRPC_TOKEN=changed\n")
    done = subprocess.run(
        ["/bin/sh", "-euc", line.replace("$name", "auth")],
        cwd=tmp_path,
        env={**os.environ, "KUBECONFIG": "/dev/null"},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    assert "AUTH_GRPC_TOKEN: Y2hhbmdlZA==" in done.stdout


def test_a_restore_by_hand_waits_for_its_pod(tmp_path: Path) -> None:
    block = block_with("exec job/restore").replace("…", "x")
    commands = commands_of(block, tmp_path)
    words = [command.split()[3] for command in commands]
    assert words == ["wait", "get", "cp", "exec"]
