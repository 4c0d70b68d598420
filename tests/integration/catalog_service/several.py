"""Several queries of one random catalogue: to fill it takes thirty times as long as to query it."""

from typing import Final, TypeVar

from hypothesis import strategies as st

QUERIES: Final = 4
Drawn = TypeVar("Drawn")


def several(strategy: st.SearchStrategy[Drawn]) -> st.SearchStrategy[list[Drawn]]:
    """Return what draws the queries that are put to the same catalogue."""
    return st.lists(strategy, min_size=QUERIES, max_size=QUERIES)
