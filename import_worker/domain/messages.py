"""Messages for people about the state of an import."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

QUEUED: Final = "The import will begin in a moment."
INTERRUPTED: Final = "The import was broken off again and again without getting further."
LIST_CHANGED: Final = "The list of videos has changed: the import begins again at its first page."
CANCEL_REQUESTED: Final = "Cancelled: it stops after the videos that are being read now."
LEFT: Final = "You cancelled this import. It goes on for others who asked for the same channel."


def running(title: str) -> str:
    return f"Reading the videos of {title}."


def waiting(why: str, until: datetime) -> str:
    return f"{_message(why)} The import goes on by itself at {until.astimezone(UTC):%H:%M} UTC."


def done(
    videos: int,
    sponsorships: int,
    refusals: Sequence[tuple[str, int]] = (),
    *,
    read_before: int = 0,
    removed: int = 0,
    is_partial: bool,
) -> str:
    """Return what an import read.

    Args:
        videos: The videos of the channel that it looked at.
        sponsorships: Those of all of them.
        refusals: The reasons of videos that the catalogue refused, and their numbers.
        read_before: Videos that an earlier import had read, too lately to be read again.
        removed: Videos that the source no longer shows, and that were removed.
        is_partial: Whether the source has the newest videos alone.
    """
    removals = _removed(removed) if removed else ""
    if videos == 0:
        return f"Finished: there was no public video to read.{removals}"
    found = counted(sponsorships, "sponsorship") if sponsorships else "no sponsorship"
    text = f"Finished: {counted(videos, 'video')} read, {found} found."
    if read_before:
        were = "was" if read_before == 1 else "were"
        text += f" {read_before:,} of them {were} read lately and not again: what changed there since then is not known yet."
    text += removals
    for reason, refused in refusals:
        text += f" The catalogue refused {counted(refused, 'video')}: {_message(reason)}"
    if is_partial:
        text += " This source shows the newest videos alone; with a YouTube API key all are read."
    return text


def _removed(videos: int) -> str:
    are = "is" if videos == 1 else "are"
    return f" {counted(videos, 'video')} of before {are} no longer on YouTube, and removed here."


def failed(why: str, videos: int, removed: int = 0) -> str:
    rest = f" The {counted(videos, 'video')} read until then stay." if videos else ""
    removals = _removed(removed) if removed else ""
    return f"The import failed. {_message(why)}{rest}{removals}"


def gave_up(why: str, attempts: int) -> str:
    return f"{_message(why)} It was tried {counted(attempts, 'time')}."


def list_keeps_changing(restarts: int) -> str:
    return f"The list of videos keeps changing. It was begun again {counted(restarts, 'time')}."


def cancelled(videos: int, removed: int = 0) -> str:
    rest = f"{counted(videos, 'video')} had been read and stay." if videos else "Nothing was read."
    removals = _removed(removed) if removed else ""
    return f"Cancelled. {rest}{removals}"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _message(text: str) -> str:
    stripped = text.strip()
    return stripped if stripped.endswith((".", "!", "?")) else f"{stripped}."
