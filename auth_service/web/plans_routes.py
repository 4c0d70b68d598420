"""The page of plans, the forms that buy and change them, and Stripe's webhook."""

import functools
from dataclasses import replace
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from auth_service.domain.accounts import Account
from auth_service.domain.billing import NOTHING, BillingState, Price
from auth_service.domain.billing_service import BillingService, Change
from auth_service.domain.organisations.access import check_owner
from auth_service.domain.plans import ALERTS, API_KEYS, CHANNEL_IMPORT, FREE, Plan
from auth_service.web import bodies
from auth_service.web.page_request import Audience, PageRequest, get, http_status, post
from auth_service.web.site import Site
from servicekit.errors import NotFound, ServiceError
from servicekit.observability import logs

_NO_STORE: Final = {"Cache-Control": "no-store"}
_MAX_EVENT_BYTES: Final = 256 * 1024
_WHOLE: Final = frozenset("bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf".split())
"""Currencies without a smaller unit, by Stripe's list."""

_THOUSANDTHS: Final = frozenset("bhd jod kwd omr tnd".split())
_ARRIVALS: Final = {"paid": "thanks", "back": "current"}

log = logs.get(__name__)


def routes(site: Site) -> list[BaseRoute]:
    """Return the routes of plans; those of buying are unknown (404) where billing is off."""
    return [
        get(site, "/plans", _plans),
        get(site, "/plans/change", _confirm, Audience.VISITOR),
        post(site, "/plans/change", _change, Audience.VISITOR),
        post(site, "/plans/checkout", _check_out, Audience.VISITOR),
        post(site, "/plans/portal", _open_portal, Audience.VISITOR),
        Route("/billing/webhook", functools.partial(_webhook, site), methods=["POST"]),
    ]


def plan_rows(site: Site, state: BillingState = NOTHING) -> list[dict[str, Any]]:
    """Return what each plan has, from the plan settings, and costs whoever is in a state."""
    return [
        {
            "plan_id": plan.plan_id,
            "name": plan.name,
            "monthly_requests": plan.monthly_requests,
            "has_keys": plan.has(API_KEYS),
            "has_import": plan.has(CHANNEL_IMPORT),
            "concurrent_imports": plan.concurrent_imports if plan.has(CHANNEL_IMPORT) else 0,
            "followed_channels": plan.followed_channels if plan.has(CHANNEL_IMPORT) else 0,
            "watches": plan.watches if plan.has(ALERTS) else 0,
            "price": _price_text(plan, site.billing, state),
        }
        for plan in site.operations.plans.values()
    ]


def _price_text(plan: Plan, billing: BillingService | None, state: BillingState) -> str:
    if billing is None:
        return ""
    if plan.plan_id not in billing.policy.prices:
        return "Free of charge" if plan.plan_id == FREE else "On request"
    price = billing.prices.of_plan(plan.plan_id, state)
    return "Price at checkout" if price is None else amount_text(price)


def amount_text(price: Price) -> str:
    """Return a price as people write it: `9.00 EUR a month`."""
    digits = 0 if price.currency in _WHOLE else 3 if price.currency in _THOUSANDTHS else 2
    amount = f"{price.amount / 10**digits:,.{digits}f}"
    every = "every " if price.interval[0].isdigit() else "a "
    return f"{amount} {price.currency.upper()} {every}{price.interval}"


async def _plans(page: PageRequest) -> Response:
    notice = page.request.query_params.get("notice", "")
    billing, account = page.site.billing, page.visitor and page.visitor.subject
    if billing is None or account is None:
        return _render_plans(page, BillingState())
    if notice in _ARRIVALS:
        await billing.arrive(account)
        return page.redirect(f"/plans?notice={_ARRIVALS[notice]}")
    state = await billing.state(account)
    return _render_plans(page, state, notice=_notice(notice, page, state))


def _notice(name: str, page: PageRequest, state: BillingState) -> str | None:
    """Return the notice of an address, if the state agrees: anybody may have made the address."""
    plan = page.site.operations.plans.get(state.plan_id or "")
    name_of_plan = plan.name if plan and state.grace_until is None else ""
    goes_on = bool(name_of_plan) and state.next_plan_id is None
    if name == "thanks" and not state.is_running:
        return "Thank you. Your plan follows as soon as the payment is confirmed, mostly at once."
    texts = {
        "thanks": (name_of_plan, f"Thank you. Your plan is {name_of_plan}."),
        Change.UPGRADE.value: (
            goes_on,
            f"Your plan is {name_of_plan}. The invoice is under “Cards and invoices”.",
        ),
        Change.CONTINUE.value: (goes_on, "Your subscription goes on as it is."),
        Change.END.value: (
            state.next_plan_id == FREE,
            "Your subscription ends with the period.",
        ),
        Change.DOWNGRADE.value: (
            state.next_plan_id not in (None, FREE),
            "Your plan changes at the end of the period.",
        ),
    }
    is_true, text = texts.get(name, (False, ""))
    return text if is_true else None


