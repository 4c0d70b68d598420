"""Scores of the detector on labelled videos."""

import json
from pathlib import Path
from typing import Any

import pytest

from import_worker.detector.evaluation import Score, evaluate_file, wilson
from import_worker.detector.languages import language_of


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


def test_right_wrong_and_missed_pairs_are_counted(tmp_path: Path) -> None:
    evaluation = evaluate_file(
        written(
            tmp_path,
            video("This video is sponsored by Surfshark.", label("Surfshark")),
            video("This video is sponsored by Garmin.", label("Quillbarrow"), stratum="other"),
        )
    )
    assert evaluation.overall == Score(right=1, wrong=1, missed=1)
    assert evaluation.by_stratum["random"] == Score(right=1)
    assert evaluation.by_stratum["other"] == Score(wrong=1, missed=1)
    assert evaluation.by_kind["paid_sponsorship"] == Score(right=1, wrong=1, missed=1)
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
    assert evaluate_file(file).overall == Score(right=1)


def test_a_brand_to_ignore_counts_neither_way(tmp_path: Path) -> None:
    file = written(
        tmp_path, video("This video is sponsored by Surfshark.", ignore=[{"brand": "Surfshark"}])
    )
    assert evaluate_file(file).overall == Score()


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
