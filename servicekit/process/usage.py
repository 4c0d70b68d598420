"""How a process is used, on its command line."""

import sys


def exit_with_help(usage: str | None) -> None:
    """Print how the process is used and end it, if its arguments have `--help` or `-h`; this needs no settings."""
    if not {"-h", "--help"}.isdisjoint(sys.argv[1:]):
        sys.stdout.write(f"{usage or ''}\n")
        sys.exit(0)
