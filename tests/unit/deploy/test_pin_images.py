"""Images of others are pinned by digest, all of them or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import pin_images

DIGEST = "sha256:" + "ab" * 32


@pytest.fixture
def docker(tmp_path: Path) -> Path:
    """A program that knows one digest."""
    return program(tmp_path, f"echo {DIGEST}")


def program(folder: Path, does: str) -> Path:
    file = folder / "docker"
    file.write_text(f"#!/bin/sh\n{does}\n")
    file.chmod(0o755)
    return file


def test_every_image_of_others_gets_its_digest(docker: Path) -> None:
    made = pin_images.overriding(str(docker))["services"]
    services = pin_images.services()
    assert made.keys() == services.keys()
    assert pin_images.bases() == ["python:3.13-slim"]
    for name, service in services.items():
        if "build" in service:
            contexts = made[name]["build"]["additional_contexts"]
            assert contexts == {"python:3.13-slim": f"docker-image://python:3.13-slim@{DIGEST}"}
        else:
            assert made[name]["image"] == f"{service['image']}@{DIGEST}"


@pytest.mark.parametrize("does", ["echo no such image >&2; exit 1", "echo sha256:short", "true"])
def test_without_a_digest_nothing_is_pinned(tmp_path: Path, does: str) -> None:
    with pytest.raises(RuntimeError, match="No digest of"):
        pin_images.overriding(str(program(tmp_path, does)))
    with pytest.raises(RuntimeError, match="missing"):
        pin_images.overriding(str(tmp_path / "none"))
