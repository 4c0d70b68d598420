"""The health check of the images, run here."""

import os
import subprocess
from pathlib import Path
from typing import Final

SCRIPT: Final = Path(__file__).parents[1] / "servicekit" / "process" / "healthcheck.sh"


def check(*urls: str, seconds: int = 10) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, *urls],
        env=os.environ | {"HEALTHCHECK_SECONDS": str(seconds)},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )


def failure(url: str) -> str | None:
    """Return the failure of `url`, or None."""
    done = check(url)
    return None if done.returncode == 0 else done.stdout
