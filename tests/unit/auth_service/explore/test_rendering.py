"""The texts of cells."""

import pytest

from auth_service.domain.explore import columns
from auth_service.web.explore_rendering import shown


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.125, "13%"),
        (0.135, "14%"),
        (-0.125, "-13%"),
        (0.0125, "1.3%"),
        (0.0625, "6.3%"),
        (1, "100%"),
        (0, "0.0%"),
    ],
)
def test_halves_of_a_percent_are_rounded_up_as_in_views(share: float, text: str) -> None:
    assert shown(columns.share("share", "Share"), {"share": share}) == text
