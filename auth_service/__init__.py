"""The auth service: accounts, plans, credentials, the usage ledger and the audit log."""

from pathlib import Path
from typing import Final

MIGRATIONS: Final = Path(__file__).parent / "migrations"
