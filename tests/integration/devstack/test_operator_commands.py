"""`status`, `doctor`, `account list --top` and `imports` for programs and for people."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import grpc
import pytest
from typer.testing import CliRunner, Result

from cli.app import cli
from cli.commands import accounts
from devstack.home import Addresses, Connection, Home
from import_worker.domain.imports import ImportDone
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.grpc.errors import to_aio_status
from shapes.auth.auth import Account, Machine

TOKEN = "t" * 40
NOWHERE = "127.0.0.1:9"
ENDED = 2**22 + 1
CREATED = "2026-11-20T10:11:12Z"


def call(environment: dict[str, str], *command: str) -> Result:
    return CliRunner().invoke(cli, command, env={"COLUMNS": "200", **environment})


class Imports(pb_grpc.ImportsServicer):
    """An import worker with one import of the command and one of another account."""

    def __init__(self) -> None:
        self.cancelled: list[str] = []
        self.retried: list[tuple[str, str]] = []

    def _status(self, import_id: str, state: str) -> pb.ImportStatus:
        return pb.ImportStatus(
            import_id=import_id,
            channel_id="UCx",
            channel_title="A [red]lake\x1b[2J",
            state=state,
            videos_seen=1200,
            videos_total=3000,
            created_at=CREATED,
        )

    def ListImports(self, request: pb.ListImportsRequest, context: Any) -> pb.ImportPage:  # noqa: ARG002, N802
        found = [self._status(f"im_{request.account_id}", "failed")] * request.limit
        return pb.ImportPage(imports=found)

    def CancelImport(self, request: pb.ImportRequest, context: Any) -> pb.ImportStatus:  # noqa: ARG002, N802
        self.cancelled.append(request.import_id)
        return self._status(request.import_id, "cancelled")

    def RetryImport(self, request: pb.ImportRequest, context: Any) -> pb.ImportStatus:  # noqa: N802
        if request.import_id == "im_done":
            context.abort_with_status(to_aio_status(ImportDone(request.import_id)))
        self.retried.append((request.account_id, request.import_id))
        return self._status(request.import_id, "queued")


@contextmanager
def serving(servicer: pb_grpc.ImportsServicer) -> Generator[dict[str, str]]:
    """Serve inside the block; the environment names the server."""
    server = grpc.server(ThreadPoolExecutor(2))
    pb_grpc.add_ImportsServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield {
            "SPONSORGRAPH_IMPORTS_GRPC": f"127.0.0.1:{port}",
            "SPONSORGRAPH_GRPC_TOKEN": TOKEN,
        }
    finally:
        server.stop(0).wait()


@pytest.fixture
def worker() -> Generator[tuple[Imports, dict[str, str]]]:
    servicer = cast("Any", Imports)()
    with serving(servicer) as named:
        yield servicer, named


def stack(home: Path, **pids: int) -> dict[str, str]:
    """Return the environment of a stack's home whose supervisor is this process."""
    folder = Home(home)
    folder.open()
    folder.write_addresses(Addresses(*[NOWHERE] * 6, supervisor_pid=os.getpid()))
    folder.write_connection(Connection("http://x/mcp", "http://x", "key", "e", "p", pids))
    return {"SPONSORGRAPH_HOME": str(home)}


def test_status_for_programs_has_each_process(tmp_path: Path) -> None:
    result = call(stack(tmp_path, gateway=os.getpid()), "status", "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert [process["name"] for process in found["processes"]] == ["supervisor", "gateway"]
    assert all(process["memory_bytes"] > 1e6 for process in found["processes"])
    assert found["mcp_url"] == "http://x/mcp"


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_status_ends_with_1_when_a_process_does_not_run(
    options: Sequence[str], tmp_path: Path
) -> None:
    result = call(stack(tmp_path, gateway=os.getpid(), valkey=ENDED), "status", *options)
    assert result.exit_code == 1
    assert result.stdout.count("not running") == 1


def test_status_is_shown_again_until_it_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("cli.commands.status.time.sleep", pause)
    result = call(stack(tmp_path), "status", "--watch", "5", "--json")
    assert pauses == [5.0] * 3
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["processes"][0]["name"] for line in lines] == ["supervisor"] * 3


def test_doctor_for_programs_has_a_remedy_for_what_is_wrong_alone(tmp_path: Path) -> None:
    named = {
        "SPONSORGRAPH_HOME": str(tmp_path),
        "SPONSORGRAPH_GRPC_TOKEN": TOKEN,
        "SPONSORGRAPH_AUTH_GRPC": NOWHERE,
        "SPONSORGRAPH_BACKUP_FOLDER": str(tmp_path),
    }
    (tmp_path / "sponsorgraph-a.tar").touch()
    result = call(named, "doctor", "--json")
    assert result.exit_code == 1
    found = {finding["subject"]: finding for finding in json.loads(result.stdout)}
    assert not found["auth"]["fine"]
    assert found["auth"]["remedy"]
    assert found["newest backup"]["fine"]
    assert found["newest backup"]["remedy"] is None


def test_doctor_says_how_to_end_a_service_that_hangs(tmp_path: Path) -> None:
    result = call(stack(tmp_path, catalog_service=os.getpid(), gateway=ENDED), "doctor", "--json")
    assert result.exit_code == 1
    found = {finding["subject"]: finding for finding in json.loads(result.stdout)}
    assert f"`kill -9 {os.getpid()}`" in found["catalog_service"]["remedy"]
    assert "kill" not in found["gateway"]["remedy"]


