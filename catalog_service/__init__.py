"""The catalog service: sponsors, youtubers, videos and the sponsorships that link them."""

from pathlib import Path
from typing import Final

MIGRATIONS: Final = Path(__file__).parent / "migrations"
