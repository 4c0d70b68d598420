"""The operator's page: the state of the deployment, imports, accounts, plans, usage, clients."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.operations import AccountReport
from auth_service.domain.operator_overview.model import Part
from auth_service.web.page_request import Audience, PageRequest, get, http_status, post
from auth_service.web.site import Site
from servicekit.errors import ServiceError

_PAGE = 50


def routes(site: Site) -> list[Route]:
    """Return the operator's routes; for other accounts they do not exist (404)."""
    return [
        get(site, "/operator", _overview, Audience.OPERATOR),
        post(site, "/operator/plan", _set_plan, Audience.OPERATOR),
        post(site, "/operator/disable", _disable, Audience.OPERATOR),
        post(site, "/operator/enable", _enable, Audience.OPERATOR),
        post(site, "/operator/imports/cancel", _cancel_import, Audience.OPERATOR),
        post(site, "/operator/imports/retry", _retry_import, Audience.OPERATOR),
    ]


async def _overview(page: PageRequest) -> Response:
    return await _render(page)


async def _render(page: PageRequest, error: ServiceError | None = None) -> Response:
    """Render the page; a part that does not come in time says so, and the others are shown."""
    operations, query = page.site.operations, page.request.query_params
    search = query.get("q", "").strip().lower()
    part = page.site.overview.part
    overview, totals, accounts, clients = await asyncio.gather(
        page.site.overview.overview(),
        part("totals", operations.totals()),
        part("accounts", operations.find_accounts(search, query.get("after", ""), _PAGE)),
        part("clients", page.site.applications.clients()),
    )
    reports = accounts.value or ()
    return page.render(
        "operator.html",
        200 if error is None else http_status(error),
        error=error and error.public_message,
        overview=overview,
        totals=totals,
        q=search,
        accounts=Part([_row(report) for report in reports], accounts.problem),
        plans=[{"plan_id": p.plan_id, "name": p.name} for p in operations.plans.values()],
        plan_names={p.plan_id: p.name for p in operations.plans.values()},
        next_after=reports[-1].account.email if len(reports) == _PAGE else None,
        clients=clients,
    )


def _row(report: AccountReport) -> dict[str, Any]:
    return {
        "account_id": report.account.account_id,
        "email": report.account.email,
        "plan_id": report.plan.plan_id,
        "plan_name": report.plan.name,
        "used": report.requests_this_month,
        "limit": report.plan.monthly_requests,
        "disabled": report.account.disabled_at is not None,
        "created_at": report.account.created_at,
    }


async def _cancel_import(page: PageRequest) -> Response:
    return await _change_import(page, page.site.overview.cancel_import)


async def _retry_import(page: PageRequest) -> Response:
    return await _change_import(page, page.site.overview.retry_import)


async def _change_import(page: PageRequest, change: Callable[[str], Awaitable[None]]) -> Response:
    try:
        await change(page.value("import_id"))
    except ServiceError as error:
        return await _render(page, error)
    return page.redirect("/operator#imports")


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
