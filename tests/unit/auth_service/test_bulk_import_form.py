"""The channels of a pasted list or a file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auth_service.domain.site.bulk_imports import channels_of

NAMES = st.from_regex(r"@[a-z0-9_.-]{3,20}", fullmatch=True)


@pytest.mark.parametrize(
    ("text", "channels"),
    [
        ("", []),
        ("@one\r\n\r\n @two ", ["@one", "@two"]),
        ("channel,name\n@one,One\n", ["@one"]),
        ('\ufeffHandle;Name\n"@one";One', ["@one"]),
        ("@one\tOne\n@two\tTwo", ["@one", "@two"]),
        ("@one\nchannel", ["@one", "channel"]),
    ],
)
def test_the_first_column_of_each_line_is_a_channel_and_a_heading_is_none(
    text: str, channels: list[str]
) -> None:
    assert channels_of(text) == channels


@given(
    st.lists(NAMES, max_size=30), st.sampled_from((",", ";", "\t")), st.sampled_from(("\n", "\r\n"))
)
def test_a_table_gives_the_channels_that_it_was_made_of(
    names: list[str], separator: str, ending: str
) -> None:
    table = ending.join(f"{name}{separator}some name" for name in names)
    assert channels_of(table) == names


@given(st.text())
def test_no_text_gives_an_empty_channel(text: str) -> None:
    assert all(channel == channel.strip() and channel for channel in channels_of(text))
