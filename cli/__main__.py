"""The `sponsorgraph` command."""

import sys
from typing import Final

_INTERRUPTED: Final = 130
"""Exit status of a program that Ctrl-C has ended, as shells have it."""


def main() -> None:
    """Run the command line."""
    try:
        from cli.loading import loading  # noqa: PLC0415 - Ctrl-C may come meanwhile
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    with loading():
        from cli.app import cli  # noqa: PLC0415
    cli()


if __name__ == "__main__":
    main()
