"""`sponsorgraph backup generate-key`."""

import os
from pathlib import Path
from typing import Annotated

import typer

from cli.backups.encryption import generate_identity
from cli.commands._shell import err, print_error, readable_errors


def generate_key(
    file: Annotated[
        Path | None,
        typer.Argument(
            dir_okay=False, help="A new file for the private key; standard output when left out."
        ),
    ] = None,
) -> None:
    """Generate a key for backups, in the format of age.

    The private key goes to the file, for BACKUP_IDENTITIES_FILE; its public key, for BACKUP_RECIPIENTS, is printed.
    Keep a copy of the private key elsewhere: without it nobody reads the backups.
    """
    text, public = generate_identity()
    if file is None:
        typer.echo(text, nl=False)
    else:
        with readable_errors():
            _write(file, text)
    err.print(f"Public key: {public}", soft_wrap=True)


def _write(file: Path, text: str) -> None:
    """Write a new file that its owner alone can read."""
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        print_error(f"{file} is there already: a key is never replaced.")
        raise typer.Exit(1) from None
    with os.fdopen(descriptor, "w") as content:
        content.write(text)
