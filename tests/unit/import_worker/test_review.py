"""Choice of what to label next, and the lines that decisions become."""

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from import_worker.detector import ChannelContext, Detection, propose
from import_worker.detector.decision_file import DecisionFile
from import_worker.detector.evaluation import Result
from import_worker.detector.labelled import (
    LabelledVideo,
    is_exam_channel,
    read_labelled,
    read_labels,
)
from import_worker.detector.review import (
    Suggestion,
    read_videos,
    suggestions_of,
    unknown_brands,
)

TEXT = "This video is sponsored by Surfshark."
(DETECTION,) = propose("", TEXT, ChannelContext())


def detection(brand: str, confidence: float) -> Detection:
    return replace(DETECTION, brand=brand, domain=None, confidence=confidence)


def result(*proposed: Detection, channel: str = "Shore", **more: Any) -> Result:
    line = {"id": f"v-{channel}", "channel": channel, "title": "", "description": TEXT}
    return Result(read_labelled({"sponsors": [], **line, **more}), proposed)


def test_candidates_nearest_to_an_even_chance_come_first() -> None:
    results = [result(detection("Sure", 0.95), detection("Even", 0.52), detection("Low", 0.2))]
    assert [suggestion.detection.brand for suggestion in suggestions_of(results)] == [
        "Even",
        "Low",
        "Sure",
    ]


def test_what_a_label_names_is_suggested_no_more() -> None:
    labelled = result(
        *(detection(brand, 0.5) for brand in ("Tarnwick", "Osprell", "Brockwell")),
        sponsors=[{"brand": "Tarnwick", "kind": "affiliate"}],
        ignore=[{"brand": "Osprell"}],
    )
    assert [suggestion.detection.brand for suggestion in suggestions_of([labelled])] == [
        "Brockwell"
    ]


def test_unknown_brands_of_several_channels_are_listed_the_widest_first() -> None:
    results = [
        result(detection("Tarnwick", 0.4), channel="a"),
        result(detection("tarnwick", 0.8), detection("Osprell", 0.5), channel="b"),
        result(detection("Osprell", 0.5), detection("Tarnwick", 0.6), channel="c"),
        result(detection("Surfshark", 0.5), detection("Brockwell", 0.5), channel="d"),
        result(detection("Surfshark", 0.5), channel="e"),
    ]
    brands = unknown_brands(suggestions_of(results))
    assert [(brand.name.lower(), brand.channels) for brand in brands] == [
        ("tarnwick", 3),
        ("osprell", 2),
    ]
    assert brands[0].probability == pytest.approx(0.6)


def suggestion(video: LabelledVideo, brand: str) -> Suggestion:
    return Suggestion(video, detection(brand, 0.5))


def test_decisions_are_labelled_videos_that_are_read_again(tmp_path: Path) -> None:
    video = result(channel="a", sponsors=[{"brand": "Eskvale", "kind": "affiliate"}]).video
    names = ("Tarnwick", "Osprell", "Brockwell", "Dunmore")
    all_of_it = [suggestion(video, name) for name in names]
    file = tmp_path / "decisions.jsonl"
    decisions = DecisionFile(file)
    for item, decision in zip(all_of_it, ("sponsor", "none", "ignore"), strict=False):
        decisions.add(item, decision, all_of_it)
    (read,) = read_labels(file)
    assert (read.id, read.channel, read.description) == (video.id, video.channel, TEXT)
    assert [(label.brand, label.kind) for label in read.sponsors] == [
        ("Eskvale", "affiliate"),
        ("Tarnwick", "paid_sponsorship"),
    ]
    assert read.sponsors[1].evidence in TEXT
    assert {label.brand for label in read.ignored} == {"Brockwell", "Dunmore"}
    again = DecisionFile(file)
    assert [again.has(item) for item in all_of_it] == [True, True, True, False]


def test_decisions_join_a_file_of_labels_whatever_its_texts_hold(tmp_path: Path) -> None:
    odd = "A lake\u2028of two\x85lines, half a heart \ud83d"
    labelled: dict[str, Any] = {
        "id": "v-a",
        "channel": "a",
        "title": "",
        "description": odd,
        "sponsors": [],
    }
    file = tmp_path / "labels.jsonl"
    file.write_text(json.dumps(labelled) + "\n", encoding="utf-8")
    (video,) = read_labels(file)
    DecisionFile(file).add(suggestion(video, "Tarnwick"), "none", ())
    DecisionFile(file).add(suggestion(video, "Osprell"), "sponsor", ())
    (read,) = read_labels(file)
    assert read.description == odd
    assert [label.brand for label in read.sponsors] == ["Osprell"]


def test_a_later_decision_joins_the_line_of_its_video(tmp_path: Path) -> None:
    first, second = result(channel="a").video, result(channel="b").video
    file = tmp_path / "decisions.jsonl"
    both = [suggestion(first, "Tarnwick"), suggestion(first, "Osprell")]
    DecisionFile(file).add(both[0], "none", both)
    DecisionFile(file).add(suggestion(second, "Tarnwick"), "sponsor", ())
    DecisionFile(file).add(both[1], "sponsor", both)
    videos = read_labels(file)
    assert [(video.id, len(video.sponsors), video.ignored) for video in videos] == [
        ("v-a", 1, ()),
        ("v-b", 1, ()),
    ]


def test_a_line_that_is_no_labelled_video_is_named_and_nothing_is_lost(tmp_path: Path) -> None:
    file = tmp_path / "decisions.jsonl"
    file.write_text('{"id": "earlier"}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"decisions\.jsonl:1: a labelled video has no field"):
        DecisionFile(file)
    assert file.read_text("utf-8") == '{"id": "earlier"}\n'


def test_collected_videos_are_read_from_a_gzipped_file(tmp_path: Path) -> None:
    line = {"video_id": None, "channel_title": "Shore", "title": "A", "description": None}
    file = tmp_path / "videos.jsonl.gz"
    file.write_bytes(gzip.compress(json.dumps({**line, "category_id": "22"}).encode() + b"\n"))
    (video,) = read_videos(file)
    assert (video.id, video.channel, video.description) == ("line 1", "Shore", "")
    assert video.category == 22
    file.write_bytes(gzip.compress(b"{}\n"))
    with pytest.raises(ValueError, match=r"videos\.jsonl\.gz:1"):
        read_videos(file)


def test_channels_of_the_exam_are_not_suggested(tmp_path: Path) -> None:
    base = {"video_id": "v", "title": "", "description": "", "category_id": None}
    channels = [f"Lakeside {n}" for n in range(40)]
    lines = "".join(json.dumps({**base, "channel_title": channel}) + "\n" for channel in channels)
    file = tmp_path / "videos.jsonl.gz"
    file.write_bytes(gzip.compress(lines.encode()))
    read = [video.channel for video in read_videos(file, exclude_exam=True)]
    assert read == [channel for channel in channels if not is_exam_channel(channel)]
    assert 0 < len(read) < len(read_videos(file)) == 40


def test_collected_videos_are_read_from_a_file_that_is_not_compressed(tmp_path: Path) -> None:
    line = {"video_id": "v", "channel_title": "Shore", "title": "A row", "description": TEXT}
    file = tmp_path / "videos.jsonl"
    file.write_text(json.dumps(line) + "\n")
    assert [(video.id, video.channel) for video in read_videos(file)] == [("v", "Shore")]
