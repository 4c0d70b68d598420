"""`sponsorgraph import CHANNEL`: an import followed to its end."""

from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from cli.commands._shell import err, out, readable_errors, running_stack
from devstack.clients.imports import Wanted, follow
from shapes.imports import ImportStatus


def import_channel(
    channel: Annotated[
        str, typer.Argument(help="Channel id, @handle, or URL of a channel or of a video.")
    ],
    *,
    since: Annotated[str | None, typer.Option(help="Only videos since this day.")] = None,
    max_videos: Annotated[int | None, typer.Option(min=1, help="Only the newest so many.")] = None,
) -> None:
    """Import a YouTube channel into the catalogue and watch it; Ctrl-C leaves it running."""
    with readable_errors():
        home, addresses = running_stack()
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeElapsedColumn(), console=err) as progress:
            task = progress.add_task(channel, total=None)

            def show(now: ImportStatus) -> None:
                title = now.channel_title or channel
                text = f"{title}: {now.state}, {now.sponsorships:,} sponsorships"
                progress.update(
                    task, description=text, total=now.videos_total, completed=now.videos_seen
                )

            wanted = Wanted(channel, since, max_videos)
            credentials = addresses.credentials("cli", home.secrets())
            ended = follow(addresses.imports_grpc, wanted, show, credentials)
        _report(ended)
    if ended.state != "done":
        raise typer.Exit(1)


def _report(ended: ImportStatus) -> None:
    out.print(ended.message, markup=False)
    if ended.brands:
        table = Table("brand", "videos")
        for brand in ended.brands:
            table.add_row(brand.name, f"{brand.videos:,}")
        out.print(table)
