"""The constants and states of a relation's status (docs/adr/0028-relation-status.md).

`storage/relation_status.py` has the rule as columns.
"""

from typing import Final

ACTIVE_WITHIN_DAYS: Final = 180
"""Days before the newest known video of a channel within which its last sponsorship is recent, and days before today
within which that video is."""

MIN_LATER_VIDEOS: Final = 5
"""Known videos of a channel after the last sponsorship without which silence tells nothing: of a brand that had every
second video, five in a row without it come about once in 32 by chance.

`youtubers.latest_videos_since` is stored by it: another number needs a migration that fills it again.
"""

ACTIVE: Final = "active"
LAPSED: Final = "lapsed"
UNKNOWN: Final = "unknown"
STATUSES: Final = (ACTIVE, LAPSED, UNKNOWN)
"""The states of a relation."""

UNSEEN: Final = "unseen"
