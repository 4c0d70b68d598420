"""A whole stack as `make run` starts it, on a throw-away home, and a browser."""

import shutil
import time
from collections.abc import AsyncGenerator, Callable, Generator

import pytest
from playwright.async_api import Browser, async_playwright

from tests.e2e.prepared_home import prepare_home
from tests.e2e.running_stack import RunningStack, start

__all__ = ["RunningStack", "start"]


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Generator[RunningStack]:
    """One stack for all tests that leave it running as they found it."""
    home = prepare_home(tmp_path_factory, tmp_path_factory.mktemp("stack") / "home")
    running = start(home)
    try:
        yield running
    finally:
        running.end()


@pytest.fixture(scope="session")
async def chromium() -> AsyncGenerator[Browser]:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("Chromium is missing (.ci/run installs Debian's)")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        await browser.close()


def wait_for(condition: Callable[[], bool], seconds: float, subject: str) -> None:
    """Waits until something outside this process has come true."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, subject
        time.sleep(0.02)
