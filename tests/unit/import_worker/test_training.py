"""Training of the decider on made-up labels, and its folds by channel."""

import hashlib
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from import_worker.detector.cross_validation import deciders_by_fold
from import_worker.detector.decider import read_decider
from import_worker.detector.directions import direction_of
from import_worker.detector.labelled import UNREAD, LabelledVideo, read_labelled
from import_worker.detector.learners import BoostedTrees
from import_worker.detector.training import (
    DIVISIONS,
    FOLDS,
    Row,
    digest,
    fold_of,
    out_of_fold_deciders,
    out_of_fold_scores,
    rows_of,
    train,
    write_weights,
)
from tests.fakes.labelled_videos import made_lines


@pytest.fixture(scope="module")
def videos() -> list[LabelledVideo]:
    return [read_labelled(line) for line in made_lines()]


@pytest.fixture(scope="module")
def rows(videos: list[LabelledVideo]) -> list[Row]:
    return rows_of(videos)


def test_a_decider_learns_what_the_labels_show(rows: list[Row]) -> None:
    decider = read_decider(train(rows, {}))
    for row in rows:
        probability = decider.decide(row.proposed.features).probability
        assert (probability > 0.8) if row.labels else (probability < 0.2)


def test_each_fold_is_decided_by_channels_outside_it(
    rows: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[str]] = []

    def remembered(
        learnt: list[Row], labels: dict[str, str], written: list[Row]
    ) -> dict[str, object]:
        seen.append({row.video.channel for row in learnt})
        return train(learnt, labels, written)

    monkeypatch.setattr("import_worker.detector.training.train", remembered)
    out_of_fold_deciders(rows)
    every = {row.video.channel for row in rows}
    for fold, channels in enumerate(seen):
        assert channels == {channel for channel in every if fold_of(channel) != fold}
    assert len(seen) == FOLDS


def test_every_candidate_is_scored_once_a_division_and_a_label_of_its_channel_changes_nothing(
    rows: list[Row],
) -> None:
    scored = out_of_fold_scores(rows)
    times = Counter(row.video.id for row, _ in scored)
    assert times == {row.video.id: DIVISIONS for row in rows}
    channel = rows[0].video.channel
    turned = [
        Row(row.video, row.proposed, () if row.labels else (0,), row.is_ignored)
        if row.video.channel == channel
        else row
        for row in rows
    ]

    def of_channel(scores: list[tuple[Row, float]]) -> list[float]:
        return [score for row, score in scores if row.video.channel == channel]

    assert of_channel(out_of_fold_scores(turned)) == of_channel(scored)


def test_all_channels_are_spread_over_the_folds_otherwise_in_each_division() -> None:
    divided = [
        [fold_of(f"Shore {n}", division) for n in range(60)] for division in range(DIVISIONS)
    ]
    assert all(set(folds) == set(range(FOLDS)) for folds in divided)
    assert len({tuple(folds) for folds in divided}) == DIVISIONS


def test_the_same_labels_give_the_same_weights(rows: list[Row]) -> None:
    assert train(rows, {}) == train(rows, {})


def test_written_weights_are_read_again_with_the_labels_hashes(
    rows: list[Row], tmp_path: Path
) -> None:
    labels, weights = tmp_path / "labels.jsonl", tmp_path / "weights.json"
    labels.write_text("{}\n", encoding="utf-8")
    learnt = train(rows, {labels.name: digest(labels)})
    write_weights(learnt, weights)
    decider = read_decider(json.loads(weights.read_text("utf-8")))
    assert decider == read_decider(learnt)
    assert decider.labels == {"labels.jsonl": hashlib.sha256(b"{}\n").hexdigest()}


