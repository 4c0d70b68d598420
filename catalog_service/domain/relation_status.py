"""The rule by which a relation is active, lapsed or unknown (docs/adr/0028-relation-status.md)."""

from typing import Final

ACTIVE_WITHIN_DAYS: Final = 180
"""Days before the newest known video of a channel within which its last sponsorship is recent, and days
before the newest video of the catalogue within which a channel is known to the end."""

ACTIVE: Final = "active"
LAPSED: Final = "lapsed"
UNKNOWN: Final = "unknown"
STATUSES: Final = (ACTIVE, LAPSED, UNKNOWN)
"""The states of a relation."""

UNSEEN: Final = "unseen"
