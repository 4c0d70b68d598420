"""Writes build/sbom/IMAGE.json: a bill of materials for each image, CycloneDX 1.6.

Python's packages come from the image's lock. Debian's are asked of the image itself where it has been
built and a container engine answers; where not, the document says that they are missing. The same
locks and images give the same bytes.

    python -m scripts.sbom [--registry sponsorgraph] [--version 0.1.0]
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from scripts import locks
from scripts.gen_licences import licence_of

_FOLDER: Final = Path(__file__).resolve().parent.parent / "build" / "sbom"
_QUERY: Final = "--showformat=${Package}\\t${Version}\\t${Architecture}\\n"

Document = dict[str, Any]
Debian = tuple[str, str, str]
"""Name, version and architecture of a package."""


def document(image: str, version: str, debian: Sequence[Debian] | None) -> Document:
    """The bill of one image; `debian` is None where the image could not be asked."""
    pins = locks.of_image(image)
    refs = {pin.name: f"pkg:pypi/{pin.name}@{pin.version}" for pin in pins}
    components = [
        {
            "type": "library",
            "bom-ref": refs[pin.name],
            "name": pin.name,
            "version": pin.version,
            "purl": refs[pin.name],
            "licenses": [{"expression": licence_of(pin.name, pin.version)}],
        }
        for pin in pins
    ]
    components += [_of_debian(*package) for package in sorted(debian or [])]
    root = f"sponsorgraph/{image}@{version}"
    content: Document = {
        "metadata": {
            "lifecycles": [{"phase": "build"}],
            "component": {
                "type": "container",
                "bom-ref": root,
                "name": f"sponsorgraph/{image}",
                "version": version,
            },
            "properties": [
                {"name": "sponsorgraph:lock", "value": f"requirements/{image}.lock"},
                {
                    "name": "sponsorgraph:debian",
                    "value": "missing: the image was not asked" if debian is None else "from dpkg",
                },
            ],
        },
        "components": components,
        "dependencies": _dependencies(root, pins, refs),
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest)}",
        "version": 1,
        **content,
    }


def _of_debian(name: str, version: str, architecture: str) -> Document:
    purl = f"pkg:deb/debian/{name}@{version.replace(':', '%3A').replace('+', '%2B')}"
    purl = f"{purl}?arch={architecture}"
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}


def _dependencies(root: str, pins: Sequence[locks.Pin], refs: dict[str, str]) -> list[Document]:
    wants: dict[str, list[str]] = {root: [], **{ref: [] for ref in refs.values()}}
    for pin in pins:
        parents = [refs[parent] for parent in pin.wanted_by if parent in refs]
        for parent in parents or [root]:
            wants[parent].append(refs[pin.name])
    return [{"ref": ref, "dependsOn": sorted(set(found))} for ref, found in wants.items()]


def debian_packages(image: str) -> list[Debian] | None:
    """List the packages that dpkg has in an image; None without a container engine."""
    docker = shutil.which("docker")
    if docker is None:
        return None
    query = [docker, "run", "--rm", "--entrypoint", "dpkg-query", image, "--show", _QUERY]
    listing = subprocess.run(query, capture_output=True, text=True, check=False, timeout=120)
    if listing.returncode:
        return None
    lines = (line.split("\t") for line in listing.stdout.splitlines())
    return [(name, version, architecture) for name, version, architecture in lines]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.sbom", description=__doc__)
    parser.add_argument("--registry", default="sponsorgraph")
    parser.add_argument("--version", required=True)
    options = parser.parse_args()
    _FOLDER.mkdir(parents=True, exist_ok=True)
    for image in locks.IMAGES:
        debian = debian_packages(f"{options.registry}/{image}:{options.version}")
        bill = document(image, options.version, debian)
        (_FOLDER / f"{image}.json").write_text(json.dumps(bill, indent=1, sort_keys=True) + "\n")
        system = (
            "no Debian packages: image not there" if debian is None else f"{len(debian)} of Debian"
        )
        print(f"build/sbom/{image}.json: {len(bill['components'])} components, {system}")


if __name__ == "__main__":
    main()
