"""Notes name the fields that are unknown of what a filter leaves out."""

from dataclasses import fields

import pytest

from catalog_service.domain.excluded_videos import FILTERED_FIELDS


@pytest.mark.parametrize("query", FILTERED_FIELDS, ids=lambda query: query.__name__)
def test_the_named_fields_are_those_of_the_query(query: type) -> None:
    assert FILTERED_FIELDS[query].keys() <= {field.name for field in fields(query)}
