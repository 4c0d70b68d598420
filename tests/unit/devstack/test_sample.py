"""The bundled sample: facts alone, and public facts about its creators."""

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from catalog_service.domain.title_hashes import TITLE_HASH, title_hash
from devstack.catalog_files import CatalogItem, read_catalog_files
from devstack.catalog_files.encoding import encode
from devstack.sample.build import stripped, withdrawn
from devstack.sample.build import write as write_catalogue
from devstack.sample.creators import with_public_facts
from devstack.sample.languages import LANGUAGES, language_of
from devstack.sample.sponsors import with_public_facts as sponsor_facts
from devstack.youtube.from_data import from_data
from import_worker.detector import bundled_directory
from import_worker.domain.records import VideoRecord
from shapes.catalog.ingest import SponsorFact, YoutuberFact
from tests.unit.devstack.test_youtube_data import line, write

SAMPLE = resources.files("devstack.sample")


@pytest.fixture(scope="module")
def sample() -> Sequence[CatalogItem]:
    with resources.as_file(SAMPLE / "catalog.jsonl.gz") as file:
        return list(read_catalog_files([file]))


def _creators() -> list[dict[str, str]]:
    text = (SAMPLE / "creators.csv").read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


def test_every_video_has_the_hash_of_its_title_and_no_text(sample: Sequence[CatalogItem]) -> None:
    videos = [item for item in sample if isinstance(item, VideoRecord)]
    assert len(videos) == 11_930
    assert sum(len(video.sponsorships) for video in videos) == 1_683
    assert sum(bool(video.sponsorships) for video in videos) == 1_427
    for video in videos:
        assert video.title is None
        assert TITLE_HASH.fullmatch(video.title_hash or "")
        assert all(sponsorship.excerpt is None for sponsorship in video.sponsorships)


def test_most_videos_have_a_language(sample: Sequence[CatalogItem]) -> None:
    languages = Counter(item.language for item in sample if isinstance(item, VideoRecord))
    assert set(languages) - {None} <= set(LANGUAGES)
    assert languages[None] < 0.12 * languages.total()
    assert languages["en"] > 8_000
    assert min(languages[language] for language in ("ja", "ko", "ru")) > 200


@pytest.mark.parametrize(
    ("title", "description", "language"),
    [
        (
            "Who built the first bridge of this town?",
            "We asked the people who still remember it.",
            "en",
        ),
        ("Wer hat die erste Brücke dieser Stadt gebaut?", "Wir haben die Leute gefragt.", "de"),
        ("誰がこの町の橋を作ったのか", "覚えている人に聞きました", "ja"),
        ("https://example.com/ouvrir 0:00", "#avant @quelqu.un", None),
        ("XQ-7", "", None),
    ],
)
def test_the_language_is_that_of_the_words_without_links_and_tags(
    title: str, description: str, language: str | None
) -> None:
    assert language_of(title, description) == language


def test_what_a_reader_withdrew_is_of_the_samples_videos_and_no_longer_there(
    sample: Sequence[CatalogItem],
) -> None:
    videos = {item.key: item for item in sample if isinstance(item, VideoRecord)}
    assert len(withdrawn()) == 186
    for key, slug in withdrawn():
        assert slug not in {sponsorship.sponsor_slug for sponsorship in videos[key].sponsorships}


@pytest.mark.parametrize(
    ("video", "sponsors"), [("mLOe7vGI0YI", {"miller-lite"}), ("S7xSLEuVoLE", set[str]())]
)
def test_a_brand_is_not_taken_for_one_of_a_similar_name(
    sample: Sequence[CatalogItem], video: str, sponsors: set[str]
) -> None:
    (found,) = [item for item in sample if isinstance(item, VideoRecord) and item.key == video]
    slugs = {sponsorship.sponsor_slug for sponsorship in found.sponsorships}
    assert sponsors <= slugs
    assert not {"mailerlite", "888casino"} & slugs


def test_facts_of_videos_survive_writing_and_reading(
    tmp_path: Path, sample: Sequence[CatalogItem]
) -> None:
    video = next(item for item in sample if isinstance(item, VideoRecord))
    full = replace(
        video,
        likes=3,
        comments=0,
        observed_at=date(2024, 2, 29),
        language="pt-BR",
        broadcast="ended",
    )
    target = tmp_path / "catalog.jsonl.gz"
    write_catalogue(target, [full])
    assert list(read_catalog_files([target])) == [full]


def test_public_facts_are_of_sponsors_that_the_directory_does_not_know(
    sample: Sequence[CatalogItem],
) -> None:
    sponsors = {item.slug: item for item in sample if isinstance(item, SponsorFact)}
    directory = {brand.slug for brand in bundled_directory().brands}
    rows = list(csv.DictReader((SAMPLE / "sponsors.csv").read_text("utf-8").splitlines()))
    for row in rows:
        assert row["slug"] not in directory
        sponsor = sponsors[row["slug"]]
        assert sponsor_facts(sponsor) == sponsor
        for name in ("category", "country"):
            assert not row[name] or getattr(sponsor, name) == row[name]
    google = sponsors["google"]
    assert (google.domains, google.category, google.country) == (("google.com",), "software", "US")


def test_public_facts_are_of_sponsored_creators_of_the_sample(
    sample: Sequence[CatalogItem],
) -> None:
    sponsored = {
        item.youtuber_key for item in sample if isinstance(item, VideoRecord) and item.sponsorships
    }
    youtubers = {item.key: item for item in sample if isinstance(item, YoutuberFact)}
    for row in _creators():
        assert row["key"] in sponsored
        assert youtubers[row["key"]].handle == (row["handle"] or None)
    handles = Counter(item.handle.lower() for item in youtubers.values() if item.handle)
    assert set(handles.values()) == {1}
    assert youtubers["UCBJycsmduvYEL83R_U4JriQ"].handle == "@mkbhd"


def test_public_facts_fill_what_is_missing_and_change_nothing() -> None:
    key = "UCsXVk37bltHxD1rDPwtNM8Q"
    filled = with_public_facts(YoutuberFact(key=key, name="Kurzgesagt", country="AT"))
    assert (filled.handle, filled.country, filled.category) == ("@kurzgesagt", "AT", "education")
    unknown = YoutuberFact(key="name:nobody", name="Nobody")
    assert with_public_facts(unknown) == unknown


def test_titles_that_differ_in_form_alone_have_one_hash() -> None:
    assert title_hash("Ｔhe  Shelf\n") == title_hash("the shelf")
    assert title_hash("the shelf!") != title_hash("the shelf")


def test_a_stripped_video_has_the_hash_of_its_title(tmp_path: Path) -> None:
    (video,) = (
        item
        for item in read_catalog_files([_written(tmp_path, title="A shelf")])
        if isinstance(item, VideoRecord)
    )
    fields = encode(stripped(video))
    assert "shelf" not in fields.lower()
    assert title_hash("A shelf") in fields


def test_the_stand_in_knows_the_handles_of_the_sample(tmp_path: Path) -> None:
    (channel,) = from_data(
        write(tmp_path, line(channel_title="3Blue1Brown", channel_id=None, video_id="#NAME?"))
    ).channels
    assert (channel.handle, channel.country) == ("@3blue1brown", "US")
    assert len(channel.videos[0].video_id) == 11


def _written(folder: Path, **changes: Any) -> Path:
    path = folder / "videos.jsonl"
    path.write_text(line(**changes))
    return path
