"""Ids as callers see them: `sp_12`, `yt_7`, `v_3`, `r_5`, `l_8`, and `v_3.sp_12` of a sponsorship."""

import re

_FORM = re.compile(r"(sp|yt|v|r|l)_([1-9][0-9]{0,17})")
_PREFIXED = re.compile(r"(?:sp|yt|v|r|l)_\S*")


def sponsor(number: int) -> str:
    return f"sp_{number}"


def youtuber(number: int) -> str:
    return f"yt_{number}"


def video(number: int) -> str:
    return f"v_{number}"


def sponsorship(video_number: int, sponsor_number: int) -> str:
    """Return the id of a sponsor's sponsorship of a video."""
    return f"{video(video_number)}.{sponsor(sponsor_number)}"


def report(number: int) -> str:
    return f"r_{number}"


def saved_list(number: int) -> str:
    return f"l_{number}"


def number(public_id: str) -> int:
    """Return the number in an id that this service issued."""
    return int(public_id.rpartition("_")[2])


def spoken_number(public_id: str, prefix: str) -> int | None:
    """Return the number in a caller's text if it is an id with that prefix, else None."""
    match = _FORM.fullmatch(public_id)
    return int(match[2]) if match and match[1] == prefix else None


def is_like_one(text: str) -> bool:
    """Return whether a text begins as an id does, so that no name was meant."""
    return _PREFIXED.fullmatch(text) is not None


def sponsorship_parts(public_id: str) -> tuple[str, str] | None:
    """Return the ids of the video and the sponsor in a sponsorship's id; None if the text is no such id."""
    video_id, _, sponsor_id = public_id.partition(".")
    if spoken_number(video_id, "v") is None or spoken_number(sponsor_id, "sp") is None:
        return None
    return video_id, sponsor_id
