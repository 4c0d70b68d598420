"""Looks for secrets in images: in the files of every layer, in the environment and in the history.

A file that a later layer deletes is still in the image, so each layer is read by itself.

    python -m scripts.image_secrets sponsorgraph/gateway:0.1.0 …
"""

import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

_LARGEST: Final = 8 * 2**20
"""Files with more bytes are programs and libraries, of which only the name is looked at."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A kind of secret in the content of a file.

    Attributes:
        literals: Bytes of which each match begins with one. The pattern is tried where they stand alone: a search
            with it from byte to byte takes minutes for an image.
    """

    kind: str
    literals: tuple[bytes, ...]
    pattern: re.Pattern[bytes]

    def is_in(self, content: bytes) -> bool:
        return any(self.pattern.match(content, start) for start in self._starts(content))

    def _starts(self, content: bytes) -> Iterator[int]:
        for literal in self.literals:
            start = content.find(literal)
            while start >= 0:
                yield start
                start = content.find(literal, start + 1)


_CONTENT: Final = (
    Pattern(
        "a private key",
        (b"-----BEGIN ",),
        re.compile(
            rb"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----\s+(?:[\w-]+: .*\s+)*[A-Za-z0-9+/=]{40}"
        ),
    ),
    Pattern(
        "an API key of ours", (b"mcp_",), re.compile(rb"(?<![\w-])mcp_[0-9A-Za-z]{36}(?![\w-])")
    ),
    Pattern("a refresh token of ours", (b"rt_",), re.compile(rb"(?<![\w-])rt_[\w-]{43}(?![\w-])")),
    Pattern(
        "a signed token",
        (b"eyJ",),
        re.compile(rb"eyJ[\w-]{20,}\.eyJ[\w-]{20,}\.[\w-]{40,}"),
    ),
    Pattern(
        "a key of a cloud",
        (b"AKIA", b"ASIA"),
        re.compile(rb"(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])"),
    ),
    Pattern(
        "a token of a code host",
        (b"ghp_", b"gho_", b"ghu_", b"ghr_", b"ghs_", b"glpat-"),
        re.compile(rb"(?<!\w)(?:gh[pousr]_\w{36}|glpat-[\w-]{20})(?!\w)"),
    ),
    Pattern("a key of Google's APIs", (b"AIza",), re.compile(rb"(?<![\w-])AIza[\w-]{35}(?![\w-])")),
    Pattern(
        "a token of a package index",
        (b"pypi-AgEI",),
        re.compile(rb"pypi-AgEIcHlwaS5vcmc[\w-]{50,}"),
    ),
    Pattern(
        "a password in an address",
        (b"postgres", b"redis", b"amqp"),
        re.compile(
            rb"(?:postgres(?:ql)?|rediss?|amqps?)://[\w.-]+:(?!\*|\{|<|\$|password@)[^\s@/'\"]{8,}@(?!host)"
        ),
    ),
)
_NAMES: Final = re.compile(
    r"(?:^|/)(?:\.env(?:\.[\w-]+)?|services\.env|\.git|\.netrc|\.pypirc|\.npmrc|\.pgpass|id_(?:rsa|dsa|ecdsa|"
    r"ed25519)|\.aws|\.ssh|\.docker|connection\.json|secrets\.json)(?:/|$)|(?:^|/)run/secrets/.|^secrets/."
)
_SECRET_NAME: Final = re.compile(
    r"\b\w*(?:PASSWORD|SECRET|TOKEN|API_?KEY|CREDENTIALS?|PRIVATE_KEY)\w*[=:]\s*(?!\$|/run/secrets)\S{4,}",
    re.IGNORECASE,
)


_NO_SECRETS: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"usr/lib/[\w-]+/libgnutls\.so\.[\d.]+$"), "a private key"),  # of its self-test
)
"""Finds that are known to be none: where, and what."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something that must not be in an image. The secret itself is never printed."""

    where: str
    kind: str

    def __str__(self) -> str:
        return f"{self.where}: {self.kind}"


def in_content(where: str, content: bytes) -> Iterator[Found]:
    """Find the secrets in a file."""
    for secret in _CONTENT:
        known = any(
            location.search(where) and allowed == secret.kind for location, allowed in _NO_SECRETS
        )
        if not known and secret.is_in(content):
            yield Found(where, secret.kind)


def in_layer(name: str, layer: IO[bytes]) -> Iterator[Found]:
    """Find the secrets in a layer, a tar archive."""
    with tarfile.open(fileobj=layer) as files:
        for entry in files:
            where = f"{name}/{entry.name}"
            if _NAMES.search(entry.name):
                yield Found(where, "a file that holds secrets")
            if entry.isfile() and entry.size <= _LARGEST:
                opened = files.extractfile(entry)
                yield from in_content(where, opened.read() if opened else b"")


def in_config(name: str, config: dict[str, Any]) -> Iterator[Found]:
    """Find the secrets in the environment, the labels, the commands and the history of an image."""
    run: dict[str, Any] = config.get("config") or {}
    labels: dict[str, str] = run.get("Labels") or {}
    history: list[dict[str, str]] = config.get("history") or []
    entry, command = _strings(run.get("Entrypoint")), _strings(run.get("Cmd"))
    texts = {
        "environment": _strings(run.get("Env")),
        "labels": [f"{key}={value}" for key, value in labels.items()],
        "command": [*entry, *command],
        "history": [step.get("created_by", "") for step in history],
    }
    for location, parts in texts.items():
        where = f"{name}/{location}"
        for text in parts:
            if _SECRET_NAME.search(text):
                yield Found(where, "a setting that looks like a secret")
            yield from in_content(where, text.encode())


def in_archive(archive: Path) -> Iterator[Found]:
    """Find the secrets in what `docker save` has written; a layer that several images share is read once."""
    with tarfile.open(archive) as saved:
        manifest = json.loads(_read(saved, "manifest.json"))
        layers: set[str] = set()
        for image in manifest:
            name = (image.get("RepoTags") or ["image"])[0]
            yield from in_config(name, json.loads(_read(saved, image["Config"])))
            for layer in image["Layers"]:
                opened = None if layer in layers else saved.extractfile(layer)
                layers.add(layer)
                if opened is not None:
                    yield from in_layer(name, opened)


def in_images(images: Iterable[str]) -> list[Found]:
    """Find the secrets in images that the container engine has."""
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "images.tar"
        command = ["docker", "save", "--output", str(archive), *images]
        subprocess.run(command, check=True, timeout=600)
        return sorted(set(in_archive(archive)), key=str)


def _strings(value: Any) -> list[str]:
    return value or []


def _read(saved: tarfile.TarFile, name: str) -> bytes:
    opened = saved.extractfile(name)
    return opened.read() if opened else b""


def main() -> None:
    found = in_images(sys.argv[1:])
    for item in found:
        print(item)
    sys.exit(f"{len(found)} things that look like secrets" if found else 0)


if __name__ == "__main__":
    main()
