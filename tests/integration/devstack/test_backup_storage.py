"""Copies of backups in a storage with S3's protocol: Moto's server, and ones that misbehave."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import boto3
import pytest
from moto.server import ThreadedMotoServer
from typer.testing import CliRunner
from werkzeug.serving import make_server

from cli.app import cli
from cli.backups import BackupError
from cli.backups import storage as storage_module
from cli.backups.encryption import NO_KEYS, generate_identity, read_keys
from cli.backups.settings import BackupStorageSettings
from cli.backups.sources import backup_file
from cli.backups.storage import BackupStorage
from devstack.ports import free_port

BUCKET: Final = "backups-of-tests"
ACCESS_KEY: Final = "AKIAOFTESTS"
SECRET_KEY: Final = "secret-key-of-tests"
NAME: Final = "sponsorgraph-20261121T021705Z.tar"
PART: Final = 5 << 20
_S3: Any = boto3


@dataclass
class Server:
    """A storage, as another client sees it."""

    url: str
    prefix: str

    @property
    def client(self) -> Any:
        return _S3.client(
            "s3",
            endpoint_url=self.url,
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
            region_name="us-east-1",
        )

    def settings(self, **others: Any) -> BackupStorageSettings:
        values: dict[str, Any] = {
            "bucket": BUCKET,
            "prefix": self.prefix,
            "endpoint": self.url,
            "access_key_id": ACCESS_KEY,
            "secret_access_key": SECRET_KEY,
            "retry_seconds": 1,
        }
        return BackupStorageSettings.model_validate({**values, **others})

    def storage(self, **others: Any) -> BackupStorage:
        return BackupStorage(self.settings(**others))

    def objects(self) -> dict[str, bytes]:
        found = self.client.list_objects_v2(Bucket=BUCKET, Prefix=f"{self.prefix}/")
        return {
            entry["Key"].removeprefix(f"{self.prefix}/"): self.client.get_object(
                Bucket=BUCKET, Key=entry["Key"]
            )["Body"].read()
            for entry in found.get("Contents", ())
        }

    def put(self, name: str, content: bytes) -> None:
        self.client.put_object(Bucket=BUCKET, Key=f"{self.prefix}/{name}", Body=content)

    def environment(self) -> dict[str, str]:
        return {
            "BACKUP_S3_BUCKET": BUCKET,
            "BACKUP_S3_PREFIX": self.prefix,
            "BACKUP_S3_ENDPOINT": self.url,
            "BACKUP_S3_ACCESS_KEY_ID": ACCESS_KEY,
            "BACKUP_S3_SECRET_ACCESS_KEY": SECRET_KEY,
            "BACKUP_S3_RETRY_SECONDS": "1",
        }


@pytest.fixture(scope="module")
def moto() -> Generator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        url = f"http://{host}:{port}"
        Server(url, "").client.create_bucket(Bucket=BUCKET)
        yield url
    finally:
        server.stop()


@pytest.fixture
def server(moto: str, request: pytest.FixtureRequest) -> Server:
    return Server(moto, hashlib.sha256(request.node.name.encode()).hexdigest()[:12])


@dataclass
class Proxy:
    """Moto's server behind one that answers chosen requests itself."""

    refuses: Callable[[dict[str, Any], int], tuple[str, bytes] | None]
    seen: list[str] = field(default_factory=list[str])

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
        from moto.moto_server.werkzeug_app import (  # noqa: PLC0415
            DomainDispatcherApplication,
            create_backend_app,
        )

        request = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}?{environ['QUERY_STRING']}"
        self.seen.append(request)
        refusal = self.refuses(environ, len(self.seen))
        if refusal is not None:
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            status, body = refusal
            start_response(status, [("Content-Type", "application/xml"), ("ETag", '"of-it"')])
            return [body]
        return DomainDispatcherApplication(create_backend_app)(environ, start_response)


@contextmanager
def behind(proxy: Proxy, server: Server) -> Generator[Server]:
    running = make_server("127.0.0.1", free_port(), proxy, threaded=True)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    try:
        yield Server(f"http://127.0.0.1:{running.server_port}", server.prefix)
    finally:
        running.shutdown()
        thread.join()
        running.server_close()


