"""The `sponsorgraph` command."""

from cli.loading import loading


def main() -> None:
    """Run the command line."""
    with loading():
        from cli.app import cli  # noqa: PLC0415 - Ctrl-C may come meanwhile
    cli()


if __name__ == "__main__":
    main()
