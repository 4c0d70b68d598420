"""The detector on texts that were written to show the many ways of naming a sponsor, and to be as descriptions are.

No text of them is learnt from. Those of the strata "written, unread" and "unread" were read by nobody who wrote rules.
"""

from pathlib import Path
from typing import Final

import pytest

from import_worker.detector.evaluation import detect_all, evaluate
from import_worker.detector.labelled import read_labels

DATA: Final = Path(__file__).resolve().parents[2] / "data"
WORDINGS: Final = DATA / "labels_wordings.jsonl"
REALISTIC: Final = DATA / "labels_realistic.jsonl"


@pytest.mark.parametrize(
    ("labels", "stratum", "count", "precision", "recall"),
    [
        (WORDINGS, "written, read", 220, 0.92, 0.70),
        (WORDINGS, "written, unread", 220, 0.70, 0.40),
        (REALISTIC, "read", 410, 0.83, 0.57),
        (REALISTIC, "unread", 410, 0.80, 0.51),
    ],
)
def test_sponsors_are_found_however_they_are_named(
    labels: Path, stratum: str, count: int, precision: float, recall: float
) -> None:
    videos = [video for video in read_labels(labels) if video.stratum == stratum]

    score = evaluate(detect_all(videos)).overall.score

    assert len(videos) == count
    assert score.precision >= precision
    assert score.recall >= recall