@pytest.fixture
def backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of several parts."""
    monkeypatch.setattr(storage_module, "_PART_BYTES", PART)
    file = tmp_path / NAME
    file.write_bytes(bytes(range(256)) * (2 * PART // 256) + b"the rest")
    return file


def nothing(_environ: dict[str, Any], _count: int) -> tuple[str, bytes] | None:
    return None


def test_a_copy_has_the_file_and_last_of_all_its_description(server: Server, backup: Path) -> None:
    proxy = Proxy(nothing)
    with behind(proxy, server) as watched:
        assert watched.storage().upload(backup)
    objects = server.objects()
    assert set(objects) == {NAME, f"{NAME}.manifest.json"}
    assert objects[NAME] == backup.read_bytes()
    assert json.loads(objects[f"{NAME}.manifest.json"])["file"] == {
        "bytes": len(objects[NAME]),
        "sha256": hashlib.sha256(objects[NAME]).hexdigest(),
    }
    writes = [request for request in proxy.seen if not request.startswith(("GET", "HEAD"))]
    assert len([request for request in writes if "partNumber=" in request]) == 3
    assert writes[-1].startswith(f"PUT /{BUCKET}/{server.prefix}/{NAME}.manifest.json")


def test_a_copy_comes_back_as_it_was(server: Server, backup: Path, tmp_path: Path) -> None:
    storage = server.storage()
    storage.upload(backup)
    (copy,) = storage.backups()
    assert (copy.name, copy.size) == (NAME, backup.stat().st_size)
    folder = tmp_path / "downloads"
    folder.mkdir()
    assert storage.download(NAME, folder).read_bytes() == backup.read_bytes()


def test_a_copy_is_made_once_and_never_replaced_by_another(server: Server, backup: Path) -> None:
    storage = server.storage()
    assert storage.upload(backup)
    assert not storage.upload(backup)
    before = server.objects()
    backup.write_bytes(b"another")
    with pytest.raises(BackupError, match="Another backup is at"):
        storage.upload(backup)
    assert server.objects() == before


def test_what_has_no_description_is_no_copy(server: Server, tmp_path: Path) -> None:
    server.put(NAME, b"cut off")
    server.put("notes.txt", b"of somebody else")
    assert server.storage().backups() == []
    with pytest.raises(BackupError, match="There is no backup"):
        server.storage().download(NAME, tmp_path)


@pytest.mark.parametrize(
    ("content", "message"), [(b"short", "cut off"), (None, "checksum is another")]
)
def test_a_copy_that_was_changed_in_the_storage_is_refused(
    server: Server, backup: Path, tmp_path: Path, content: bytes | None, message: str
) -> None:
    server.storage().upload(backup)
    server.put(NAME, content or b"x" * backup.stat().st_size)
    folder = tmp_path / "downloads"
    folder.mkdir()
    with pytest.raises(BackupError, match=message):
        server.storage().download(NAME, folder)


def failing_from_the_second_part(environ: dict[str, Any], _count: int) -> tuple[str, bytes] | None:
    is_later = (
        "partNumber=" in environ["QUERY_STRING"] and "partNumber=1" not in environ["QUERY_STRING"]
    )
    return ("500 Internal Server Error", b"") if is_later else None


def failing_at_the_end(environ: dict[str, Any], _count: int) -> tuple[str, bytes] | None:
    is_end = environ["REQUEST_METHOD"] == "POST" and "uploadId=" in environ["QUERY_STRING"]
    return ("500 Internal Server Error", b"") if is_end else None


def failing_at_the_description(environ: dict[str, Any], _count: int) -> tuple[str, bytes] | None:
    is_description = environ["PATH_INFO"].endswith(".manifest.json")
    is_write = environ["REQUEST_METHOD"] == "PUT"
    return ("503 Service Unavailable", b"") if is_description and is_write else None


@pytest.mark.parametrize(
    "refuses",
    [failing_from_the_second_part, failing_at_the_end, failing_at_the_description],
)
def test_an_upload_that_fails_in_the_middle_leaves_no_copy(
    server: Server, backup: Path, refuses: Callable[[dict[str, Any], int], tuple[str, bytes] | None]
) -> None:
    with (
        behind(Proxy(refuses), server) as ill,
        pytest.raises(BackupError, match=rf"could not upload {NAME}: .*50[03]"),
    ):
        ill.storage().upload(backup)
    assert server.storage().backups() == []
    pending = server.client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", ())
    assert [upload for upload in pending if upload["Key"].startswith(server.prefix)] == []
    assert server.storage().upload(backup), "the next attempt is not in its way"
    assert server.objects()[NAME] == backup.read_bytes()


def test_failures_that_pass_are_waited_out(server: Server, backup: Path, tmp_path: Path) -> None:
    def every_third(_environ: dict[str, Any], count: int) -> tuple[str, bytes] | None:
        return ("503 Slow Down", b"") if count % 3 == 0 else None

    proxy = Proxy(every_third)
    folder = tmp_path / "downloads"
    folder.mkdir()
    with behind(proxy, server) as ill:
        storage = ill.storage(retry_seconds=20)
        storage.upload(backup)
        assert storage.download(NAME, folder).read_bytes() == backup.read_bytes()


def test_a_storage_that_takes_less_than_it_was_given_has_no_copy(
    server: Server, backup: Path
) -> None:
    backup.write_bytes(b"of one part")

    def shortens(environ: dict[str, Any], _count: int) -> tuple[str, bytes] | None:
        if environ["REQUEST_METHOD"] == "PUT" and environ["PATH_INFO"].endswith(NAME):
            server.put(NAME, b"of one")
            return ("200 OK", b"")
        return None

    with behind(Proxy(shortens), server) as ill, pytest.raises(BackupError, match="has 6 bytes of"):
        ill.storage().upload(backup)
    assert server.objects() == {}


def test_old_copies_and_what_cut_uploads_left_are_deleted_and_nothing_else(
    server: Server, tmp_path: Path
) -> None:
    storage = server.storage(days=30, keep=2)
    names = [f"sponsorgraph-2026112{day}T021705Z.tar.age" for day in range(4)]
    for name in names:
        (tmp_path / name).write_bytes(name.encode())
        storage.upload(tmp_path / name)
    server.put(NAME, b"cut off")
    server.put("notes.txt", b"of somebody else")
    now = datetime.now(UTC)
    assert storage.discard_old(now) == []
    assert storage.discard_old(now + timedelta(days=29)) == []
    assert set(server.objects()) == {
        *names, *(f"{name}.manifest.json" for name in names), "notes.txt",
    }  # fmt: skip
    assert storage.discard_old(now + timedelta(days=31)) == names[:2]
    assert [copy.name for copy in storage.backups()] == names[2:]
    assert len(server.objects()) == 5


def test_a_bucket_that_is_not_there_is_reported_in_one_line(server: Server) -> None:
    with pytest.raises(BackupError) as caught:
        server.storage(bucket="of-nobody").backups()
    assert "\n" not in str(caught.value)
    assert "NoSuchBucket" in str(caught.value)


def test_a_storage_that_does_not_respond_is_reported_within_its_time(server: Server) -> None:
    gone = Server(f"http://127.0.0.1:{free_port()}", server.prefix)
    with pytest.raises(BackupError, match="could not list the copies"):
        gone.storage().backups()


def test_what_a_storage_says_of_the_credentials_is_in_no_message(server: Server) -> None:
    echo = (
        f"<Error><Code>SignatureDoesNotMatch</Code><AWSAccessKeyId>{ACCESS_KEY}</AWSAccessKeyId>"
        f"<StringToSign>{SECRET_KEY}</StringToSign></Error>"
    ).encode()

    def refuses(_environ: dict[str, Any], _count: int) -> tuple[str, bytes] | None:
        return "403 Forbidden", echo

    with (
        behind(Proxy(refuses), server) as ill,
        pytest.raises(BackupError) as caught,
    ):
        ill.storage().backups()
    assert "SignatureDoesNotMatch" in str(caught.value)
    assert SECRET_KEY not in str(caught.value)
    assert ACCESS_KEY not in str(caught.value)
    assert SECRET_KEY not in repr(ill.storage()) + repr(ill.settings())


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["SIGTERM", "SIGINT"]
)
@pytest.mark.parametrize("command", ["list", "upload"])
def test_a_signal_ends_a_command_that_waits_for_the_storage(
    server: Server, tmp_path: Path, command: str, number: int, status: int
) -> None:
    (tmp_path / NAME).write_bytes(b"of the folder")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        environment = {
            **os.environ,
            **Server(address, server.prefix).environment(),
            "BACKUP_S3_RETRY_SECONDS": "200",
            "BACKUP_S3_UNENCRYPTED": "true",
            "SPONSORGRAPH_BACKUP_FOLDER": str(tmp_path),
        }
        started = [sys.executable, "-m", "cli", "backup", command]
        with subprocess.Popen(
            started, env=environment, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                connection, _ = listener.accept()
                with connection:
                    process.send_signal(number)
                    assert process.wait(20) == status
            finally:
                process.kill()
            assert process.stderr is not None
            assert "Traceback" not in process.stderr.read()


def test_while_the_storage_is_away_the_folder_is_listed(server: Server, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"of the folder")
    environment = {
        **Server(f"http://127.0.0.1:{free_port()}", server.prefix).environment(),
        "BACKUP_S3_RETRY_SECONDS": "200",
        "SPONSORGRAPH_BACKUP_FOLDER": str(tmp_path),
        "COLUMNS": "200",
    }
    begun = time.monotonic()
    listed = CliRunner().invoke(cli, ["backup", "list", "--json"], env=environment)
    assert time.monotonic() - begun < 60
    assert listed.exit_code == 1
    (row,) = json.loads(listed.stdout)
    assert (row["name"], row["in_folder"], row["in_storage"]) == (NAME, True, None)
    assert "The storage is left out" in listed.stderr
    assert "could not list the copies" in listed.stderr
    table = CliRunner().invoke(cli, ["backup", "list"], env=environment)
    assert NAME in table.stdout


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"SECRET_ACCESS_KEY": ""}, ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY")),
        ({"ACCESS_KEY_ID": ""}, ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY")),
        ({"ENDPOINT": "ftp://x"}, ("ENDPOINT",)),
        ({"ENDPOINT": "127.0.0.1:9000"}, ("ENDPOINT",)),
        ({"CA_FILE": "/nowhere/ca.crt"}, ("CA_FILE",)),
    ],
    ids=["no secret", "no key", "scheme", "no scheme", "no certificate"],
)
def test_a_wrong_setting_of_the_storage_is_named_at_once(
    server: Server, changes: dict[str, str], named: tuple[str, ...]
) -> None:
    environment = {
        **server.environment(),
        **{f"BACKUP_S3_{name}": value for name, value in changes.items()},
    }
    refused = CliRunner().invoke(cli, ["backup", "list"], env=environment)
    assert refused.exit_code == 1
    assert len(refused.stderr.splitlines()) == 1
    assert all(f"BACKUP_S3_{name}" in refused.stderr for name in named)
    assert SECRET_KEY not in refused.output


def silent(_text: str) -> None:
    """Nobody listens."""


def test_latest_is_the_newest_of_folder_and_storage(server: Server, tmp_path: Path) -> None:
    older, newer = "sponsorgraph-20261120T021705Z.tar", "sponsorgraph-20261122T021705Z.tar"
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    for path in (folder, elsewhere):
        path.mkdir()
    storage = server.storage()
    (elsewhere / newer).write_bytes(b"newer")
    storage.upload(elsewhere / newer)
    (folder / older).write_bytes(b"older")
    with backup_file(folder, storage, Path("latest"), NO_KEYS, silent) as file:
        assert file.read_bytes() == b"newer"
    assert not file.exists(), "what was fetched is still there"
    with backup_file(folder, storage, Path(older), NO_KEYS, silent) as file:
        assert file == folder / older
    with backup_file(folder, storage, Path(newer), NO_KEYS, silent) as file:
        assert file.read_bytes() == b"newer"
    (folder / newer).write_bytes(b"newer")
    with backup_file(folder, storage, Path("latest"), NO_KEYS, silent) as file:
        assert file == folder / newer


def test_a_plain_copy_is_not_restored_where_backups_are_encrypted(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / NAME).write_bytes(b"of an intruder")
    server.storage().upload(tmp_path / NAME)
    monkeypatch.setenv("BACKUP_IDENTITIES", generate_identity()[0])
    folder = tmp_path / "folder"
    folder.mkdir()
    with (
        pytest.raises(BackupError, match="may not be yours"),
        backup_file(folder, server.storage(), Path("latest"), read_keys(), silent),
    ):
        pass
    with backup_file(
        folder, server.storage(unencrypted=True), Path("latest"), read_keys(), silent
    ) as file:
        assert file.read_bytes() == b"of an intruder"


def test_the_commands_list_upload_and_name_no_credentials(server: Server, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"of the folder")
    environment = {
        **server.environment(),
        "SPONSORGRAPH_BACKUP_FOLDER": str(tmp_path),
        "COLUMNS": "200",
    }
    refused = CliRunner().invoke(cli, ["backup", "upload"], env=environment)
    assert refused.exit_code == 1
    assert "BACKUP_S3_UNENCRYPTED" in refused.output
    assert server.objects() == {}
    environment["BACKUP_S3_UNENCRYPTED"] = "true"
    uploaded = CliRunner().invoke(cli, ["backup", "upload"], env=environment)
    assert uploaded.exit_code == 0, uploaded.output
    again = CliRunner().invoke(cli, ["backup", "upload"], env=environment)
    assert "already" in again.output
    listed = CliRunner().invoke(cli, ["backup", "list", "--json"], env=environment)
    (row,) = json.loads(listed.stdout)
    assert (row["name"], row["bytes"], row["in_folder"], row["in_storage"]) == (
        NAME,
        13,
        True,
        True,
    )
    table = CliRunner().invoke(cli, ["backup", "list"], env=environment)
    assert NAME in table.output
    for result in (refused, uploaded, again, listed, table):
        assert SECRET_KEY not in result.output
        assert ACCESS_KEY not in result.output
