"""The operator's page: accounts, plans, usage, clients."""

from starlette.responses import Response
from starlette.routing import Route

from auth_service.http_face.site import Site
from auth_service.http_face.visits import Needs, Visit, get, post

_PAGE = 50


def routes(site: Site) -> list[Route]:
    """For accounts that are operators; others are told that there is no such page."""
    return [
        get(site, "/operator", _overview, Needs.OPERATOR),
        post(site, "/operator/plan", _set_plan, Needs.OPERATOR),
        post(site, "/operator/disable", _disable, Needs.OPERATOR),
        post(site, "/operator/enable", _enable, Needs.OPERATOR),
    ]


async def _overview(visit: Visit) -> Response:
    operations, query = visit.site.operations, visit.request.query_params
    search = query.get("q", "").strip().lower()
    reports = await operations.find_accounts(search, query.get("after", ""), _PAGE)
    totals = await operations.totals()
    clients = await visit.site.applications.clients()
    return visit.page(
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


async def _set_plan(visit: Visit) -> Response:
    operations = visit.site.operations
    email = await operations.email_of(visit.value("account_id"))
    await operations.set_plan(email, visit.value("plan"), _actor(visit))
    return visit.go("/operator")


async def _disable(visit: Visit) -> Response:
    return await _set_disabled(visit, disabled=True)


async def _enable(visit: Visit) -> Response:
    return await _set_disabled(visit, disabled=False)


async def _set_disabled(visit: Visit, *, disabled: bool) -> Response:
    operations = visit.site.operations
    email = await operations.email_of(visit.value("account_id"))
    await operations.set_disabled(email, _actor(visit), disabled=disabled)
    return visit.go("/operator")


def _actor(visit: Visit) -> str:
    return f"operator {visit.who.account.account_id}"
