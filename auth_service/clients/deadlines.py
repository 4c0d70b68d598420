"""How long a page or a form waits for another part before it says that the part does not respond."""

from typing import Final

PART_SECONDS: Final = 3.0

START_SECONDS: Final = 6.0
"""For a form that starts an import or follows a channel: the worker reads the channel from YouTube first."""
