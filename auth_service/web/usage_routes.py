"""The page of usage, and its CSV."""

from datetime import UTC, date, datetime, timedelta
from typing import Final

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain import usage as ledger
from auth_service.domain.site.usage_report import Figures, UsageReport, total
from auth_service.web import charts
from auth_service.web.page_request import Audience, PageRequest, get, get_without_deadline
from auth_service.web.site import Site
from servicekit.csv_rows import Cell, csv_text
from servicekit.errors import InvalidInput

_MONTHS: Final = 6
_HEADER: Final = (
    "day",
    "tool",
    "api_key_or_app",
    "member",
    "credential_id",
    "requests",
    "calls",
    "errors",
    "median_ms_at_most",
    "p95_ms_at_most",
)


def routes(site: Site) -> list[Route]:
    """Return the routes of usage under /account."""
    return [
        get(site, "/account", _page, Audience.VISITOR),
        get_without_deadline(site, "/account/usage.csv", _csv, Audience.VISITOR),
    ]


async def _page(page: PageRequest) -> Response:
    account_service, now = page.site.account_service, datetime.now(UTC)
    months = _last_months(now)
    report = await _report(page, months)
    current = await account_service.usage(page.required_visitor, months[0][0])
    plan = account_service.plan(page.required_visitor)
    _, resets_on = ledger.month_bounds(months[0][0])
    days, tools = report.by_day(), report.by_tool()
    return page.render(
        "account.html",
        usage={"used": current.requests, "limit": plan.monthly_requests, "resets_on": resets_on},
        upgrade_text=_upgrade_text(page),
        chart_days=charts.columns(
            [(_day(day), figures.requests) for day, figures in days], "Requests by day", "Requests"
        ),
        chart_errors=charts.columns(
            [(_day(day), figures.errors) for day, figures in days], "Errors by day", "Errors"
        ),
        chart_tools=charts.rows(
            [(tool, figures.requests) for tool, figures in tools], "Requests by tool", "Requests"
        ),
        total=total(report.rows),
        days=[(day, figures) for day, figures in days if figures.requests or figures.calls],
        tools=tools,
        credentials=report.by_credential(),
        months=months,
        month=report.month,
        within=within,
    )


async def _csv(page: PageRequest) -> Response:
    months = _last_months(datetime.now(UTC))
    requested = page.request.query_params.get("month")
    if requested is not None and requested not in dict(months):
        raise InvalidInput(
            f"`month` is one of {', '.join(month for month, _ in months)}; without it, {months[0][0]}.",
            details={"field": "month"},
        )
    report = await _report(page, months)
    rows: list[tuple[Cell, ...]] = []
    for row in report.rows:
        name, figures = report.name_of(row.credential_id), total((row,))
        rows.append(
            (
                row.day.isoformat(),
                row.tool,
                name.name,
                name.member,
                row.credential_id,
                figures.requests,
                figures.calls,
                figures.errors,
                _cell(figures.median_ms),
                _cell(figures.p95_ms),
            )
        )
    headers = {
        "Content-Disposition": f'attachment; filename="usage-{report.month}.csv"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(csv_text([_HEADER, *rows]), 200, headers, "text/csv")


async def _report(page: PageRequest, months: list[tuple[str, str]]) -> UsageReport:
    """Return the report of the month that the address names, or of this month if it names none of the last."""
    requested = page.request.query_params.get("month", "")
    month = requested if requested in dict(months) else months[0][0]
    return await page.site.account_service.usage_report(page.required_visitor, month)


def within(figures: Figures, bound: int | None) -> str:
    """Return a bound of latencies in words; empty if no call ended."""
    if not sum(figures.latencies):
        return ""
    if bound is None:
        return "over 10 s"
    return f"{bound} ms" if bound < 1_000 else f"{bound / 1_000:g} s"


def _cell(bound: int | None) -> Cell:
    return "" if bound is None else bound


def _day(day: date) -> str:
    return f"{day.day} {day:%b}"


def _last_months(now: datetime) -> list[tuple[str, str]]:
    months: list[tuple[str, str]] = []
    first = now.date().replace(day=1)
    for _ in range(_MONTHS):
        months.append((f"{first:%Y-%m}", f"{first:%B %Y}"))
        first = (first - timedelta(days=1)).replace(day=1)
    return months


def _upgrade_text(page: PageRequest) -> str:
    plan = page.site.account_service.plan(page.required_visitor)
    larger = [
        other
        for other in page.site.operations.plans.values()
        if other.monthly_requests > plan.monthly_requests
    ]
    if not larger:
        return "You have the largest plan."
    offers = ", ".join(f"{other.name} has {other.monthly_requests:,}" for other in larger)
    return f"{offers} requests a month."
