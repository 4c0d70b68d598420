"""The texts of labelled videos whose file has facts alone: taken from the collected videos by their ids."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def read_texts(path: Path) -> dict[str, Mapping[str, Any]]:
    """Return channel, title, description and category of collected videos by `video_id`, of gzipped JSON lines.

    Raises:
        ValueError: A line is no collected video; the message names the line.
    """
    texts: dict[str, Mapping[str, Any]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                video = json.loads(line)
                if video["video_id"]:
                    texts.setdefault(video["video_id"], _text_of(video))
            except (ValueError, TypeError, KeyError) as error:
                raise ValueError(f"{path.name}:{number}: {error}") from error
    return texts


def _text_of(video: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "channel": video["channel_title"],
        "title": video["title"],
        "description": video["description"],
        "category_id": video["category_id"],
    }
