"""The detector on texts that were written to show the many ways of naming a sponsor, and to be as descriptions are.

No text of them is learnt from. Those of the strata "written, unread" and "unread" were read by nobody who wrote rules.
"""

from pathlib import Path
from typing import Final

import pytest

from import_worker.detector.evaluation import detect_all, evaluate
from import_worker.detector.labelled import read_labels

DATA: Final = Path(__file__).resolve().parents[2] / "data"
LABELS: Final = DATA / "labels_wordings.jsonl"
REALISTIC: Final = DATA / "labels_realistic.jsonl"


@pytest.mark.parametrize(
    ("stratum", "precision", "recall"),
    [("written, read", 0.92, 0.70), ("written, unread", 0.70, 0.40)],
)
def test_sponsors_are_found_however_they_are_named(
    stratum: str, precision: float, recall: float
) -> None:
    videos = [video for video in read_labels(LABELS) if video.stratum == stratum]

    score = evaluate(detect_all(videos)).overall.score

    assert len(videos) == 220
    assert score.precision >= precision
    assert score.recall >= recall


@pytest.mark.parametrize(
    ("stratum", "precision", "recall"), [("read", 0.83, 0.57), ("unread", 0.80, 0.51)]
)
def test_sponsors_are_found_in_descriptions_as_creators_write_them(
    stratum: str, precision: float, recall: float
) -> None:
    videos = [video for video in read_labels(REALISTIC) if video.stratum == stratum]

    score = evaluate(detect_all(videos)).overall.score

    assert len(videos) == 410
    assert score.precision >= precision
    assert score.recall >= recall
