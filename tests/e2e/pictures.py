"""Screenshots for a person to look at. They assert nothing: `make pictures` takes them, and other runs do without."""

import os
from pathlib import Path
from typing import Final

from playwright.async_api import Page

FOLDER: Final = Path(__file__).resolve().parents[2] / "test-results"
WANTED: Final = "SPONSORGRAPH_PICTURES" in os.environ


async def picture(page: Page, name: str, *, full_page: bool = True) -> None:
    """Wait until the page has loaded, and leave `test-results/NAME.png` where pictures are wanted."""
    await page.wait_for_load_state()
    if WANTED:
        await page.screenshot(
            path=FOLDER / f"{name}.png", full_page=full_page, animations="disabled"
        )


def clear(folder: str) -> None:
    """Remove earlier pictures, whose names are numbered and may be of other pages."""
    if WANTED:
        for old in (FOLDER / folder).glob("*.png"):
            old.unlink()
