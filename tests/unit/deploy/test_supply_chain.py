"""The bills of materials list the images' packages exactly, and their licences allow shipping."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any, cast

import pytest
from jsonschema import Draft7Validator
from referencing import Registry, Resource

from scripts import gen_licences, locks, sbom

NOT_IN_IMAGES = {"async-timeout", "colorama", "django", "httpx2-jsfetch", "sqlparse", "tzdata"}
"""Locked for other systems, browsers and older Pythons alone, or kept out on purpose."""

PROJECT = (Path(__file__).parents[3] / "pyproject.toml").read_text()
DEBIAN = [("zlib1g", "1:1.3.dfsg+really1.3.1-1", "amd64"), ("adduser", "3.152", "all")]


@pytest.fixture(scope="module")
def cyclonedx() -> Any:
    """Checks documents by the schema of CycloneDX 1.6."""
    folder = resources.files("cyclonedx.schema._res")
    names = ("bom-1.6", "spdx", "jsf-0.82")
    schemas: list[Any] = [
        json.loads(folder.joinpath(f"{name}.SNAPSHOT.schema.json").read_text()) for name in names
    ]
    empty: Any = cast("Any", Registry)()
    registry = empty.with_resources(
        [(schema["$id"], Resource.from_contents(schema)) for schema in schemas]
    )
    return Draft7Validator(schemas[0], registry=registry)


def test_instrumentations_are_required_in_the_one_version_that_is_locked() -> None:
    """They exclude each other in different versions, and pip does not find a common one by itself."""
    required = re.findall(r'"(opentelemetry-instrumentation-[a-z]+)([^"]*)"', PROJECT)
    locked = {pin.name: pin.version for pin in locks.pins(locks.FOLDER / "stack.lock")}
    assert len(required) == 3
    assert len({version for _, version in required}) == 1
    assert required == [(name, f"=={locked[name]}") for name, _ in required]


@pytest.mark.parametrize("image", locks.IMAGES)
@pytest.mark.parametrize("debian", [None, DEBIAN])
def test_a_bill_lists_exactly_what_the_lock_pins_and_dpkg_has(
    image: str, debian: list[sbom.Debian] | None, cyclonedx: Any
) -> None:
    bill = sbom.document(image, "1.2.3", debian)
    cyclonedx.validate(bill)
    listed = {component["purl"] for component in bill["components"]}
    assert len(listed) == len(bill["components"])
    lock = (locks.FOLDER / f"{image}.lock").read_text()
    pinned = re.findall(r"^(\S+)==([^ ;\\]+)(.*?)\\?$", lock, re.MULTILINE)
    others = {name for name, _, rest in pinned if ";" in rest} - {
        component["name"] for component in bill["components"]
    }
    assert others <= NOT_IN_IMAGES
    python = {f"pkg:pypi/{name}@{version}" for name, version, _ in pinned if name not in others}
    system = {
        "pkg:deb/debian/zlib1g@1%3A1.3.dfsg%2Breally1.3.1-1?arch=amd64",
        "pkg:deb/debian/adduser@3.152?arch=all",
    }
    assert listed == python | (system if debian else set())
    assert sbom.document(image, "1.2.3", debian) == bill


@pytest.mark.parametrize("image", locks.IMAGES)
def test_a_bill_reaches_every_python_package_from_the_image(image: str) -> None:
    bill = sbom.document(image, "1", None)
    wants = {dependency["ref"]: dependency["dependsOn"] for dependency in bill["dependencies"]}
    reached, left = set[str](), [bill["metadata"]["component"]["bom-ref"]]
    while left:
        new = set(wants[left.pop()]) - reached
        reached |= new
        left += new
    assert reached == {component["bom-ref"] for component in bill["components"]}


def test_a_bill_says_that_the_image_was_not_inspected() -> None:
    properties = sbom.document("gateway", "1", None)["metadata"]["properties"]
    assert {
        "name": "sponsorgraph:debian",
        "value": "missing: the image was not asked",
    } in properties


@pytest.mark.parametrize(
    ("declared", "expression"),
    [
        ("MIT", "MIT"),
        ("Apache Software License", "Apache-2.0"),
        ("MIT OR Apache-2.0", "MIT OR Apache-2.0"),
        ("(MIT and PSF-2.0)", "(MIT AND PSF-2.0)"),
        ("GPL-3.0-only", None),
        ("MIT AND GPL-3.0-only", None),
        ("AGPL-3.0-or-later", None),
        ("Proprietary", None),
        ("see LICENSE", None),
        ("", None),
    ],
)
def test_a_licence_that_nobody_has_allowed_is_none(declared: str, expression: str | None) -> None:
    assert gen_licences.spdx(declared) == expression


def test_a_package_of_another_licence_fails_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(gen_licences, "_KNOWN", frozenset({"MIT"}))
    monkeypatch.setattr(gen_licences, "PAGE", tmp_path / "licences.md")
    with pytest.raises(SystemExit, match=r"Not an allowed licence: ahocorasick-rs"):
        gen_licences.main()


def test_a_version_that_is_not_installed_is_reported() -> None:
    with pytest.raises(RuntimeError, match="make install-dev"):
        gen_licences.licence_of("fastapi", "0.0.1")


LOCK = """\
first==1.0 \\
    --hash=sha256:00
    # via sponsorgraph (pyproject.toml)
second==2.0+local ; sys_platform == 'win32' \\
    --hash=sha256:00
    # via
    #   -c requirements/stack.lock
    #   first
"""


def test_a_lock_is_read_with_markers_and_reasons(tmp_path: Path) -> None:
    (tmp_path / "x.lock").write_text(LOCK)
    first, second = locks.pins(tmp_path / "x.lock")
    assert (first.name, first.version, first.marker, first.in_images) == ("first", "1.0", "", True)
    assert (second.version, second.marker) == ("2.0+local", "sys_platform == 'win32'")
    assert "first" in second.wanted_by
    assert not second.in_images


@pytest.mark.parametrize("lock", sorted(locks.FOLDER.glob("*.lock")), ids=lambda lock: lock.stem)
def test_everything_that_is_locked_is_pinned_by_hash(lock: Path) -> None:
    lines = lock.read_text().splitlines()
    pinned = [index for index, line in enumerate(lines) if re.match(r"\S+==", line)]
    assert pinned
    assert all("--hash=sha256:" in lines[index + 1] for index in pinned)
    assert not [line for line in lines if line.startswith("--index") or "://" in line]


_ROOT = locks.FOLDER.parent
_PRODUCT = (
    "auth_service",
    "catalog_service",
    "gateway",
    "import_worker",
    "cli",
    "devstack",
    "servicekit",
    "shapes",
)


@pytest.mark.parametrize("package", [*_PRODUCT, "scripts", "benchmarks"])
def test_a_security_rule_that_is_set_aside_says_why(package: str) -> None:
    ignored: Callable[[str], Any] = re.compile(r"# noqa:[^-]*\bS\d{3}\b(?P<why>.*)").search
    lines = [
        f"{file.relative_to(_ROOT)}:{number}"
        for file in sorted((_ROOT / package).rglob("*.py"))
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if (found := ignored(line)) and " - " not in found["why"]
    ]
    assert lines == []
