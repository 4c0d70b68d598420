"""The `sponsorgraph` command."""

import sys

from cli.exit_codes import INTERRUPTED


def main() -> None:
    """Run the command line."""
    try:
        from cli.loading import loading  # noqa: PLC0415 - Ctrl-C may come meanwhile
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    with loading():
        from cli.app import cli  # noqa: PLC0415
    cli()


if __name__ == "__main__":
    main()
