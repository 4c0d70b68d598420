"""The page of the reports that the account has sent, and of what was decided about them."""

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.plans import CHANNEL_IMPORT
from auth_service.web.page_request import Audience, PageRequest, get
from auth_service.web.site import Site


def routes(site: Site) -> list[Route]:
    """Return the route of the page."""
    return [get(site, "/account/reports", _page, Audience.VISITOR)]


async def _page(page: PageRequest) -> Response:
    visitor = page.required_visitor
    found = await page.site.reports.page(visitor, page.request.query_params.get("cursor", ""))
    return page.render(
        "reports.html",
        plan_has_reports=page.site.account_service.plan(visitor).has(CHANNEL_IMPORT),
        reports=found.reports,
        next_cursor=found.next_cursor,
    )
