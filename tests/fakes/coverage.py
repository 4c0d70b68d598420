"""The coverage of a catalogue in tests."""

from datetime import date
from typing import Final

from shapes.catalog.shared import CatalogCoverage

COVERAGE: Final = CatalogCoverage(date(2019, 3, 4), date(2026, 10, 31), 412, 38_560, 4_207, 128)
