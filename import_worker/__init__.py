"""The import worker: channel-import jobs and the sponsorship detector."""

from pathlib import Path
from typing import Final

MIGRATIONS: Final = Path(__file__).parent / "migrations"
