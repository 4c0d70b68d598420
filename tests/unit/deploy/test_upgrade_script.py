"""The order of an upgrade with compose, with a program in the place of docker."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

import pytest
import yaml

ROOT: Final = Path(__file__).parents[3]
# Containers are lines "SERVICE ID" of a file, stopped ones with " stopped" after it; the health of each is $HEALTH, and its networks are
# those of $NETWORKS (a new one's of $CONNECTED). $EVENT is run when a new container's health is looked at.
_DOCKER: Final = """#!/bin/sh
echo "$*" >> "$FOLDER/calls"
case "$*" in
  "compose ps -q "*"$UNKNOWN"*) echo "no such service: $UNKNOWN" >&2; exit 1 ;;
  "compose ps -aq "*) sed -n "s/^$4 \\([^ ]*\\).*/\\1/p" "$FOLDER/containers" ;;
  "compose ps -q "*) sed -n "s/^$4 \\([^ ]*\\)\\$/\\1/p" "$FOLDER/containers" ;;
  "compose up --no-start --no-deps --no-recreate "*) echo "$8 $8-new$(grep -c . "$FOLDER/calls")" >> "$FOLDER/containers"
    [ -z "$ENDS" ] || sed -i "s/.*-new.*/& stopped/" "$FOLDER/containers" ;;
  "inspect "*Networks*-new*) printf '%s\n' $CONNECTED ;;
  "inspect "*Networks*) printf '%s\n' $NETWORKS ;;
  "inspect "*) eval "$EVENT"; echo "$HEALTH" ;;
  "rm "*) for last; do :; done; sed -i "/ $last\\( stopped\\)*\\$/d" "$FOLDER/containers" ;;
