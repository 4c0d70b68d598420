"""Labels: what names one, and which videos are kept back."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from import_worker.detector.label_texts import read_texts
from import_worker.detector.labelled import (
    Label,
    is_exam_channel,
    names_label,
    read_labelled,
    read_labels,
)

LABEL = Label(
    brand="The Quillbarrow",
    domain="quillbarrow.com",
    aliases=("Quill & Barrow", "qb.example"),
    kind="promo_code",
    other_domains=("Quillbarrow.de",),
)


@pytest.mark.parametrize(
    ("name", "domain"),
    [
        ("Something else", "quillbarrow.com"),
        ("Something else", "quillbarrow.de"),
        ("Something else", "qb.example"),
        ("quillbarrow", None),
        ("The Quillbarrow", "elsewhere.com"),
        ("Quill&Barrow", None),
    ],
)
def test_any_domain_or_name_of_a_label_matches(name: str, domain: str | None) -> None:
    assert names_label(name, domain, LABEL)


@pytest.mark.parametrize(("name", "domain"), [("Quill", None), ("Barrow", "barrow.com"), ("", "")])
def test_another_name_at_another_domain_does_not_match(name: str, domain: str) -> None:
    assert not names_label(name, domain, LABEL)


def line(channel: str, **more: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "id": channel,
        "channel": channel,
        "title": "",
        "description": "",
        "sponsors": [],
    }
    return {**base, **more}


def test_line_breaks_category_and_further_domains_are_read() -> None:
    sponsor = {"brand": "Tarnwick", "domain": "t.com", "domains": ["u.com"], "kind": "promo code"}
    video = read_labelled(line("a", sponsors=[sponsor], newlines_lost=True, category_id="22"))
    assert video.lost_breaks
    assert video.category == 22
    assert video.sponsors[0].domains == {"t.com", "u.com"}
    assert video.sponsors[0].kind == "promo_code"


def test_of_the_exams_channels_nothing_is_read(tmp_path: Path) -> None:
    channels = [f"Lakeside {n}" for n in range(40)]
    back = [channel for channel in channels if is_exam_channel(channel)]
    # A line of a channel that is kept back has no further fields: reading them would fail.
    lines = [{"channel": channel} if channel in back else line(channel) for channel in channels]
    file = tmp_path / "labels.jsonl"
    file.write_text("".join(json.dumps(entry) + "\n" for entry in lines), encoding="utf-8")
    read = [video.channel for video in read_labels(file, exclude_exam=True)]
    assert back
    assert read == [channel for channel in channels if channel not in back]
    with pytest.raises(ValueError, match="no field"):
        read_labels(file)


@pytest.mark.parametrize(
    ("field", "brands", "words"),
    [
        ("ignore", [3], "the field 'ignore'"),
        ("sponsors", ["Quillbarrow"], "the field 'sponsors'"),
        ("sponsors", "Quillbarrow", "the field 'sponsors'"),
        ("sponsors", [{"brand": "Quillbarrow", "kind": "banana"}], "the field 'kind' is 'banana'"),
    ],
)
def test_what_a_field_may_not_hold_is_named_with_its_line(
    tmp_path: Path, field: str, brands: Any, words: str
) -> None:
    video: dict[str, Any] = {
        "id": "v",
        "channel": "Shore",
        "title": "",
        "description": "",
        "sponsors": [],
    }
    file = tmp_path / "labels.jsonl"
    file.write_text(json.dumps(video) + "\n" + json.dumps(video | {field: brands}) + "\n")
    with pytest.raises(ValueError, match=f"labels.jsonl:2: {words}"):
        read_labels(file)


def test_a_kind_may_be_written_with_blanks() -> None:
    brand = {"brand": "Quillbarrow", "kind": "paid sponsorship"}
    line = {"id": "v", "channel": "Shore", "title": "", "description": "", "sponsors": [brand]}
    assert read_labelled(line).sponsors[0].kind == "paid_sponsorship"


def test_labels_without_texts_have_those_of_the_collected_video(tmp_path: Path) -> None:
    video = {
        "video_id": "abc",
        "channel_title": "Lakeside Diary",
        "title": "A day",
        "description": "On the water.",
        "category_id": "22",
    }
    collected = tmp_path / "videos.jsonl.gz"
    collected.write_bytes(gzip.compress((json.dumps(video) + "\n").encode()))
    label = {
        "id": "x1",
        "video_id": "abc",
        "part": "unread",
        "sponsors": [],
        "ignore": ["Tarnwick"],
    }
    labels = tmp_path / "labels.jsonl"
    labels.write_text(json.dumps(label) + "\n")

    (read,) = read_labels(labels, texts=read_texts(collected))

    assert (read.channel, read.title, read.description) == (
        "Lakeside Diary",
        "A day",
        "On the water.",
    )
    assert (read.category, read.stratum, read.ignored[0].brand) == (22, "unread", "Tarnwick")


def test_a_label_whose_video_was_not_collected_is_named(tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text(json.dumps({"id": "x1", "video_id": "abc", "sponsors": []}) + "\n")

    with pytest.raises(ValueError, match=r"labels\.jsonl:1: .*abc"):
        read_labels(labels, texts={})


@pytest.mark.parametrize("content", [b"{}\n", b"not json\n"])
def test_a_damaged_file_of_collected_videos_is_named_with_its_line(
    content: bytes, tmp_path: Path
) -> None:
    collected = tmp_path / "videos.jsonl.gz"
    collected.write_bytes(gzip.compress(content))

    with pytest.raises(ValueError, match=r"videos\.jsonl\.gz:1"):
        read_texts(collected)
