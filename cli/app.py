"""The commands of `sponsorgraph`, by name."""

from importlib.metadata import version
from typing import Annotated

import typer

from cli.commands import (
    account_access,
    account_limits,
    accounts,
    catalog,
    certificates,
    corrections,
    detect,
    dev,
    imports,
)
from cli.commands import audit_log as audit
from cli.commands.audit_log import audit_log
from cli.commands.backup import backups, restore
from cli.commands.call import call, tools
from cli.commands.connect import connect
from cli.commands.demo import demo
from cli.commands.doctor import doctor
from cli.commands.login import login, logout
from cli.commands.migrate import migrate
from cli.commands.reconcile import reconcile
from cli.commands.request import request
from cli.commands.review import review
from cli.commands.status import status
from cli.commands.support_bundle import support_bundle
from cli.commands.up import up
from cli.examples import add_examples

cli = typer.Typer(
    name="sponsorgraph",
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


cli.command()(up)
cli.command()(status)
cli.command()(doctor)
cli.command()(migrate)
cli.command()(restore)
cli.command()(reconcile)
cli.command()(review)
cli.command("audit-log")(audit_log)
cli.command()(request)
cli.command("support-bundle")(support_bundle)
cli.command("import")(imports.import_channel)
cli.command()(demo)
cli.command()(connect)
cli.command()(login)
cli.command()(logout)
cli.command()(tools)
cli.command()(call)
cli.add_typer(backups, name="backup")
cli.add_typer(imports.app, name="imports")
cli.add_typer(catalog.app, name="catalog")
cli.add_typer(corrections.app, name="corrections")
cli.add_typer(audit.app, name="audit")
for name, command in {**account_access.COMMANDS, **account_limits.COMMANDS}.items():
    accounts.accounts.command(name)(command)
cli.add_typer(accounts.accounts, name="account")
cli.add_typer(accounts.keys, name="key")
cli.add_typer(accounts.issuer, name="issuer")
cli.add_typer(certificates.app, name="certificates")
cli.add_typer(detect.app, name="detect")
cli.add_typer(dev.app, name="dev")
add_examples(cli)
