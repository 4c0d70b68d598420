"""References in the forms that people write to name a channel."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from import_worker.domain.sources import MalformedChannelId, Reference, parse_reference
from servicekit.errors import InvalidInput

CHANNEL = "UC0123456789_-abcdefABCD"
VIDEO = "dQ-_4w9WgX5"

letters = st.sampled_from("abcXYZ019_-")
channel_ids = st.text(letters, min_size=22, max_size=22).map(lambda rest: f"UC{rest}")
video_ids = st.text(letters, min_size=11, max_size=11)
handles = st.from_regex(r"@[a-zA-Z0-9_-][a-zA-Z0-9._-]{1,28}[a-zA-Z0-9_-]", fullmatch=True)
hosts = st.sampled_from(["youtube.com", "www.youtube.com", "m.youtube.com", "WWW.YouTube.com"])
schemes = st.sampled_from(["https://", "http://", ""])
endings = st.sampled_from(["", "/", "/videos", "/about?view=1", "?si=abc", "#top"])


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        (CHANNEL, "channel_id", CHANNEL),
        (f"  {CHANNEL}\n", "channel_id", CHANNEL),
        ("@some.maker", "handle", "@some.maker"),
        ("somemaker", "handle", "@somemaker"),
        ("@作る人たち", "handle", "@作る人たち"),
        (f"https://www.youtube.com/channel/{CHANNEL}/videos", "channel_id", CHANNEL),
        ("https://www.youtube.com/@some.maker/featured", "handle", "@some.maker"),
        ("https://www.youtube.com/@%E4%BD%9C%E3%82%8B%E4%BA%BA", "handle", "@作る人"),
        ("https://www.youtube.com/c/Caf%C3%A9", "username", "Café"),
        ("youtube.com/user/oldname", "username", "oldname"),
        ("https://youtube.com/c/OldName?app=desktop", "username", "OldName"),
        (f"https://youtu.be/{VIDEO}?t=10", "video_id", VIDEO),
        (f"https://m.youtube.com/watch?list=PL1&v={VIDEO}", "video_id", VIDEO),
        (f"https://www.youtube.com/shorts/{VIDEO}", "video_id", VIDEO),
        (f"https://www.youtube.com/live/{VIDEO}", "video_id", VIDEO),
    ],
)
def test_channels_are_named_in_many_ways(text: str, kind: str, value: str) -> None:
    found = parse_reference(text)
    assert (found.kind, found.value) == (kind, value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "@",
        "@ab",
        "two words",
        "[]/",
        ".[",
        f"https://www.youtube.com/watch?v={'作' * 11}",
        "https://www.youtube.com/",
        "https://www.youtube.com/watch",
        "https://www.youtube.com/watch?v=short",
        "https://www.youtube.com/channel/UCshort",
        "https://www.youtube.com/playlist?list=PL0123456789",
        f"https://youtube.com.evil.example/channel/{CHANNEL}",
        f"https://evil.example/@youtube.com/channel/{CHANNEL}",
        f"https://youtube.com@evil.example/channel/{CHANNEL}",
        f"ftp://www.youtube.com/channel/{CHANNEL}",
        f"file:///channel/{CHANNEL}",
    ],
)
def test_a_text_that_names_no_channel_is_refused_with_the_field(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_reference(text)
    assert refused.value.details == {"field": "channel"}


@pytest.mark.parametrize(
    "text",
    ["UC123", CHANNEL[:-1], f"{CHANNEL}x", f"https://www.youtube.com/channel/{CHANNEL[:-1]}"],
)
def test_an_id_with_signs_missing_or_too_many_is_no_handle(text: str) -> None:
    with pytest.raises(MalformedChannelId, match="UC and 22 letters") as refused:
        parse_reference(text)
    assert refused.value.details == {"field": "channel"}


@pytest.mark.parametrize("text", ["UCLA", "@UC123", "UCBerkeley"])
def test_a_handle_may_begin_as_an_id_does(text: str) -> None:
    assert parse_reference(text) == Reference("handle", f"@{text.removeprefix('@')}")


@given(schemes, hosts, channel_ids, endings)
def test_every_channel_url_gives_its_id(scheme: str, host: str, value: str, ending: str) -> None:
    found = parse_reference(f"{scheme}{host}/channel/{value}{ending}")
    assert found == Reference("channel_id", value)


@given(schemes, hosts, handles, endings)
def test_every_handle_url_gives_its_handle(scheme: str, host: str, value: str, ending: str) -> None:
    found = parse_reference(f"{scheme}{host}/{value}{ending}")
    assert found == Reference("handle", value)


@given(schemes, hosts, video_ids)
def test_every_video_url_gives_its_id(scheme: str, host: str, value: str) -> None:
    assert parse_reference(f"{scheme}{host}/watch?v={value}") == Reference("video_id", value)
    assert parse_reference(f"{scheme}youtu.be/{value}") == Reference("video_id", value)


@given(handles)
def test_a_handle_means_the_same_with_and_without_its_at(handle: str) -> None:
    assert parse_reference(handle) == Reference("handle", handle)


@given(st.one_of(st.text(), st.text(st.sampled_from("htps:/.@?[]%#UCyoutube \\"))))
def test_any_text_is_either_understood_or_refused(text: str) -> None:
    with suppress(InvalidInput):
        assert parse_reference(text).value