class Hanging(pb_grpc.ImportsServicer):
    """An import worker whose import sends no change until the caller has left."""

    def StartImport(self, request: pb.StartImportRequest, context: Any) -> pb.ImportStatus:  # noqa: ARG002, N802
        assert request.idempotency_key
        return pb.ImportStatus(import_id="im_1", state="queued", created_at=CREATED)

    def WatchImport(self, request: pb.ImportRequest, context: Any) -> Iterator[pb.ImportStatus]:  # noqa: ARG002, N802
        left = threading.Event()
        context.add_callback(left.set)
        signal.pthread_kill(cast("int", threading.main_thread().ident), signal.SIGINT)
        assert left.wait(30)
        yield pb.ImportStatus(import_id="im_1", state="running", created_at=CREATED)


@pytest.fixture
def interruptible() -> Generator[None]:
    """Let SIGINT interrupt the test, whatever an earlier one left behind."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_import_that_is_left_by_ctrl_c_goes_on_and_says_where_it_is_listed() -> None:
    with serving(cast("Any", Hanging)()) as named:
        result = call(named, "import", "@somebody")
    assert result.exit_code == 130
    assert "goes on" in result.output
    assert "sponsorgraph imports list" in result.output


def test_the_accounts_with_most_requests_come_first_and_others_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used = {"a": 5, "b": 70, "c": 31}

    class Operations:
        def accounts(self) -> Sequence[Account]:
            return [
                Account(name, name, "free", False, CREATED, n, 100, None, is_operator=False)
                for name, n in used.items()
            ]

    monkeypatch.setattr(accounts, "operations", Operations)
    result = call({}, "account", "list", "--top", "2", "--json")
    assert [account["email"] for account in json.loads(result.stdout)] == ["b", "c"]


def test_machines_are_listed_and_removed_by_their_id(monkeypatch: pytest.MonkeyPatch) -> None:
    machines = [
        Machine("machine_1", "acc_1", "Nightly", CREATED, None),
        Machine("machine_2", "acc_1", "Hourly", CREATED, CREATED),
    ]

    class Operations:
        def __init__(self, reason: str = "") -> None:
            self.reason = reason

        def machines(self, email: str) -> Sequence[Machine]:
            assert email == "a@example.com"
            return machines

        def remove_machine(self, client_id: str) -> Machine:
            assert self.reason == "leaked"
            (found,) = [item for item in machines if item.client_id == client_id]
            machines.remove(found)
            return found

    monkeypatch.setattr(accounts, "operations", Operations)
    shown = call({}, "issuer", "machines", "a@example.com").stdout
    removed = call({}, "issuer", "remove-machine", "machine_1", "--reason", "leaked").stdout
    left = call({}, "issuer", "machines", "a@example.com", "--json").stdout

    assert "machine_1" in shown
    assert "never" in shown
    assert "machine_1 (Nightly) has no access any more." in removed
    assert [item["client_id"] for item in json.loads(left)] == ["machine_2"]


def test_imports_are_listed_for_people_and_programs(
    worker: tuple[Imports, dict[str, str]], tmp_path: Path
) -> None:
    _, named = worker
    named["SPONSORGRAPH_HOME"] = str(tmp_path)
    table = call(named, "imports", "list", "--limit", "1").stdout
    assert "im_operator" in table
    assert "A [red]lake [2J" in table
    assert "1,200 of 3,000" in table
    assert "2026-11-20 10:11" in table
    result = call(named, "imports", "list", "--limit", "3", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [item["import_id"] for item in found] == ["im_operator"] * 3
    assert found[0]["state"] == "failed"


def test_an_accounts_import_is_cancelled_by_its_id(
    worker: tuple[Imports, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    servicer, named = worker
    named["SPONSORGRAPH_HOME"] = str(tmp_path)
    result = call(named, "imports", "cancel", "im_7", "--json")
    assert result.exit_code == 0, result.output
    assert servicer.cancelled == ["im_7"]
    assert json.loads(result.stdout)[0]["state"] == "cancelled"

    class Operations:
        def account(self, email: str) -> Account:
            return Account("acc_1", email, "free", False, CREATED, 0, 100, None, is_operator=False)

    monkeypatch.setattr("cli.commands.imports.operations", Operations)
    listed = call(named, "imports", "list", "--email", "a@example.com", "--limit", "1", "--json")
    assert json.loads(listed.stdout)[0]["import_id"] == "im_acc_1"


def test_an_import_is_retried_for_its_account_by_its_id(
    worker: tuple[Imports, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Operations:
        def account(self, email: str) -> Account:
            return Account(
                f"acc_{email}", email, "free", False, CREATED, 0, 100, None, is_operator=False
            )

    monkeypatch.setattr("cli.commands.imports.operations", Operations)
    servicer, named = worker
    named["SPONSORGRAPH_HOME"] = str(tmp_path)
    for options in ((), ("--email", "a")):
        result = call(named, "imports", "retry", "im_7", *options, "--json")
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)[0]["state"] == "queued"
    assert servicer.retried == [("operator", "im_7"), ("acc_a", "im_7")]


def test_what_cannot_be_retried_is_said_and_ends_the_command_with_1(
    worker: tuple[Imports, dict[str, str]], tmp_path: Path
) -> None:
    _, named = worker
    named["SPONSORGRAPH_HOME"] = str(tmp_path)
    result = call(named, "imports", "retry", "im_done")
    assert result.exit_code == 1
    assert "The import 'im_done' is done" in result.output
