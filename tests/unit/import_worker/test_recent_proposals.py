"""A text that was read with all that is known of its channel is not read once more."""

from dataclasses import replace

import pytest

from import_worker.detector import ChannelContext
from import_worker.jobs import recent_proposals
from import_worker.jobs.proposals import propose
from import_worker.jobs.recent_proposals import RecentProposals
from tests.fakes.imports import channel_id, some_videos

LAKE = ChannelContext(name="Lake", own_keys=frozenset({"lake"}), videos=3)


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The titles that the detector has read."""
    read: list[str] = []

    def counted(video: object, context: ChannelContext) -> object:
        read.append(video.title)  # type: ignore[attr-defined]
        return propose(video, context)  # type: ignore[arg-type]

    monkeypatch.setattr(recent_proposals, "propose", counted)
    return read


def test_the_same_text_is_read_once_while_nothing_is_learnt(readings: list[str]) -> None:
    video = some_videos(channel_id(1), 1)[0]
    recent = RecentProposals()
    first = recent.propose(video, LAKE)
    again = recent.propose(replace(video), replace(LAKE, videos=9))
    assert first == again == propose(video, LAKE)
    assert readings == [video.title]


def test_a_text_is_read_again_when_it_or_what_is_known_has_changed(readings: list[str]) -> None:
    video = some_videos(channel_id(1), 1)[0]
    recent = RecentProposals()
    recent.propose(video, LAKE)
    recent.propose(video, replace(LAKE, own_domains=frozenset({"lake.example"})))
    recent.propose(video, replace(LAKE, boilerplate_domains={"acme.example": 0.5}))
    recent.propose(replace(video, description="Sponsored by Acme"), LAKE)
    assert len(readings) == 4


def test_no_more_is_remembered_than_the_limit(readings: list[str]) -> None:
    first, second = some_videos(channel_id(1), 2)
    recent = RecentProposals(limit=1)
    for video in (first, second, first):
        recent.propose(video, LAKE)
    assert readings == [first.title, second.title, first.title]
