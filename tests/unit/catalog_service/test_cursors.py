"""Cursors hold for the query that they were issued for, and for nothing else."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog_service.domain.errors import BadCursor
from catalog_service.domain.paging import Cursors


@dataclass(frozen=True, slots=True)
class Query:
    words: str | None
    lowest: int | None
    limit: int = 10
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class OtherQuery:
    words: str | None
    lowest: int | None
    limit: int = 10
    cursor: str | None = None


queries = st.builds(Query, st.none() | st.text(max_size=20), st.none() | st.integers())
positions = st.lists(st.integers(-(2**60), 2**60) | st.text(max_size=12), min_size=1, max_size=3)
cursors = Cursors("a secret")


@given(queries, positions, st.integers(1, 50))
def test_a_cursor_gives_back_its_position_whatever_the_page_size(
    query: Query, position: list[str | int], limit: int
) -> None:
    cursor = cursors.issue(query, position)
    continued = replace(query, limit=limit, cursor=cursor)
    assert cursors.read(continued, cursor) == position


@given(queries, positions)
def test_a_cursor_survives_in_a_url(query: Query, position: list[str | int]) -> None:
    cursor = cursors.issue(query, position)
    assert cursor.isascii()
    assert cursor.replace("-", "").replace("_", "").isalnum()


@given(queries, queries, positions)
def test_a_cursor_of_other_arguments_is_refused(
    query: Query, other: Query, position: list[str | int]
) -> None:
    if query == other:
        return
    with pytest.raises(BadCursor):
        cursors.read(other, cursors.issue(query, position))


@given(queries, positions)
def test_a_cursor_of_another_query_or_secret_is_refused(
    query: Query, position: list[str | int]
) -> None:
    cursor = cursors.issue(query, position)
    with pytest.raises(BadCursor):
        cursors.read(OtherQuery(query.words, query.lowest), cursor)
    with pytest.raises(BadCursor):
        Cursors("another secret").read(query, cursor)


@given(queries, positions, st.data())
def test_a_cursor_with_any_character_changed_is_refused(
    query: Query, position: list[str | int], data: st.DataObject
) -> None:
    cursor = cursors.issue(query, position)
    index = data.draw(st.integers(0, len(cursor) - 1))
    other = data.draw(st.characters())
    if other == cursor[index]:
        return
    with pytest.raises(BadCursor):
        cursors.read(query, cursor[:index] + other + cursor[index + 1 :])


@given(queries, st.text(max_size=400))
def test_made_up_cursors_are_refused(query: Query, cursor: str) -> None:
    with pytest.raises(BadCursor) as caught:
        cursors.read(query, cursor)
    assert caught.value.details["field"] == "cursor"