def _render_plans(
    page: PageRequest, state: BillingState, status: int = 200, **values: Any
) -> Response:
    site, plans = page.site, page.site.operations.plans
    account = page.visitor and page.visitor.subject
    may_buy = page.visitor is None or page.visitor.is_owner
    names = {plan.plan_id: plan.name for plan in plans.values()}
    rows = [
        row | {"action": _action(site.billing, account, state, row["plan_id"]) if may_buy else ""}
        for row in plan_rows(site, state)
    ]
    return page.render(
        "plans.html",
        status,
        leaves_site=site.billing is not None,
        plans=rows,
        current=account and account.plan_id,
        own_limits=page.visitor and page.site.account_service.limits(page.visitor),
        given=account is not None and account.plan_by_operator,
        subscription=state if state.is_running else None,
        subscribed_name=names.get(state.subscribed_plan_id or ""),
        next_name=names.get(state.next_plan_id or ""),
        contact=contact_link(site.contact),
        own_terms=site.legal.terms_are_own,
        **values,
    )


def _action(
    billing: BillingService | None, account: Account | None, state: BillingState, plan_id: str
) -> str:
    """Return what the page offers for a plan: `login`, `buy`, a change, or nothing."""
    if billing is None or (plan_id != FREE and plan_id not in billing.policy.prices):
        return ""
    if account is None:
        return "signup" if plan_id == FREE else "login"
    if state.is_running:
        try:
            return billing.change_to(state, plan_id).value
        except ServiceError:
            return ""
    return "" if plan_id == FREE or account.plan_by_operator else "buy"


def contact_link(contact: str) -> tuple[str, str] | None:
    """Return address and text of the link to the operator, None when there is none."""
    if not contact:
        return None
    return (contact if "://" in contact else f"mailto:{contact}"), contact


def _billing(page: PageRequest) -> BillingService:
    if page.site.billing is None:
        raise NotFound("There is no such page.")
    return page.site.billing


def _payer(page: PageRequest) -> Account:
    """Return the account that the visitor buys for; an organisation's bills go to the owner's address."""
    visitor = page.required_visitor
    check_owner(visitor)
    return replace(visitor.subject, email=visitor.account.email)


async def _check_out(page: PageRequest) -> Response:
    billing, account = _billing(page), _payer(page)
    return _leave(await billing.check_out(account, page.value("plan")))


async def _open_portal(page: PageRequest) -> Response:
    return _leave(await _billing(page).open_portal(_payer(page)))


def _leave(url: str) -> Response:
    """Redirect to a page of the payment provider, whose API returned the address."""
    return RedirectResponse(url, 303, {**_NO_STORE, "Referrer-Policy": "no-referrer"})


async def _confirm(page: PageRequest) -> Response:
    billing, account = _billing(page), _payer(page)
    plan_id = page.request.query_params.get("plan", "")
    plans = page.site.operations.plans
    if plan_id not in plans:
        raise NotFound("There is no such plan.")
    state = await billing.state(account)
    price = billing.prices.of_plan(plan_id, state)
    return page.render(
        "plan_change.html",
        change=billing.change_to(state, plan_id).value,
        plan=plans[plan_id],
        price=amount_text(price) if price else "",
        present_name=plans[state.subscribed_plan_id or FREE].name,
        next_name=plans[state.next_plan_id].name if state.next_plan_id else "",
        period_end=state.period_end,
        is_paid=state.status in ("active", "trialing"),
        grace_until=state.grace_until if state.plan_id else None,
    )


async def _change(page: PageRequest) -> Response:
    billing, account = _billing(page), _payer(page)
    change = await billing.change(account, page.value("plan"), page.value("change"))
    return page.redirect(f"/plans?notice={change.value}")


async def _webhook(site: Site, request: Request) -> Response:
    """Receive an event; Stripe sends those again that were not answered with 2xx."""
    if site.billing is None:
        return PlainTextResponse("Not found", 404, _NO_STORE)
    try:
        payload = await bodies.read(request, "application/json", _MAX_EVENT_BYTES)
        signature = request.headers.get("stripe-signature", "")
        await site.billing.sync.receive(payload, signature)
    except ServiceError as error:
        log.warning("billing_event_refused", reason=error.reason)
        return PlainTextResponse(error.public_message, http_status(error), _NO_STORE)
    return PlainTextResponse("ok", headers=_NO_STORE)
