"""`sponsorgraph import CHANNEL`: an import followed to its end. `sponsorgraph imports`: those there are."""

import json
from collections.abc import Sequence
from typing import Annotated

import msgspec
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from cli.clients import imports
from cli.clients.imports import OPERATOR, Wanted, follow
from cli.commands._shell import (
    err,
    id_column,
    imports_target,
    left_running,
    operations,
    out,
    print_table,
    readable_errors,
)
from cli.text import one_line
from shapes.imports import ImportStatus

app = typer.Typer(help="Imports that were started.", no_args_is_help=True)

Email = Annotated[
    str | None,
    typer.Option(help="Of the account with this address; left out, those of this command."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def import_channel(
    channel: Annotated[
        str, typer.Argument(help="Channel id, @handle, or URL of a channel or of a video.")
    ],
    *,
    since: Annotated[str | None, typer.Option(help="Only videos since this day.")] = None,
    max_videos: Annotated[
        int | None, typer.Option(min=1, max=1_000_000, help="Only the newest so many.")
    ] = None,
) -> None:
    """Import a YouTube channel into the catalogue and watch it; Ctrl-C leaves it running."""
    with readable_errors():
        target, credentials = imports_target()
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
        )
        with Progress(*columns, TimeElapsedColumn(), console=err) as progress:
            task = progress.add_task(channel, total=None)

            def show(now: ImportStatus) -> None:
                title = one_line(now.channel_title or channel)
                text = f"{title}: {now.state}, {now.sponsorships:,} sponsorships"
                progress.update(
                    task, description=text, total=now.videos_total, completed=now.videos_seen
                )

            wanted = Wanted(channel, since, max_videos)
            with left_running("The import", "sponsorgraph imports list"):
                ended = follow(target, wanted, show, credentials)
        _report(ended)
    if ended.state != "done":
        raise typer.Exit(1)


def _report(ended: ImportStatus) -> None:
    out.print(ended.message)
    if ended.brands:
        table = Table("brand", "videos")
        for brand in ended.brands:
            table.add_row(brand.name, f"{brand.videos:,}")
        print_table(table)


@app.command("list")
def list_imports(
    *,
    email: Email = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Imports to print at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List imports, the newest first. One that failed is started again by `sponsorgraph imports retry`."""
    with readable_errors():
        target, credentials = imports_target()
        found = imports.newest(target, _account_id(email), limit, credentials)
        _show(found, as_json=as_json)


@app.command("cancel")
def cancel_import(
    import_id: Annotated[str, typer.Argument(help="Id of the import.")],
    *,
    email: Email = None,
    as_json: AsJson = False,
) -> None:
    """Stop an import within one batch; what it wrote stays, and so does an import that others joined."""
    with readable_errors():
        target, credentials = imports_target()
        found = imports.cancel(target, _account_id(email), import_id, credentials)
        _show([found], as_json=as_json)


@app.command("retry")
def retry_import(
    import_id: Annotated[str, typer.Argument(help="Id of the import.")],
    *,
    email: Email = None,
    as_json: AsJson = False,
) -> None:
    """Try an import that failed or was cancelled once more, from its first page, for its own account.

    It counts for no limit of the account. One that is under way again already stays as it is.
    """
    with readable_errors():
        target, credentials = imports_target()
        found = imports.retry(target, _account_id(email), import_id, credentials)
        _show([found], as_json=as_json)


def _account_id(email: str | None) -> str:
    return OPERATOR if email is None else operations().account(email).account_id


def _show(found: Sequence[ImportStatus], *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(msgspec.to_builtins(found), indent=2))
        return
    table = Table(id_column("id"), "channel", "state", "videos", "sponsorships", "created", "")
    for item in found:
        total = "" if item.videos_total is None else f" of {item.videos_total:,}"
        table.add_row(
            item.import_id,
            one_line(item.channel_title or item.channel_id),
            item.state,
            f"{item.videos_seen:,}{total}",
            f"{item.sponsorships:,}",
            f"{item.created_at:%Y-%m-%d %H:%M}",
            one_line(item.message),
        )
    print_table(table)
