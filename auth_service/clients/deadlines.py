"""How long a page waits for another part before it says that the part does not respond."""

from typing import Final

PART_SECONDS: Final = 3.0