def test_the_decider_scores_as_the_trees_that_were_fitted(rows: list[Row]) -> None:
    names = sorted({name for row in rows for name in row.proposed.features})
    matrix = [[row.proposed.features.get(name, 0.0) for name in names] for row in rows]
    fitted = BoostedTrees(matrix, [bool(row.labels) for row in rows], names, [1.0] * len(rows))
    scores = fitted.scores(matrix)
    low, high = min(scores) - 1, max(scores) + 1
    decider = read_decider(
        {
            "features": names,
            "trees": fitted.trees(),
            "scores": [low, high],
            "probabilities": [low, high],
            "labels": {},
        }
    )
    for row, score in zip(rows, scores, strict=True):
        assert decider.probability(row.proposed.features) == pytest.approx(score, abs=0.02)


def test_a_feature_that_speaks_for_a_sponsor_never_lowers_the_score(rows: list[Row]) -> None:
    decider = read_decider(train(rows, {}))
    raising = [name for name in decider.names if direction_of(name) == 1]
    for row in rows:
        features = row.proposed.features
        before = decider.probability(features)
        for name in raising:
            assert decider.probability(features | {name: 1.0}) >= before


def test_written_texts_teach_and_are_not_measured_on(rows: list[Row]) -> None:
    written = [
        Row(replace(row.video, id=f"text {number}"), row.proposed, row.labels, row.is_ignored)
        for number, row in enumerate(rows[:20])
    ]
    scored = out_of_fold_scores(rows, written)
    assert len(scored) == DIVISIONS * len(rows)
    assert not {row.video.id for row, _ in scored} & {row.video.id for row in written}
    assert train(rows, {}, written)["trees"] != train(rows, {})["trees"]


def test_a_written_text_counts_less_than_a_labelled_video(rows: list[Row]) -> None:
    assert train(rows[40:], {}, rows[:40])["trees"] != train(rows, {})["trees"]


@pytest.mark.parametrize(
    ("strata", "is_unread"),
    [(("unread", "written, unread"), True), (("written, read", "unlikely", ""), False)],
)
def test_texts_that_nobody_read_are_known_by_their_part(
    videos: list[LabelledVideo], strata: tuple[str, ...], *, is_unread: bool
) -> None:
    assert {replace(videos[0], stratum=stratum).is_unread for stratum in strata} == {is_unread}


def test_brands_to_ignore_teach_nothing(rows: list[Row]) -> None:
    ignored = [Row(row.video, row.proposed, (), is_ignored=True) for row in rows if row.labels]
    others = [row for row in rows if not row.labels]
    with pytest.raises(ValueError, match="candidates that are not"):
        train([*others, *ignored], {})


def test_a_smaller_share_of_the_channels_teaches_from_fewer_of_them(
    videos: list[LabelledVideo], monkeypatch: pytest.MonkeyPatch
) -> None:
    learnt: list[int] = []

    def counted(rows: list[Row], written: list[Row]) -> list[None]:
        assert not written
        learnt.append(len({row.video.channel for row in rows}))
        return [None] * FOLDS

    monkeypatch.setattr("import_worker.detector.cross_validation.out_of_fold_deciders", counted)
    for share in (0.25, 0.5, 1.0):
        deciders_by_fold(videos, share)
    assert 0 < learnt[0] < learnt[1] < learnt[2] == 40


def test_each_video_that_was_read_is_reported(videos: list[LabelledVideo]) -> None:
    read: list[None] = []
    rows_of(videos, lambda: read.append(None))
    assert len(read) == len(videos)


def test_unread_videos_teach_no_fold_and_further_ones_do(
    videos: list[LabelledVideo], monkeypatch: pytest.MonkeyPatch
) -> None:
    learnt: list[set[str]] = []

    def recorded(rows: list[Row], written: list[Row]) -> list[None]:
        assert not written
        learnt.append({row.video.id for row in rows})
        return [None] * FOLDS

    monkeypatch.setattr("import_worker.detector.cross_validation.out_of_fold_deciders", recorded)
    unread = [replace(video, stratum=UNREAD) for video in videos[:10]]
    deciders_by_fold([*unread, *videos[10:30]], others=videos[30:])
    assert learnt == [{video.id for video in videos[10:]}]
