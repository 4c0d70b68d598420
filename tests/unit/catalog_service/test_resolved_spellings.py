"""A sponsor is found by its name as it is written, and is similar by other spellings."""

import pytest

from catalog_service.domain import references
from catalog_service.domain.references import Candidate, is_spelled
from shapes.catalog.shared import SponsorRef


@pytest.mark.parametrize(
    ("written", "name", "rank", "expected"),
    [
        ("1&1", "1&1", 2, True),
        ("1+1", "1&1", 2, False),
        ("१+१", "1+1", 2, True),
        ("1+1", "१+१", 2, True),
        ("१+१", "1&1", 2, False),
        ("nord-vpn ", "NordVPN", 2, True),
        ("Дом", "Дом.ру", 3, False),
        ("Proton VPN", "Proton", 99, False),
        ("proton.me", "Proton", 2, True),
        ("sp_1", "Proton", 0, True),
    ],
)
def test_in_a_name_without_letters_every_sign_counts(
    written: str, name: str, rank: int, *, expected: bool
) -> None:
    reference = references.read_sponsor("names[0]", written)
    found = Candidate(rank, SponsorRef("sp_1", "slug", name, domain=None, category=None), "hint")
    assert is_spelled(reference, found) is expected
