"""Ids as callers see them: `sp_12`, `yt_7`, `v_3`, `r_5`, `l_8`."""

import re

_FORM = re.compile(r"(sp|yt|v|r|l)_([1-9][0-9]{0,17})")


def sponsor(number: int) -> str:
    return f"sp_{number}"


def youtuber(number: int) -> str:
    return f"yt_{number}"


def video(number: int) -> str:
    return f"v_{number}"


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
