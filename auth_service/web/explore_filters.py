"""The filters of pages with data, from their addresses."""

from typing import Any, Final

from auth_service.domain.explore.tables import PERIOD, Order
from auth_service.web.page_request import PageRequest

KINDS: Final = {
    "paid_sponsorship": "Paid sponsorship",
    "promo_code": "Promo code",
    "affiliate": "Affiliate",
    "free_product": "Free product",
}
METRICS: Final = {"videos": "Sponsored videos", "creators": "Creators", "views": "Views"}
DEFAULT_METRIC: Final = "videos"
MAX_BRANDS: Final = 5


def text(page: PageRequest, name: str) -> str:
    """Return a parameter of the address, empty when it is absent."""
    return page.request.query_params.get(name, "").strip()


def order(page: PageRequest) -> Order:
    return Order(text(page, "sort"), text(page, "order") == "asc")


def chosen(page: PageRequest, *names: str) -> dict[str, Any]:
    """Return the parameters of these names that are given, `kinds` as a list."""
    found: dict[str, Any] = {name: text(page, name) for name in names if text(page, name)}
    kinds = [kind for kind in page.request.query_params.getlist("kinds") if kind]
    return {**found, "kinds": kinds} if kinds else found


def period(page: PageRequest) -> dict[str, str]:
    """Return the bounds of the period that the address has."""
    return {name: text(page, name) for name in PERIOD if text(page, name)}


async def period_form(page: PageRequest) -> dict[str, Any]:
    """Return the values of a form with a period, on a page that takes nothing but it."""
    return {
        "filter_form": "explore_period_form.html",
        "path": page.request.url.path,
        "chosen": period(page),
    }


def ranked_by(page: PageRequest) -> dict[str, Any]:
    """Return the parameters of a ranking, in one spelling for the same answer, which counts once a day."""
    found = chosen(page, "metric", "category", "content_category", "country", *PERIOD)
    if found.get("metric") == DEFAULT_METRIC:
        del found["metric"]
    if "country" in found:
        found["country"] = found["country"].upper()
    return found


def brands(page: PageRequest) -> list[str]:
    """Return the brands of a comparison: each of its own field, or several in one, comma-separated."""
    fields = page.request.query_params.getlist("brands")
    names = [name.strip() for field in fields for name in field.split(",")]
    return list(dict.fromkeys(name for name in names if name))[:MAX_BRANDS]
