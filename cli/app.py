"""The commands of `sponsorgraph`, by name."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Annotated, Final

import typer

from cli.loading import group_of

COMMANDS: Final[Mapping[str, str]] = {
    "up": "cli.commands.up:up",
    "status": "cli.commands.status:status",
    "doctor": "cli.commands.doctor:doctor",
    "migrate": "cli.commands.migrate:migrate",
    "restore": "cli.commands.backup:restore",
    "reconcile": "cli.commands.reconcile:reconcile",
    "review": "cli.commands.review:review",
    "audit-log": "cli.commands.audit_log:audit_log",
    "request": "cli.commands.request:request",
    "support-bundle": "cli.commands.support_bundle:support_bundle",
    "import": "cli.commands.imports:import_channel",
    "demo": "cli.commands.demo:demo",
    "connect": "cli.commands.connect:connect",
    "login": "cli.commands.login:login",
    "logout": "cli.commands.login:logout",
    "tools": "cli.commands.call:tools",
    "call": "cli.commands.call:call",
    "backup": "cli.commands.backup:backups",
    "imports": "cli.commands.imports:app",
    "catalog": "cli.commands.catalog:app",
    "corrections": "cli.commands.corrections:app",
    "audit": "cli.commands.audit_log:app",
    "account": "cli.commands.account:app",
    "key": "cli.commands.accounts:keys",
    "issuer": "cli.commands.accounts:issuer",
    "certificates": "cli.commands.certificates:app",
    "detect": "cli.commands.detect:app",
    "dev": "cli.commands.dev:app",
}
"""The locations of the commands, in the order of the help."""

cli = typer.Typer(
    name="sponsorgraph",
    cls=group_of(COMMANDS),
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)


def _print_version(is_given: bool) -> None:  # noqa: FBT001 - typer passes it by position
    if is_given:
        typer.echo(f"sponsorgraph {version('sponsorgraph')}")
        raise typer.Exit


@cli.callback()
def sponsorgraph(
    *,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Sponsorgraph on this machine: run it, fill it, look after its accounts."""
