"""The operator's page: accounts, plans, usage, clients."""

from starlette.responses import Response
from starlette.routing import Route

from auth_service.web.page_request import Audience, PageRequest, get, post
from auth_service.web.site import Site

_PAGE = 50


def routes(site: Site) -> list[Route]:
    """Return the operator's routes; for other accounts they do not exist (404)."""
    return [
        get(site, "/operator", _overview, Audience.OPERATOR),
        post(site, "/operator/plan", _set_plan, Audience.OPERATOR),
        post(site, "/operator/disable", _disable, Audience.OPERATOR),
        post(site, "/operator/enable", _enable, Audience.OPERATOR),
    ]


async def _overview(page: PageRequest) -> Response:
    operations, query = page.site.operations, page.request.query_params
    search = query.get("q", "").strip().lower()
    reports = await operations.find_accounts(search, query.get("after", ""), _PAGE)
    totals = await operations.totals()
    clients = await page.site.applications.clients()
    return page.render(
        "operator.html",
        totals=totals,
        q=search,
        accounts=[
            {
                "account_id": report.account.account_id,
                "email": report.account.email,
                "plan_id": report.plan.plan_id,
                "plan_name": report.plan.name,
                "used": report.requests_this_month,
                "limit": report.plan.monthly_requests,
                "disabled": report.account.disabled_at is not None,
                "created_at": report.account.created_at,
            }
            for report in reports
        ],
        plans=[{"plan_id": p.plan_id, "name": p.name} for p in operations.plans.values()],
        next_after=reports[-1].account.email if len(reports) == _PAGE else None,
        clients=clients,
    )


async def _set_plan(page: PageRequest) -> Response:
    operations = page.site.operations
    email = await operations.email_of(page.value("account_id"))
    await operations.set_plan(email, page.value("plan"), _actor(page))
    return page.redirect("/operator")


async def _disable(page: PageRequest) -> Response:
    return await _set_disabled(page, disabled=True)


async def _enable(page: PageRequest) -> Response:
    return await _set_disabled(page, disabled=False)


async def _set_disabled(page: PageRequest, *, disabled: bool) -> Response:
    operations = page.site.operations
    email = await operations.email_of(page.value("account_id"))
    await operations.set_disabled(email, _actor(page), disabled=disabled)
    return page.redirect("/operator")


def _actor(page: PageRequest) -> str:
    return f"operator {page.required_visitor.account.account_id}"
