"""`sponsorgraph migrate`: bring all databases up to date, or print what that would do."""

import json
from collections.abc import Mapping
from typing import Annotated

import typer

from cli.commands._backup_shell import readable
from cli.commands._databases import database_urls
from cli.commands._shell import err, out, print_error
from devstack.schemas import migrations_of


def migrate(
    *,
    plan: Annotated[
        bool,
        typer.Option(
            "--plan",
            help="Change nothing: print the migrations, their locks and what they cost; "
            "end with 3 if there are any, with 0 if not.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON.")] = False,
) -> None:
    """Bring the databases of all services up to date: those that the environment names, else the home's."""
    if as_json and not plan:
        raise typer.BadParameter("--json is for --plan.")
    # Not every command needs Alembic.
    from sqlalchemy.exc import OperationalError  # noqa: PLC0415

    from servicekit.migration.environment import MigratorBusyError  # noqa: PLC0415
    from servicekit.migration.runner import MigrationLockError  # noqa: PLC0415
    from servicekit.migration.schema_versions import SchemaTooNewError  # noqa: PLC0415

    try:
        with readable(), database_urls() as urls:
            if plan:
                status = _print_plans(urls, as_json=as_json)
                raise typer.Exit(status)
            _migrate(urls)
    except (SchemaTooNewError, MigrationLockError, MigratorBusyError) as error:
        print_error(str(error))
        raise typer.Exit(1) from None
    except OperationalError as error:
        print_error(str(error.orig).partition("\n")[0])
        raise typer.Exit(1) from None


def _print_plans(urls: Mapping[str, str], *, as_json: bool) -> int:
    from servicekit.migration import plan, plan_report  # noqa: PLC0415

    plans = {name: plan.make(url, migrations_of(name)) for name, url in urls.items()}
    if as_json:
        typer.echo(
            json.dumps({name: plan_report.values(made) for name, made in plans.items()}, indent=2)
        )
    else:
        for name, made in plans.items():
            for line in plan_report.lines(name, made):
                typer.echo(line)
    return plan_report.exit_status(*plans.values())


def _migrate(urls: Mapping[str, str]) -> None:
    from servicekit.migration import command  # noqa: PLC0415

    for name, url in urls.items():
        message = command.migrate(
            url, migrations_of(name), lambda sentence: err.print(sentence, soft_wrap=True)
        )
        out.print(message or f"{name} is up to date.", soft_wrap=True)
