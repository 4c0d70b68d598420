"""The section of docs/answers.md with the backtest of `youtuber.outlook`, written from it."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from tests.outlook import backtest, channels
from tests.outlook.backtest import Score
from tests.outlook.channels import TriedChannel

PAGE: Final = Path(__file__).parents[2] / "docs" / "answers.md"
MADE: Final = "made channels with weekly snapshots"
SAMPLE: Final = "whole channels of the bundled sample"
STAND_IN: Final = "whole channels of the stand-in for YouTube"
WHOLE: Final = "**whole channels of `videos.jsonl.gz`**"
HEADING: Final = "\n# How often the intervals of `youtuber.outlook` hold\n"
_INTRODUCTION: Final = """
Each row: of the newest 30 % of a channel's videos, each was projected from what was known on the day of the one before it. The method
was chosen on the videos before those ([ADR 65](adr/0065-outlook.md)). `tests/unit/catalog_service/test_outlook_backtest.py` writes this
section and fails where the interval of 80 % holds fewer than 70 % or more than 90 % of all next videos of a set. A bundle is the next
three videos together; its total is to be reached in 80 %.
"""
_HEAD: Final = """
| set | next videos | in 50 % | in 80 % | below 80 % | without a projection | bundles | reached |
| --- | --- | --- | --- | --- | --- | --- | --- |"""
_REMARKS: Final = """
Views of all but the made channels are of one look, years later for some: they show how the next video varies, not how views grow by day 30.
The lengths of their videos are not known: where a channel began to publish shorts, as 3Blue1Brown did, both are in one row. The
stand-in for YouTube makes lengths up, and so nearly all longform.
"""


@cache
def always() -> Mapping[str, Score]:
    """Return the scores of the sets that every machine has."""
    return {
        MADE: _total(channels.made()),
        SAMPLE: _total(channels.of_sample()),
    }


@cache
def by_channel() -> Mapping[str, Score]:
    """Return the scores of the data's whole channels."""
    assert channels.DATA is not None
    return {item.name: backtest.backtest(item) for item in channels.of_data(channels.DATA)}


@cache
def of_data() -> Mapping[str, Score]:
    """Return the scores of the sets that need the data."""
    assert channels.DATA is not None
    stand_in = _total(channels.of_stand_in(channels.DATA))
    return {STAND_IN: stand_in, WHOLE: backtest.total(list(by_channel().values()))}


def section() -> str:
    """Return the section; it needs the data."""
    rows = [row(name, score) for name, score in (*always().items(), *of_data().items())]
    rows += [row(f"– {name}", score) for name, score in by_channel().items()]
    return "\n".join([HEADING.rstrip(), _INTRODUCTION.rstrip(), _HEAD, *rows, _REMARKS])


def row(name: str, score: Score) -> str:
    """Return the row of a set or a channel."""
    below = score.below_80 / score.videos
    reached = f"{score.reached / score.bundles:.0%}" if score.bundles else "–"
    return (
        f"| {name} | {score.videos:,} | {score.share_50:.0%} | {score.share_80:.0%} | {below:.0%} | "
        f"{score.without:,} | {score.bundles:,} | {reached} |"
    )


def _total(tried: Sequence[TriedChannel]) -> Score:
    return backtest.total([backtest.backtest(item) for item in tried])
