"""The `sponsorgraph` command."""

import typer

from cli.commands import accounts, catalog, certificates, corrections, detect, dev
from cli.commands.audit_log import audit_log
from cli.commands.backup import backup, restore
from cli.commands.demo import demo
from cli.commands.doctor import doctor
from cli.commands.imports import import_channel
from cli.commands.reconcile import reconcile
from cli.commands.status import status
from cli.commands.up import up

cli = typer.Typer(
    name="sponsorgraph",
    help="Sponsorgraph on this machine: run it, fill it, look after its accounts.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)
cli.command()(up)
cli.command()(status)
cli.command()(doctor)
cli.command()(backup)
cli.command()(restore)
cli.command()(reconcile)
cli.command("audit-log")(audit_log)
cli.command("import")(import_channel)
cli.command()(demo)
cli.add_typer(catalog.app, name="catalog")
cli.add_typer(corrections.app, name="corrections")
cli.add_typer(accounts.accounts, name="account")
cli.add_typer(accounts.keys, name="key")
cli.add_typer(accounts.issuer, name="issuer")
cli.add_typer(certificates.app, name="certificates")
cli.add_typer(detect.app, name="detect")
cli.add_typer(dev.app, name="dev")


def main() -> None:
    """Runs the command line."""
    cli()


if __name__ == "__main__":
    main()
