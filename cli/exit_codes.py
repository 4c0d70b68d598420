"""Exit codes of the command. 0 is success, and 1 any failure that has no code of its own."""

from typing import Final

WRONG_USAGE: Final = 2
"""Arguments are wrong, whether the command or a service says so."""

NOT_FOUND: Final = 3
"""There is no such thing, such as an account."""

INTERRUPTED: Final = 130
"""Ctrl-C has ended the command; the code is the one that shells have."""