esac
"""
SERVICES: Final = ("catalog", "auth", "imports-serve", "imports-work", "gateway")


def upgrade(
    folder: Path, *services: str, health: str = "healthy", **more: str
) -> tuple[int, list[str]]:
    """Run the script; return its status, and what it called docker with."""
    program = folder / "docker"
    program.write_text(_DOCKER)
    program.chmod(0o700)
    environment = {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "FOLDER": str(folder),
        "HEALTH": health,
        "UNKNOWN": "gatway",
        "ENDS": "",
        "EVENT": "",
        "NETWORKS": "",
        "CONNECTED": "",
        "SPONSORGRAPH_UPGRADE_SETTLE": "0",
        "SPONSORGRAPH_UPGRADE_LIMIT": "0",
        **more,
    }
    done = subprocess.run(
        # A shell cannot trap what its parent ignores, as programs in the background ignore SIGINT, and SIGHUP after nohup.
        [
            "/usr/bin/env",
            "--default-signal=INT,HUP",
            ROOT / "deploy" / "compose" / "upgrade",
            *services,
        ],
        env=environment,
        capture_output=True,
        check=False,
        timeout=60,
    )
    return done.returncode, (folder / "calls").read_text().splitlines()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [*(f"{name} {name}-1" for name in SERVICES), "gateway gateway-2"]
    (tmp_path / "containers").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_migrations_come_first_and_gateways_last(folder: Path) -> None:
    status, calls = upgrade(folder)
    assert status == 0
    migrations = [number for number, call in enumerate(calls) if "migrate-" in call]
    stops = [number for number, call in enumerate(calls) if call.startswith("stop ")]
    assert len(migrations) == 3
    assert max(migrations) < min(stops)
    assert [calls[number] for number in stops] == [
        "stop catalog-1",
        "stop auth-1",
        "stop imports-serve-1",
        "stop gateway-1",
        "stop gateway-2",
    ]
    left = (folder / "containers").read_text().splitlines()
    assert len(left) == 6
    assert [line for line in left if "-new" not in line] == ["imports-work imports-work-1"]


def test_imports_stop_for_the_migrations_and_start_at_their_turn(folder: Path) -> None:
    status, calls = upgrade(folder)
    assert status == 0
    started = calls.index("compose up -d --no-deps --wait --scale imports-work=1 imports-work")
    migrations = [number for number, call in enumerate(calls) if "migrate-" in call]
    assert calls.index("compose stop imports-work") < min(migrations) < max(migrations) < started
    assert calls.index("stop catalog-1") < started < calls.index("stop gateway-1")


def test_a_container_is_stopped_once_another_is_healthy_beside_it(folder: Path) -> None:
    _, calls = upgrade(folder, "gateway")
    kinds = [
        call.split()[0]
        for call in calls
        if call.startswith(("compose up", "start", "inspect", "stop")) and "Networks" not in call
    ]
    assert kinds == ["compose", "start", "inspect", "stop"] * 2
    assert [call.split()[6] for call in calls if call.startswith("compose up")] == ["gateway=3"] * 2
    assert not [call for call in calls if "migrate-" in call]


@pytest.mark.parametrize("connected", ["x_edge x_internal", "x_edge"])
def test_the_edge_finds_a_new_container_once_it_is_healthy(folder: Path, connected: str) -> None:
    """Whether the program connects it to all networks when it makes it, or to the first alone."""
    _, calls = upgrade(folder, "auth", NETWORKS="x_edge x_internal", CONNECTED=connected)
    steps = [call for call in calls if call.startswith(("network", "start", "inspect", "stop"))]
    steps = [call for call in steps if "Networks" not in call]
    (new,) = (call.split()[1] for call in steps if call.startswith("start"))
    missing = [f"network connect --alias auth x_internal {new}"] if connected == "x_edge" else []
    assert [step if step.startswith("network") else step.split()[0] for step in steps] == [
        f"network disconnect x_edge {new}",
        *missing,
        "start",
        "inspect",
        f"network connect --alias auth x_edge {new}",
        "stop",
    ]


def test_one_that_does_not_become_healthy_is_never_found_by_the_edge(folder: Path) -> None:
    _, calls = upgrade(folder, "gateway", health="starting", NETWORKS="x_edge", CONNECTED="x_edge")
    assert [call for call in calls if call.startswith("network disconnect x_edge")]
    assert not [call for call in calls if call.startswith("network connect")]


def test_one_that_does_not_become_healthy_is_taken_away_and_the_old_one_stays(folder: Path) -> None:
    status, calls = upgrade(folder, health="unhealthy")
    assert status == 1
    assert not [call for call in calls if call.startswith("stop ")]
    assert "catalog catalog-1" in (folder / "containers").read_text()
    assert "catalog-new" not in (folder / "containers").read_text()


def test_a_name_that_is_no_service_ends_it_before_anything_is_changed(folder: Path) -> None:
    before = (folder / "containers").read_text()
    status, calls = upgrade(folder, "gateway", "gatway")
    assert status == 1
    assert (folder / "containers").read_text() == before
    assert not [call for call in calls if call.startswith("compose up")]


def test_a_service_of_which_nothing_runs_is_no_success(folder: Path) -> None:
    containers = folder / "containers"
    containers.write_text(containers.read_text().replace("auth auth-1\n", "auth auth-1 stopped\n"))
    status, calls = upgrade(folder)
    assert status == 1
    assert [call for call in calls if call.startswith("stop gateway")]
    assert "auth auth-1 stopped" in containers.read_text()


def test_a_new_container_that_has_ended_already_is_taken_away(folder: Path) -> None:
    before = (folder / "containers").read_text()
    status, _ = upgrade(folder, "catalog", health="exited", ENDS="yes")
    assert status == 1
    assert (folder / "containers").read_text() == before


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP"])
def test_interrupted_it_leaves_as_many_containers_as_before(folder: Path, name: str) -> None:
    before = (folder / "containers").read_text()
    script = "$(ps -o ppid= -p $PPID)"  # `inspect` is run in a shell of the script's
    status, _ = upgrade(folder, "gateway", EVENT=f"kill -{name} {script}")
    assert status > 128
    assert (folder / "containers").read_text() == before


def test_every_service_of_ours_is_replaced() -> None:
    stack = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    ours = {
        name
        for name, service in stack.items()
        if "image" in service
        and "SPONSORGRAPH_REGISTRY" in service["image"]
        and "profiles" not in service
        and not name.startswith("migrate-")
    }
    assert ours == {*SERVICES, "backup"}


@pytest.mark.parametrize(("option", "status"), [("--help", 0), ("-h", 0), ("--all", 2)])
def test_options_show_how_the_upgrade_is_used(option: str, status: int) -> None:
    done = subprocess.run(
        [ROOT / "deploy" / "compose" / "upgrade", option],
        check=False,
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert done.returncode == status
    assert "deploy/compose/upgrade gateway" in done.stdout + done.stderr
