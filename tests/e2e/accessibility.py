"""Pages and views shut nobody out: the rules of axe-core, held against what a browser shows."""

from typing import Any, Final

import pytest
from playwright.async_api import Frame, Page

from tests.clients.node_programs import FOLDER

_AXE: Final = FOLDER / "node_modules" / "axe-core" / "axe.min.js"
_SERIOUS: Final = ("serious", "critical")


def require() -> None:
    """Skip the test where axe-core is missing; `.ci/run` installs it."""
    if not _AXE.exists():
        pytest.skip("axe-core is missing (.ci/run installs it)")


async def check(page: Page | Frame, name: str, *, minor: bool = False) -> None:
    """Fail if the page breaks a rule that is serious, or any rule if `minor`; do nothing without axe-core."""
    if not _AXE.exists():
        return
    # A colour that changes slowly, after a switch from light to dark, has its end's contrast only then.
    await page.evaluate("Promise.all(document.getAnimations().map((running) => running.finished))")
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(_AXE.read_text())
    # Only violations are wanted in detail: the lists of what passed take most of the time of a long page.
    found: Any = await page.evaluate("axe.run({resultTypes: ['violations']})")
    broken = [
        (rule["id"], [(node["html"], node["failureSummary"]) for node in rule["nodes"]])
        for rule in found["violations"]
        if minor or rule["impact"] in _SERIOUS
    ]
    assert broken == [], f"{name}: {broken}"
