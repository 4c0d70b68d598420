"""`sponsorgraph certificates`: what the services show each other."""

from pathlib import Path
from typing import Annotated

import typer

from cli.commands._shell import out, print_error
from devstack import certificates
from devstack.peers import PROCESSES

app = typer.Typer(help="Certificates for calls between the services.", no_args_is_help=True)


@app.callback()
def about() -> None:
    """Certificates for calls between the services."""


@app.command("make")
def make(
    folder: Annotated[Path, typer.Argument(file_okay=False, help="Where they go.")],
    *,
    address: Annotated[
        list[str] | None,
        typer.Option(help="IP address that each is good for as well, such as 127.0.0.1."),
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=3650, help="How long they hold.")] = 365,
) -> None:
    """Make a private authority and a certificate a service; again, it renews the certificates.

    The authority's key, FOLDER/authority/ca.key, is needed for that alone: keep it elsewhere.
    """
    try:
        certificates.make(folder, addresses=address or (), days=days)
    except (OSError, ValueError) as error:
        print_error(str(error))
        raise typer.Exit(1) from error
    for name in PROCESSES:
        out.print(str(folder / name), soft_wrap=True)
