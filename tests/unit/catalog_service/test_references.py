"""Reading references."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog_service.domain import references
from catalog_service.domain.errors import Ambiguous, BadArgument, SponsorNotFound
from catalog_service.domain.references import Candidate
from shapes.catalog.shared import SponsorRef


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("NordVPN", ("NordVPN",)),
        ("nordvpn.com", ("nordvpn.com",)),
        ("https://www.nordvpn.com/deal?x=1", ("nordvpn.com",)),
        ("http://go.nordvpn.com:8080", ("go.nordvpn.com", "nordvpn.com")),
        ("Dr. Squatch", ("Dr. Squatch",)),
        ("Monday.com", ("monday.com", "Monday.com")),
        ("https://[", ("https://[",)),
    ],
)
def test_names_of_a_sponsor_are_most_specific_first(text: str, names: tuple[str, ...]) -> None:
    assert references.read_sponsor("sponsor", text).names == names


def test_ids_are_distinguished_from_names() -> None:
    assert references.read_sponsor("sponsor", "sp_12").number == 12
    assert references.read_sponsor("sponsor", "yt_12").number is None
    assert references.read_youtuber("youtuber", "yt_7").number == 7


@pytest.mark.parametrize(
    ("text", "channel_id", "handle", "name"),
    [
        ("@MrBeast", None, "@mrbeast", None),
        ("MrBeast", None, "@mrbeast", "MrBeast"),
        ("UC" + "x" * 22, "UC" + "x" * 22, None, None),
        ("https://www.youtube.com/channel/UC" + "x" * 22, "UC" + "x" * 22, None, None),
        ("https://youtube.com/@MrBeast/videos", None, "@mrbeast", None),
        ("m.youtube.com/c/Mr%20Beast", None, "@mr beast", "Mr Beast"),
        ("https://www.youtube.com/user/mrb", None, "@mrb", "mrb"),
        ("https://www.youtube.com/", None, "@https://www.youtube.com/", "https://www.youtube.com/"),
    ],
)  # fmt: skip
def test_what_names_a_youtuber(
    text: str, channel_id: str | None, handle: str | None, name: str | None
) -> None:
    reference = references.read_youtuber("youtuber", text)
    assert (reference.channel_id, reference.handle, reference.name) == (channel_id, handle, name)


@given(st.text(max_size=400))
def test_any_text_is_read_or_refused_by_field(text: str) -> None:
    for read in (references.read_sponsor, references.read_youtuber):
        with contextlib.suppress(BadArgument):
            assert read("the_field", text).text == text.strip()


def _candidate(number: int, rank: int) -> Candidate[SponsorRef]:
    return Candidate(rank, SponsorRef(f"sp_{number}", "s", "Same", None, None), f"hint {number}")


def test_the_most_specific_match_settles_it() -> None:
    found = [_candidate(1, 0), _candidate(2, 3), _candidate(3, 3)]
    assert references.settle_sponsor("sponsor", "Same", found, []).id == "sp_1"


def test_several_equal_matches_are_listed_up_to_five() -> None:
    with pytest.raises(Ambiguous) as caught:
        references.settle_sponsor("sponsor", "Same", [_candidate(n, 2) for n in range(7)], [])
    assert "sp_4 Same (hint 4)" in caught.value.public_message
    assert "sp_5" not in caught.value.public_message


@pytest.mark.parametrize(
    ("near", "ending"),
    [
        ([], "'x'. Look for it with `sponsor.search`, or give its web domain."),
        (["A"], "Did you mean A?"),
        (["A", "B"], "Did you mean A or B?"),
        (["A", "B", "C"], "Did you mean A, B or C?"),
    ],
)
def test_no_match_names_the_nearest(near: list[str], ending: str) -> None:
    with pytest.raises(SponsorNotFound) as caught:
        references.settle_sponsor("sponsor", "x", [], near)
    assert caught.value.public_message.endswith(ending)
