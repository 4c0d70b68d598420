"""The filters of a request as a note names them."""

from dataclasses import replace
from datetime import date

from catalog_service.domain.coverage import CatalogTotals, Covered, given_filters
from shapes.catalog.videos import SearchCodesRequest
from shapes.catalog.youtubers import YoutuberVideosRequest


def test_a_condition_that_is_false_is_named_as_json_has_it() -> None:
    request = YoutuberVideosRequest(
        youtuber="ada", sponsored=False, from_date="2024-01-01", to_date=None,
        min_confidence=0.0, kinds=(), limit=10, cursor=None,
    )  # fmt: skip
    assert given_filters(request) == ["`sponsored` false", "`since` 2024-01-01"]


def test_a_request_whose_filters_are_all_required_has_no_advice_to_leave_one_out() -> None:
    day = date(2024, 1, 1)
    totals = CatalogTotals(1, 1, 1, 1, day, day, day, day)
    covered = Covered(totals, totals.scanned)
    alone = SearchCodesRequest(
        code="50", limit=10, cursor=None, account_id=None, in_list=None, not_in_list=None
    )
    assert covered.note(alone, (), of="promo code") == "No promo code matches `code` 50."
    listed = replace(alone, account_id="a", in_list="Mine")
    assert "Leave a filter out" in (covered.note(listed, (), of="promo code") or "")
