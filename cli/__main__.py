"""The `sponsorgraph` command."""

import sys
from typing import Final

from servicekit.process.imports import skip_unused_imports

_INTERRUPTED: Final = 130


def main() -> None:
    """Run the command line."""
    try:
        with skip_unused_imports("rich", "pygments"):
            from cli.app import cli  # noqa: PLC0415 - a second or more, in which Ctrl-C may come
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted; nothing was done.\n")
        sys.exit(_INTERRUPTED)
    cli()


if __name__ == "__main__":
    main()
