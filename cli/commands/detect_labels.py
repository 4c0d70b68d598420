"""`sponsorgraph detect labels`: accepted reports as labels that the detector learns from."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from cli.commands._correction_labels import ACCEPTED, label_lines, video_ids
from cli.commands._detection_files import one_sentence
from cli.commands._reports import corrections_client
from cli.commands._shell import err, readable_errors, redetections


def labels(
    *,
    to: Annotated[
        Path, typer.Option("--out", dir_okay=False, help="The file of labels to write.")
    ] = Path("labels-corrections.jsonl"),
) -> None:
    """Write accepted reports as labelled videos, for `detect train` and `detect evaluate --labels`.

    A line a video, by id, with its texts as they were read: the same decisions give the same file. Brands of the video that nobody
    decided on are under `ignore`. Videos whose texts are not stored, as those of the sample and of loaded files, are left out.
    """
    with readable_errors():
        client = corrections_client()
        accepted = [report for state in ACCEPTED for report in client.reports(state, sys.maxsize)]
        wanted = video_ids(accepted)
        lines = label_lines(accepted, redetections().texts(wanted) if wanted else ())
    with one_sentence():
        to.write_text(
            "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines), "utf-8"
        )
    pairs = sum(len(line["sponsors"]) for line in lines)
    videos = {item.report.video.id for item in accepted}
    err.print(
        f"{len(lines):,} videos with {pairs:,} sponsors: {to}. Of {len(videos) - len(lines):,} videos with accepted reports no text "
        "is stored.",
        soft_wrap=True,
    )
