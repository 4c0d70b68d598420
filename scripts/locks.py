"""Reads `requirements/*.lock`: what is pinned, why, and what of it an image gets."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from packaging.markers import Marker

FOLDER: Final = Path(__file__).resolve().parent.parent / "requirements"
IMAGES: Final = ("gateway", "catalog", "auth", "imports", "cli")

_PIN: Final = re.compile(r"^([a-z0-9][a-z0-9._-]*)==([^ ;\\]+)(?: ; ([^\\]+?))?(?: \\)?$")
_IMAGE: Final = {
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "python_full_version": "3.13.0",
    "python_version": "3.13",
    "sys_platform": "linux",
}
"""The environment of markers: the images' Python, see `Dockerfile`."""


@dataclass(frozen=True, slots=True)
class Pin:
    """One package of a lock.

    Attributes:
        name: Normalised as PEP 503 has it.
        version: The only one that is installed.
        marker: Where it is installed at all; "" for everywhere.
        wanted_by: The packages of the lock that need it.
    """

    name: str
    version: str
    marker: str
    wanted_by: tuple[str, ...]

    @property
    def in_images(self) -> bool:
        """Return whether its marker holds in an image."""
        return not self.marker or Marker(self.marker).evaluate(_IMAGE)


def pins(lock: Path) -> list[Pin]:
    """Everything that a lock pins, in its order."""
    found: list[Pin] = []
    reasons: list[str] = []
    for line in lock.read_text().splitlines():
        if pinned := _PIN.match(line):
            reasons = []
            found.append(Pin(pinned[1], pinned[2], pinned[3] or "", ()))
        elif line.lstrip().startswith("#") and found:
            reasons += re.findall(r"[a-z0-9][a-z0-9._-]*", line.replace("# via", "").lstrip(" #"))
            last = found[-1]
            found[-1] = Pin(last.name, last.version, last.marker, tuple(reasons))
    return found


def of_image(image: str) -> list[Pin]:
    """Return the packages that are installed into an image from its lock."""
    return [pin for pin in pins(FOLDER / f"{image}.lock") if pin.in_images]
