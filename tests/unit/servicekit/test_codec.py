"""Dataclasses and messages say the same, in both directions."""

import dataclasses
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protos.catalog.v1 import catalog_pb2 as pb
from servicekit.grpc import codec as wire


@dataclasses.dataclass(frozen=True, slots=True)
class Period:
    from_date: date
    to_date: date


@dataclasses.dataclass(frozen=True, slots=True)
class SponsorRef:
    id: str
    slug: str
    name: str
    domain: str | None
    category: str | None


@dataclasses.dataclass(frozen=True, slots=True)
class Sponsorship:
    sponsor: SponsorRef
    kind: str
    code: str | None
    link: str | None
    confidence: float
    detector_version: str


@dataclasses.dataclass(frozen=True, slots=True)
class Video:
    id: str
    published_at: datetime
    views: int | None


@dataclasses.dataclass(frozen=True, slots=True)
class YoutuberVideo:
    video: Video
    sponsorships: tuple[Sponsorship, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Stranger:
    no_such_field: str


text = st.text(st.characters(exclude_categories=["Cs"]))
references = st.builds(SponsorRef, text, text, text, st.none() | text, st.none() | text)
sponsorships = st.builds(
    Sponsorship, references, text, st.none() | text, st.none() | text, st.floats(0, 1), text
)
videos = st.builds(
    Video,
    text,
    st.datetimes(min_value=datetime(1970, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    st.none() | st.integers(0, 2**62),
)
youtuber_videos = st.builds(YoutuberVideo, videos, st.lists(sponsorships, max_size=3).map(tuple))


@given(youtuber_videos)
def test_an_encoded_value_is_decoded_unchanged(value: YoutuberVideo) -> None:
    message = wire.encode(value, pb.YoutuberVideo)
    parsed = pb.YoutuberVideo.FromString(message.SerializeToString())
    assert wire.decode(parsed, YoutuberVideo) == value


def test_an_absent_field_and_an_empty_one_stay_different() -> None:
    empty = wire.encode(SponsorRef("sp_1", "a", "A", "", None), pb.SponsorRef)
    assert empty.HasField("domain")
    assert not empty.HasField("category")


def test_instants_travel_in_utc() -> None:
    vienna = timezone(timedelta(hours=2))
    video = Video("v_1", datetime(2026, 7, 1, 2, tzinfo=vienna), None)
    assert wire.encode(video, pb.Video).published_at == "2026-07-01T00:00:00Z"


def test_days_travel_as_iso_dates() -> None:
    period = Period(date(2024, 1, 31), date(2024, 2, 29))
    message = wire.encode(period, pb.Period)
    assert (message.from_date, message.to_date) == ("2024-01-31", "2024-02-29")
    assert wire.decode(message, Period) == period


def test_a_field_that_the_message_lacks_is_an_error_of_the_program() -> None:
    with pytest.raises(TypeError, match="no_such_field"):
        wire.encode(Stranger("x"), pb.Period)
