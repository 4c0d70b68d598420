"""Scores of the detector on labelled videos."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from import_worker.detector import LEAST_PROBABILITY, ChannelContext, propose
from import_worker.detector.decider import Decider, Tree
from import_worker.detector.evaluation import (
    Evaluation,
    Result,
    Score,
    detect_all,
    evaluate,
    write_predictions,
)
from import_worker.detector.intervals import bootstrap, wilson
from import_worker.detector.labelled import read_labelled, read_labels
from import_worker.detector.languages import language_of
from import_worker.detector.reliability import bands_of, expected_error


def label(brand: str, kind: str = "paid sponsorship", **more: Any) -> dict[str, Any]:
    return {"brand": brand, "domain": None, "evidence": f"by {brand}", "kind": kind, **more}


def video(description: str, *sponsors: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": "v1",
        "title": "A day at the lake",
        "channel": "Lakeside Diary",
        "stratum": "random",
        "description": description,
        "sponsors": list(sponsors),
        "ignore": [],
        **more,
    }


def written(folder: Path, *lines: dict[str, Any]) -> Path:
    file = folder / "labels.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def evaluate_file(file: Path) -> Evaluation:
    return evaluate(detect_all(read_labels(file)))


def test_right_wrong_and_missed_pairs_are_counted(tmp_path: Path) -> None:
    evaluation = evaluate_file(
        written(
            tmp_path,
            video("This video is sponsored by Surfshark.", label("Surfshark")),
            video("This video is sponsored by Garmin.", label("Quillbarrow"), stratum="other"),
        )
    )
    assert evaluation.overall.score == Score(right=1, wrong=1, missed=1)
    assert evaluation.by_stratum["random"].score == Score(right=1)
    assert evaluation.by_stratum["other"].score == Score(wrong=1, missed=1)
    assert evaluation.by_kind["paid_sponsorship"].score == Score(right=1, wrong=1, missed=1)
    assert [(error.brand, error.text) for error in evaluation.missed] == [
        ("Quillbarrow", "by Quillbarrow")
    ]
    assert "sponsored by Garmin" in evaluation.wrong[0].text


@pytest.mark.parametrize(
    "labelled",
    [
        label("Shark of the Surf", domain="surfshark.com"),
        label("SURF-SHARK"),
        label("Shark of the Surf", aliases=["surfshark"]),
    ],
)
def test_a_label_matches_by_domain_name_or_alias(tmp_path: Path, labelled: dict[str, Any]) -> None:
    file = written(tmp_path, video("This video is sponsored by Surfshark.", labelled))
    assert evaluate_file(file).overall.score == Score(right=1)


def test_a_brand_to_ignore_counts_neither_way(tmp_path: Path) -> None:
    file = written(
        tmp_path, video("This video is sponsored by Surfshark.", ignore=[{"brand": "Surfshark"}])
    )
    assert evaluate_file(file).overall.score == Score()


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    file = written(tmp_path, video("x"), {"id": "v2"})
    with pytest.raises(ValueError, match=r"labels\.jsonl:2: .*channel"):
        evaluate_file(file)


def test_the_wilson_interval_holds_the_share_and_narrows_with_more_trials() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    low, high = wilson(9, 10)
    assert (round(low, 3), round(high, 3)) == (0.596, 0.982)
    more = wilson(90, 100)
    assert low < more[0] < 0.9 < more[1] < high


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("This is the walk with my friends", "en"),
        ("Das ist nicht mein See, und ich bin hier", "de"),
        ("Je suis dans les bois avec mes amis", "fr"),
        ("Los patos y las garzas en el lago, suscríbete", "es"),
        ("Não é um lago, é uma piscina do meu tio em casa", "pt"),
        ("Gli aironi sono nel lago e non sono miei, iscriviti", "it"),
        ("Прогулка вокруг озера", "ru"),
        ("湖のまわりをあるく", "ja"),
        ("호수를 걷는 날", "ko"),
        ("Dosto aaj ka din kya mast hai", "hi"),
        ("https://example.com/the/and/of", "other"),
    ],
)
def test_the_language_of_a_text_is_guessed_for_grouping(text: str, language: str) -> None:
    assert language_of(text) == language


def test_channels_are_resampled_alike_each_time_and_hold_the_share(tmp_path: Path) -> None:
    lines = [
        video(
            "This video is sponsored by Surfshark.",
            label("Surfshark" if n % 3 else "Quillbarrow"),
            id=f"v{n}",
            channel=f"Lakeside {n}",
        )
        for n in range(30)
    ]
    file = written(tmp_path, *lines)
    first, second = evaluate_file(file).overall, evaluate_file(file).overall
    assert first == second
    low, high = first.precision_interval
    assert 0 < low < 20 / 30 < high < 1


def test_the_same_groups_give_the_same_intervals() -> None:
    groups = [n / 7 for n in range(60)]

    def mean(drawn: Sequence[float]) -> list[float]:
        return [sum(drawn) / len(drawn)]

    ((low, high),) = bootstrap(groups, mean)
    assert [(low, high)] == bootstrap(groups, mean)
    assert low < sum(groups) / len(groups) < high


def test_videos_of_one_channel_are_resampled_together(tmp_path: Path) -> None:
    def interval(channels: int) -> float:
        lines = [
            video(
                "This video is sponsored by Surfshark.",
                label("Quillbarrow" if n % channels < channels // 2 else "Surfshark"),
                id=f"v{n}",
                channel=f"Lakeside {n % channels}",
            )
            for n in range(120)
        ]
        low, high = evaluate_file(written(tmp_path, *lines)).overall.precision_interval
        return high - low

    assert interval(12) > 2 * interval(120)


def test_scores_are_given_by_line_breaks(tmp_path: Path) -> None:
    text = "This video is sponsored by Surfshark."
    by_breaks = evaluate_file(
        written(
            tmp_path,
            video(text, label("Surfshark")),
            video(text, label("Quillbarrow"), newlines_lost=True),
        )
    ).by_breaks
    assert by_breaks["intact"].score == Score(right=1)
    assert by_breaks["lost"].score == Score(wrong=1, missed=1)


@pytest.mark.parametrize(
    ("labelled", "exact"),
    [
        (label("The SurfShark"), 1),
        (label("Shark of the Surf", domain="surfshark.com"), 0),
        (label("Shark of the Surf", aliases=["Surfshark"]), 0),
    ],
)
def test_a_name_is_exact_when_it_is_the_labels_own(
    tmp_path: Path, labelled: dict[str, Any], exact: int
) -> None:
    file = written(tmp_path, video("This video is sponsored by Surfshark.", labelled))
    evaluation = evaluate_file(file)
    assert (evaluation.exact_names, evaluation.matched) == (exact, 1)


def test_a_second_claim_for_one_label_is_a_duplicate() -> None:
    labelled = read_labelled(video("", label("Shark of the Surf", aliases=["Surfshark", "Garmin"])))
    found = propose(
        "", "This video is sponsored by Surfshark.\nThis video is sponsored by Garmin.",
        ChannelContext(),
    )  # fmt: skip
    evaluation = evaluate([Result(labelled, found)])
    assert evaluation.overall.score == Score(right=1)
    assert (evaluation.matched, evaluation.duplicates) == (2, 1)


def test_predictions_are_a_line_a_video_of_what_is_published(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        video("This video is sponsored by Surfshark."),
        video("A walk around the lake.", id="v2"),
    )
    results = detect_all(read_labels(file))
    predictions = tmp_path / "predictions.jsonl"
    write_predictions(results, predictions)
    lines = [json.loads(line) for line in predictions.read_text("utf-8").splitlines()]
    (sponsor,) = lines[0].pop("sponsors")
    assert lines == [{"id": "v1"}, {"id": "v2", "sponsors": []}]
    assert sponsor.pop("probability") >= LEAST_PROBABILITY
    assert sponsor == {"brand": "Surfshark", "domain": "surfshark.com", "kind": "paid_sponsorship"}


def test_each_channel_is_decided_by_the_decider_chosen_for_it(tmp_path: Path) -> None:
    never = Decider((), (Tree([-1], [0], [0], [0], [0.0]),), (0.0, 1.0), (0.0, 1.0), {})
    text = "This video is sponsored by Surfshark."
    videos = read_labels(written(tmp_path, video(text), video(text, id="v2", channel="Shore")))
    results = detect_all(videos, lambda channel: never if channel == "Shore" else None)
    assert [len(result.published) for result in results] == [1, 0]


def test_bands_hold_every_candidate_and_their_mean() -> None:
    bands = bands_of([(0.05, False), (0.31, True), (0.39, False), (0.3, True), (1.0, True)])
    assert [band.candidates for band in bands] == [1, 0, 0, 3, 0, 0, 0, 0, 0, 1]
    assert bands[3].right == 2
    assert bands[3].mean == pytest.approx(1 / 3)
    assert bands[3].share == pytest.approx(2 / 3)


def test_the_calibration_error_is_the_mean_distance_weighed_by_candidates() -> None:
    even = [(0.5, True), (0.5, False)]
    assert expected_error(bands_of(even)) == 0
    assert expected_error(bands_of([*even, (0.9, False), (0.9, False)])) == pytest.approx(0.45)
    assert expected_error(bands_of([])) == 0


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=40))
def test_no_candidate_is_lost_between_bands(candidates: list[tuple[float, bool]]) -> None:
    bands = bands_of(candidates)
    assert sum(band.candidates for band in bands) == len(candidates)
    assert sum(band.right for band in bands) == sum(is_right for _, is_right in candidates)
    assert 0 <= expected_error(bands) <= 1
