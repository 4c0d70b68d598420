"""Catalogue files: three kinds, good lines and bad ones."""

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devstack.catalog_files import BadLine, CatalogItem, read_catalog_files
from devstack.catalog_files.encoding import encode
from import_worker.domain.records import VideoRecord
from shapes.catalog.ingest import SponsorFact, YoutuberFact

RAW: dict[str, Any] = {
    "video_id": "abcdefghijk",
    "title": "A day at the lake",
    "channel_title": "Lakeside Diary",
    "channel_id": "UCabcdefghijklmnopqrstuv",
    "published_at": "2023-05-01T10:00:00Z",
    "category_id": "28",
    "views": 1200,
    "description": "This video is sponsored by NordVPN: https://nordvpn.com/lake",
}
SPONSOR = {
    "type": "sponsor",
    "slug": "quillbarrow",
    "name": "Quillbarrow",
    "aliases": [],
    "domains": ["quillbarrow.example"],
    "category": None,
    "country": None,
    "website": None,
}


def written(folder: Path, lines: list[Any], name: str = "videos.jsonl") -> Path:
    file = folder / name
    file.write_text(
        "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    )
    return file


def read(*files: Path) -> list[CatalogItem]:
    return list(read_catalog_files(files))


def test_a_raw_video_gives_its_channel_its_sponsors_and_itself(tmp_path: Path) -> None:
    youtuber, sponsor, video = read(written(tmp_path, [RAW]))
    assert isinstance(youtuber, YoutuberFact)
    assert isinstance(sponsor, SponsorFact)
    assert isinstance(video, VideoRecord)
    assert sponsor.name == "NordVPN"
    assert (video.youtuber_key, video.category) == (youtuber.key, "science-technology")
    assert video.sponsorships[0].sponsor_slug == sponsor.slug


def test_disclosures_and_segments_survive_our_own_format(tmp_path: Path) -> None:
    video = read(written(tmp_path, [RAW]))[-1]
    assert isinstance(video, VideoRecord)
    claim = replace(
        video.sponsorships[0], segment_start=195, segment_end=None, segment_source="chapter"
    )
    for disclosed in (True, False, None):
        changed = replace(video, sponsorships=(claim,), paid_promotion_disclosed=disclosed)
        (back,) = read(written(tmp_path, [encode(changed)], "own.jsonl"))
        assert isinstance(back, VideoRecord)
        assert back.paid_promotion_disclosed is disclosed
        assert back.sponsorships == changed.sponsorships
    bad = json.loads(encode(video)) | {"paid_promotion_disclosed": "yes"}
    (refused,) = read(written(tmp_path, [bad], "own.jsonl"))
    assert isinstance(refused, BadLine)
    assert "paid_promotion_disclosed" in refused.reason


def test_a_video_without_a_channel_id_joins_the_channel_of_its_title(tmp_path: Path) -> None:
    nameless = {**RAW, "channel_id": None, "video_id": "bcdefghijkl"}
    items = read(written(tmp_path, [nameless, RAW]))
    assert [i.key for i in items if isinstance(i, YoutuberFact)] == [RAW["channel_id"]]


def test_a_list_of_channels_adds_what_it_knows(tmp_path: Path) -> None:
    channels = written(
        tmp_path,
        [
            "channel_id,title,subscribers,views,country",
            f"{RAW['channel_id']},Lakeside Diary,900,1,AT",
        ],
        "channels.csv",
    )
    (youtuber,) = [
        i for i in read(channels, written(tmp_path, [RAW])) if isinstance(i, YoutuberFact)
    ]
    assert (youtuber.subscribers, youtuber.country) == (900, "AT")


def test_a_gzipped_file_reads_like_a_plain_one(tmp_path: Path) -> None:
    plain = written(tmp_path, [SPONSOR], "own.jsonl")
    packed = tmp_path / "own.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert read(plain) == read(packed)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("not json", "JSON"),
        ("[1]", "object"),
        ({**RAW, "published_at": "yesterday"}, "published_at"),
        ({**RAW, "views": -1}, "views"),
        ({**RAW, "views": "many"}, "views"),
        ({**RAW, "title": None}, "title"),
        ({**RAW, "video_id": "#NAME?"}, "video_id"),
        ({k: v for k, v in RAW.items() if k != "channel_title"}, "channel_title"),
    ],
)
def test_a_bad_line_is_named_with_its_reason_and_the_rest_goes_on(
    tmp_path: Path, line: Any, reason: str
) -> None:
    items = read(written(tmp_path, [RAW, line, {**RAW, "video_id": "cdefghijklm"}]))
    (bad,) = [item for item in items if isinstance(item, BadLine)]
    assert (bad.file, bad.line) == ("videos.jsonl", 2)
    assert reason in bad.reason
    assert len([item for item in items if isinstance(item, VideoRecord)]) == 2


def test_a_file_of_no_known_kind_says_so(tmp_path: Path) -> None:
    (bad,) = read(written(tmp_path, [{"something": "else"}]))
    assert isinstance(bad, BadLine)
    assert "format" in bad.reason


def test_a_damaged_archive_says_so(tmp_path: Path) -> None:
    packed = tmp_path / "own.jsonl.gz"
    packed.write_bytes(gzip.compress((json.dumps(SPONSOR) + "\n").encode() * 9000)[:-40])
    assert any(isinstance(item, BadLine) and "damaged" in item.reason for item in read(packed))


json_lines = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*RAW, "type"]), inner)
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(json_lines)
def test_no_line_stops_the_reading(tmp_path_factory: pytest.TempPathFactory, line: Any) -> None:
    folder = tmp_path_factory.mktemp("files")
    items = read(written(folder, [RAW, line, {**RAW, "video_id": "cdefghijklm"}]))
    assert len([item for item in items if isinstance(item, VideoRecord)]) >= 2
