"""`sponsorgraph dev`: what those who work on Sponsorgraph need beside it."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cli.commands._shell import out, readable_errors

if TYPE_CHECKING:
    from devstack.youtube import YouTube

app = typer.Typer(help="Tools for work on Sponsorgraph itself.", no_args_is_help=True)

_SHOWN: Final = 8
_UNITS: Final = 10_000
_POLL_SECONDS: Final = 0.3


@app.callback()
def dev() -> None:
    """Tools for work on Sponsorgraph itself."""


@app.command("youtube")
def youtube(
    data: Annotated[
        Path,
        typer.Option(
            exists=True,
            file_okay=False,
            help="Folder of videos.jsonl and channels.csv, plain or gzipped (docs/operations.md).",
        ),
    ],
    *,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8190,
    units: Annotated[int, typer.Option(min=0, help="Units of the API a day.")] = _UNITS,
    delay: Annotated[float, typer.Option(min=0, help="Seconds before every answer.")] = 0.0,
) -> None:
    """Serve a stand-in for YouTube's API, feeds and pages; any API key is taken. Ctrl-C stops it.

    Files that change are read again.
    """
    # An HTTP server, which the command's image does not hold.
    from devstack.youtube import YouTube  # noqa: PLC0415
    from devstack.youtube.from_data import from_data, last_changes  # noqa: PLC0415

    with readable_errors():
        before = last_changes(data)
        stand_in = YouTube(from_data(data), daily_units=units)
        stand_in.delay = delay
        asyncio.run(_serve(stand_in, port, data, before))


async def _serve(stand_in: YouTube, port: int, folder: Path, shown: tuple[int, ...]) -> None:
    from servicekit.http import server as http_server  # noqa: PLC0415

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    async with http_server.serve_http(stand_in, "127.0.0.1", port, 1) as bound:
        _banner(stand_in, f"http://127.0.0.1:{bound}")
        async with asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(_read_changes(stand_in, folder, shown))
            await stopped.wait()
            reading.cancel()
        out.print("\nStopping")
    for path, count in stand_in.requests.most_common(_SHOWN):
        out.print(f"{count:>7,}  {path}")


async def _read_changes(stand_in: YouTube, folder: Path, shown: tuple[int, ...]) -> None:
    """Read the files again when they have changed, and not while they are written: two polls have to agree.

    Args:
        stand_in: What shows them.
        folder: Where they are.
        shown: Their last changes as they are shown, see `last_changes`.
    """
    from devstack.youtube.from_data import from_data, last_changes  # noqa: PLC0415

    before = shown
    while True:
        await asyncio.sleep(_POLL_SECONDS)
        now = last_changes(folder)
        is_still, before = now == before, now
        if now == shown or not is_still:
            continue
        shown = now
        try:
            stand_in.show(await asyncio.to_thread(from_data, folder))
        except OSError as error:
            out.print(f"The changed files cannot be read: {error}")
        else:
            out.print(f"The files have changed: {_size(stand_in)}.")


def _size(stand_in: YouTube) -> str:
    channels = stand_in.catalogue.channels
    videos = sum(len(channel.videos) for channel in channels)
    return f"{len(channels):,} channels, {videos:,} videos"


def _banner(stand_in: YouTube, base_url: str) -> None:
    channels = stand_in.catalogue.channels
    out.print(f"YouTube's stand-in answers at {base_url}, API and site alike.")
    out.print(f"{_size(stand_in)}. Some of them:")
    for channel in channels[:_SHOWN]:
        out.print(
            f"  {channel.channel_id}  {len(channel.videos):>6,} videos  {channel.handle}",
        )
    out.print("Ctrl-C stops it.")
