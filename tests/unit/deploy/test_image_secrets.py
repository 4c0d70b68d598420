"""Secrets that somebody plants in an image are found, wherever they are; what is none is not."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scripts import image_secrets
from scripts.image_secrets import Found

# Put together here, so that no scanner of this repository takes them for real ones.
KEY = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ\n"
PLANTED = {
    "app/config.txt": "key = mcp_" + "a1B2c3" * 6,
    "app/token": "rt_" + "x" * 43,
    "app/cloud.ini": "AKIA" + "ABCDEFGH12345678",
    "app/host.txt": "ghp_" + "a" * 36,
    "app/google.txt": "AIza" + "b" * 35,
    "app/index.txt": "pypi-" + "AgEIcHlwaS5vcmc" + "c" * 60,
    "app/url.py": "postgresql://user:" + "correcthorse@db/x",
    "app/bearer": "eyJ" + "a" * 30 + ".eyJ" + "b" * 30 + "." + "c" * 60,
    "etc/tls/server.key": KEY,
    "app/.env": "",
    "app/.git/config": "",
    "root/.ssh/known_hosts": "",
    "root/.netrc": "",
    "run/secrets/token": "",
}
HARMLESS = {
    "app/main.py": "api_key: str  # begins with mcp_ and goes on",
    "app/environment.py": "os.environ",
    "app/gitignore": ".git",
    "app/url.py": "postgresql://user:password@localhost/x redis://me:short@host postgresql://{user}:{password}@host/x",
    "app/pem.py": "-----BEGIN PRIVATE KEY----- is how it begins",
    "app/names.txt": "start_" + "x" * 43,
    "usr/share/doc/environment": "",
}


def tar(files: Mapping[str, str | bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


def saved(path: Path, layers: list[bytes], **config: Any) -> Path:
    """An archive as `docker save` writes it."""
    names = [f"{number}/layer.tar" for number in range(len(layers))]
    manifest = [{"Config": "c.json", "RepoTags": ["it:1"], "Layers": names}]
    files: dict[str, str | bytes] = {
        "manifest.json": json.dumps(manifest),
        "c.json": json.dumps(config),
        **dict(zip(names, layers, strict=True)),
    }
    path.write_bytes(tar(files))
    return path


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_secret_is_found_and_not_printed(name: str, tmp_path: Path) -> None:
    archive = saved(tmp_path / "a.tar", [tar({**HARMLESS, name: PLANTED[name]})])
    (found,) = image_secrets.in_archive(archive)
    assert found.where == f"it:1/{name}"
    assert not PLANTED[name] or PLANTED[name] not in str(found)


def test_a_secret_that_a_later_layer_deletes_is_found(tmp_path: Path) -> None:
    layers = [tar({"app/k": PLANTED["app/token"]}), tar({"app/.wh.k": ""})]
    assert [found.where for found in image_secrets.in_archive(saved(tmp_path / "a", layers))] == [
        "it:1/app/k"
    ]


@pytest.mark.parametrize(
    ("config", "location"),
    [
        ({"config": {"Env": ["DB_PASSWORD=correct"]}}, "environment"),
        ({"config": {"Env": ["X=" + PLANTED["app/token"]]}}, "environment"),
        ({"config": {"Labels": {"api_key": "abcdefgh"}}}, "labels"),
        ({"config": {"Cmd": ["--token=abcdefgh"]}}, "command"),
        ({"history": [{"created_by": "RUN |1 PIP_TOKEN=abcdefgh pip install x"}]}, "history"),
    ],
)
def test_a_secret_in_settings_or_history_is_found(
    config: dict[str, Any], location: str, tmp_path: Path
) -> None:
    found = set(image_secrets.in_archive(saved(tmp_path / "a", [tar(HARMLESS)], **config)))
    assert {item.where for item in found} == {f"it:1/{location}"}


def test_other_texts_are_not_taken_for_secrets(tmp_path: Path) -> None:
    config = {
        "config": {"Env": ["PATH=/usr/bin", "AUTH_OPERATOR_TOKEN_FILE=/run/secrets/token"]},
        "history": [{"created_by": "RUN pip install --require-hashes"}, {"comment": "x"}],
    }
    assert list(image_secrets.in_archive(saved(tmp_path / "a", [tar(HARMLESS)], **config))) == []


def test_a_find_is_reported_with_its_location() -> None:
    assert str(Found("it:1/a", "a private key")) == "it:1/a: a private key"
