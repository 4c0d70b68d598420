"""Names are one line of bounded length that a terminal shows as it is."""

import pytest

from auth_service.domain.names import checked_name
from servicekit.errors import InvalidInput


@pytest.mark.parametrize("name", ["", "   ", "x" * 81])
def test_a_name_has_some_length(name: str) -> None:
    with pytest.raises(InvalidInput, match="1 to 80 characters"):
        checked_name(name, "an API key", 80)


@pytest.mark.parametrize("name", ["k\x1b]0;title\x07", "a\x9b2J", "a\x00b", "a\u202eb"])
def test_a_name_without_printed_form_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="control characters"):
        checked_name(name, "an API key", 80)


def test_whitespace_of_a_name_is_collapsed() -> None:
    assert checked_name("  nightly\n\treport ", "an API key", 80) == "nightly report"


@pytest.mark.parametrize(
    "name", ["\U0001f469\u200d\U0001f4bb laptop", "هفته\u200cای", "soft\u00adware"]
)
def test_joiners_and_soft_hyphens_may_be_in_a_name(name: str) -> None:
    assert checked_name(name, "an API key", 80) == name
