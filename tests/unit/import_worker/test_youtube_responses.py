"""Reading what YouTube answers: whose page it is, and what an error is of."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from import_worker.clients import youtube_wire
from import_worker.clients.youtube_pages import channel_of_channel_page, channel_of_video_page
from import_worker.clients.youtube_wire import failure

OWN = f"UC{'o' * 22}"
OTHER = f"UC{'x' * 22}"


@pytest.mark.parametrize(
    "page",
    [
        f'<link rel="canonical" href="https://www.youtube.com/channel/{OWN}">',
        f'{{"externalId":"{OWN}"}}',
        f'{{"channelId":"{OTHER}"}}<link rel="canonical" href="https://x/channel/{OWN}">',
        json.dumps(f'"externalId":"{OTHER}"') + f'{{"externalId":"{OWN}"}}',
    ],
)
def test_a_channel_page_has_its_own_id_among_others(page: str) -> None:
    assert channel_of_channel_page(page.encode()) == OWN


@pytest.mark.parametrize("page", ["", f'{{"channelId":"{OTHER}"}}', '{"externalId":"UCshort"}'])
def test_a_channel_page_without_an_id_has_none(page: str) -> None:
    assert channel_of_channel_page(page.encode()) is None


def test_a_video_page_has_the_first_channel_that_its_text_cannot_forge() -> None:
    title = json.dumps(f'"channelId":"{OTHER}"')
    page = f'{{"title":{title},"channelId":"{OWN}","related":{{"channelId":"{OTHER}"}}}}'
    assert channel_of_video_page(page.encode()) == OWN


def test_a_page_of_a_missing_video_has_no_channel() -> None:
    page = f'{{"playabilityStatus":{{"status":"ERROR"}},"channelId":"{OTHER}"}}'
    assert channel_of_video_page(page.encode()) is None


def envelope(old: str | None, **detail: Any) -> bytes:
    errors: list[Any] = [{"reason": old, "domain": "global"}] if old else []
    return json.dumps({"error": {"errors": errors, "details": [detail]}}).encode()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("quotaExceeded", "", "quotaExceeded"),
        ("badRequest", "API_KEY_INVALID", "API_KEY_INVALID"),
        (None, "SERVICE_DISABLED", "SERVICE_DISABLED"),
        ("forbidden", "API_KEY_SERVICE_BLOCKED", "forbidden"),
        ("badRequest", "", "badRequest"),
    ],
)
def test_the_more_specific_reason_of_an_error_counts(
    old: str | None, new: str, expected: str
) -> None:
    found = failure(envelope(old, reason=new))
    assert found is not None
    assert found.reason == expected


@pytest.mark.parametrize(
    ("unit", "expected"), [("1/d/{project}", True), ("1/min/{project}", False)]
)
def test_a_daily_limit_is_distinguished_from_one_by_the_minute(unit: str, expected: object) -> None:
    found = failure(envelope("rateLimitExceeded", metadata={"quota_unit": unit}))
    assert found is not None
    assert found.is_of_the_day is expected


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"error":"text"}', b"\xff"])
def test_what_is_no_error_of_youtubes_is_none(body: bytes) -> None:
    assert failure(body) is None


def _video(video_id: str, published_at: str) -> dict[str, Any]:
    return {"id": video_id, "snippet": {"channelId": OWN, "publishedAt": published_at}}


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_a_date_outside_of_the_calendar_costs_its_video_alone(at: str) -> None:
    sent = {"items": [_video("a", at), _video("b", "2026-01-01T02:00:00+02:00")]}
    response = youtube_wire.decode(json.dumps(sent).encode(), youtube_wire.VideoList)
    (video,) = youtube_wire.videos(response)
    assert (video.video_id, video.published_at.isoformat()) == ("b", "2026-01-01T00:00:00+00:00")


@pytest.mark.parametrize(
    "body", [b"", b"\xff", b'{"items": "\\ud800"}', b'{"items": 1, "x": "\\u0000"}', b"[" * 100_000]
)
def test_an_invalid_response_stays_invalid_with_marks(body: bytes) -> None:
    with pytest.raises((msgspec.MsgspecError, ValueError, RecursionError)):
        youtube_wire.decode(body, youtube_wire.VideoList)


@given(st.text(st.characters(exclude_categories=())))
def test_text_is_read_as_it_was_sent_but_for_what_no_store_can_hold(text: str) -> None:
    sent = {
        "items": [{"id": text, "snippet": {"channelId": "", "publishedAt": "2026-01-01T00:00:00Z"}}]
    }
    (video,) = youtube_wire.videos(
        youtube_wire.decode(json.dumps(sent).encode(), youtube_wire.VideoList)
    )
    expected = "".join("\ufffd" if c == "\0" or 0xD800 <= ord(c) < 0xE000 else c for c in text)
    assert video.video_id == expected
