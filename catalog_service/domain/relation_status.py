"""When a relation counts as active (docs/adr/0006-relation-status.md)."""

from typing import Final

ACTIVE_WITHIN_DAYS: Final = 180
"""Days before the newest day that the catalogue knows, within which a last sighting is recent."""

ACTIVE: Final = "active"
LAPSED: Final = "lapsed"
UNSEEN: Final = "unseen"
