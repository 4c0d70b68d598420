"""Made-up labelled videos that a decider can learn from: stated sponsors, and offers that are not."""

import json
from pathlib import Path
from typing import Any

_NAMES = (
    "Quillbarrow Tarnwick Osprell Aldermere Brockwell Cressing Dunmore Eskvale Fernhow Garrowby"
).split()


def made_lines(channels: int = 40) -> list[dict[str, Any]]:
    """Return two videos a channel: one with a sponsor, one with the same brand as a mere link."""
    lines: list[dict[str, Any]] = []
    for number in range(channels):
        name = _NAMES[number % len(_NAMES)]
        base: dict[str, Any] = {
            "channel": f"Shore {number}",
            "title": "A day out",
            "stratum": "made",
            "ignore": [],
        }
        sponsor = {"brand": name, "domain": f"{name.lower()}.com", "kind": "paid sponsorship"}
        lines += [
            {
                **base,
                "id": f"s{number}",
                "description": f"This video is sponsored by {name}.\nhttps://{name.lower()}.com/shore{number}",
                "sponsors": [sponsor],
            },
            {
                **base,
                "id": f"n{number}",
                "description": f"{name} map: https://bit.ly/3abc{number:03}\nLink to the camera at {name}.com",
                "sponsors": [],
            },
        ]
    return lines


def write_lines(file: Path, lines: list[dict[str, Any]]) -> Path:
    """Write lines of labels."""
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file
