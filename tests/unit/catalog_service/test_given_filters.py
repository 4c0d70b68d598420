"""The filters of a request as a note names them."""

from catalog_service.domain.coverage import given_filters
from shapes.catalog.youtubers import YoutuberVideosRequest


def test_a_condition_that_is_false_is_named_as_json_has_it() -> None:
    request = YoutuberVideosRequest(
        youtuber="ada", sponsored=False, from_date="2024-01-01", to_date=None,
        min_confidence=0.0, kinds=(), limit=10, cursor=None,
    )  # fmt: skip
    assert given_filters(request) == ["`sponsored` false", "`since` 2024-01-01"]
