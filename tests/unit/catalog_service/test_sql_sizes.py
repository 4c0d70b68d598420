"""The size that a statement's values are taken to have is no less than what they may have."""

import pytest

from catalog_service.storage.sql import statements


@pytest.mark.parametrize(
    ("sql", "least"),
    [
        ("SELECT 'a' || 1e399", 401),
        ("SELECT 1e399 || 'a'", 401),
        ("SELECT 'a' || 12", 3),
        ("SELECT 'a' || x FROM (VALUES (1e200)) AS t(x)", 202),
    ],
)
def test_a_number_that_is_joined_to_a_text_has_all_of_its_digits(sql: str, least: int) -> None:
    ((_, value),) = statements.check(sql).rows.columns
    assert value.size >= least
