"""Pins the images of others by digest: writes deploy/compose/compose.digests.yaml, to be used beside compose.yaml.

The digests are those that the registry has for the tags now; `docker buildx imagetools inspect` asks
it. Engines and the edge get them as their image, builds as the base in the place of the Dockerfile's.
"""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).resolve().parent.parent
TARGET: Final = ROOT / "deploy" / "compose" / "compose.digests.yaml"
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_HEAD: Final = (
    "# Made by `make pin-images`: what the tags of compose.yaml and Dockerfile were then.\n"
)


def services() -> Mapping[str, Mapping[str, Any]]:
    """The services of compose.yaml."""
    return yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]


def bases() -> list[str]:
    """The images of others that the Dockerfile begins with."""
    text = (ROOT / "Dockerfile").read_text()
    stages = set(re.findall(r"^FROM \S+ AS (\S+)", text, re.MULTILINE))
    found = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
    return [image for image in dict.fromkeys(found) if image not in stages]


def digest_of(image: str, docker: str = "docker") -> str:
    """The digest that an image's tag has at its registry.

    Raises:
        RuntimeError: There is no response.
    """
    command = [docker, "buildx", "imagetools", "inspect", image, "--format", "{{.Manifest.Digest}}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise RuntimeError("docker is missing") from None
    digest = done.stdout.strip()
    if done.returncode or not _DIGEST.fullmatch(digest):
        raise RuntimeError(f"No digest of {image}: {done.stderr.strip() or digest or 'no answer'}")
    return digest


def overriding(docker: str = "docker") -> dict[str, Any]:
    """Return the compose file that is to be read beside compose.yaml.

    Raises:
        RuntimeError: A digest cannot be had.
    """
    known: dict[str, str] = {}

    def pinned(image: str) -> str:
        known.setdefault(image, digest_of(image, docker))
        return f"{image}@{known[image]}"

    contexts = {image: f"docker-image://{pinned(image)}" for image in bases()}
    return {
        "services": {
            name: {"build": {"additional_contexts": contexts}}
            if "build" in service
            else {"image": pinned(service["image"])}
            for name, service in services().items()
        }
    }


def main() -> int:
    try:
        content = overriding()
    except RuntimeError as error:
        print(f"Nothing is pinned: {error}")
        return 1
    TARGET.write_text(_HEAD + yaml.safe_dump(content, sort_keys=False))
    print(
        f"{TARGET.relative_to(ROOT)} is written. Use it: docker compose -f compose.yaml -f {TARGET.relative_to(ROOT)}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
