"""The rule by which a relation is active or lapsed (docs/adr/0006-relation-status.md)."""

from typing import Final

ACTIVE_WITHIN_DAYS: Final = 180
"""Days before the newest day in the catalogue within which the last sponsorship is recent."""

ACTIVE: Final = "active"
LAPSED: Final = "lapsed"
UNSEEN: Final = "unseen"
