"""Ctrl-C or `kill -9` during the start of a stack or after it: no process left, and the next start works."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import psycopg
import pytest

_SECONDS = 150.0


def start(home: Path) -> subprocess.Popen[str]:
    environment = os.environ | {
        "SPONSORGRAPH_HOME": str(home),
        "SPONSORGRAPH_PORT": "0",
        "SPONSORGRAPH_SITE_PORT": "0",
    }
    return subprocess.Popen(
        [sys.executable, "-m", "cli", "up"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(file: Path) -> None:
    deadline = time.monotonic() + _SECONDS
    while not file.exists():
        assert time.monotonic() < deadline, f"{file} does not appear"
        time.sleep(0.01)


def processes_of(home: Path) -> list[psutil.Process]:
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            # The services are forks, of which the system knows the home by their logs alone.
            known = [*process.cmdline(), str(process.environ())]
            known += [file.path for file in process.open_files()]
            if any(str(home) in text for text in known):
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


@pytest.mark.parametrize("reached", ["secrets.json", "postgres.new", "logs/gateway.log"])
def test_an_interrupted_start_ends_at_once_and_leaves_nothing(tmp_path: Path, reached: str) -> None:
    home = tmp_path / "home"
    process = start(home)
    wait_for(home / reached)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert output == ""
    assert errors == "Interrupted during the start; all that was started ends now.\n"
    assert processes_of(home) == []


def test_the_start_after_an_interrupted_one_works_and_shows_how_to_log_in(tmp_path: Path) -> None:
    home = tmp_path / "home"
    interrupted = start(home)
    wait_for(home / "postgres.new")
    interrupted.send_signal(signal.SIGINT)
    interrupted.communicate(timeout=20)
    process = start(home)
    assert process.stdout is not None
    banner = ""
    for line in process.stdout:
        banner += line
        if "Ctrl-C stops" in line:
            break
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 0
    connection = json.loads((home / "connection.json").read_text())
    assert f"Log in    {connection['site_url']}/login\n" in banner
    assert f"with    password {connection['password']}\n" in banner
    assert f"API key   {connection['api_key']}\n" in banner
    assert processes_of(home) == []


def wait_for_banner(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert any("Ctrl-C stops" in line for line in process.stdout)


def wait_for_no_process(home: Path) -> None:
    deadline = time.monotonic() + _SECONDS
    while found := processes_of(home):
        assert time.monotonic() < deadline, found
        time.sleep(0.1)


@pytest.mark.parametrize("reached", ["postgres.new", "postgres/postmaster.pid", "valkey"])
def test_a_start_that_is_killed_leaves_no_process(tmp_path: Path, reached: str) -> None:
    home = tmp_path / "home"
    process = start(home)
    wait_for(home / reached)
    process.kill()
    process.communicate()
    wait_for_no_process(home)


def test_the_start_right_after_a_stack_was_killed_works_and_its_processes_end(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    killed = start(home)
    wait_for_banner(killed)
    password = json.loads((home / "secrets.json").read_text())["postgres_password"]
    port = json.loads((home / "state.json").read_text())["postgres_port"]
    with psycopg.connect(f"postgresql://postgres:{password}@127.0.0.1:{port}/postgres"):
        killed.kill()
        killed.communicate()
        process = start(home)
        wait_for_banner(process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 0
    wait_for_no_process(home)
