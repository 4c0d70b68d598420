"""A request to the site: its visitor, its form, and the protection of forms against CSRF."""

import asyncio
import functools
import secrets as random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from typing import Any, Final
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from auth_service.domain.oauth import secrets
from auth_service.domain.site.login_service import Visitor
from auth_service.domain.site.request_origin import RequestOrigin
from auth_service.domain.site.sessions import ABSOLUTE, form_token, form_token_matches, safe_next
from auth_service.web import bodies, devices
from auth_service.web.site import Site
from servicekit.errors import (
    Conflict,
    InvalidInput,
    NoResponse,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
    ServiceError,
    Unauthenticated,
    Unavailable,
)
from servicekit.http.delay_seconds import delay_seconds
from servicekit.observability import logs

log = logs.get(__name__)

_STATUS: Final[dict[type[ServiceError], int]] = {
    InvalidInput: 400,
    Unauthenticated: 401,
    PermissionDenied: 403,
    NotFound: 404,
    Conflict: 409,
    ResourceExhausted: 429,
    Unavailable: 503,
}
_HEADINGS: Final = {
    403: "Not allowed",
    404: "Not found",
    429: "A moment, please",
    503: "Not available now",
}


PAGE_SECONDS: Final = 4.0
"""Within which a page responds: more than the deadline of a part that it needs, whose message says more."""

_LATE: Final = "A part of the site does not answer now. Try again in a moment."
_under_way: Final[set[asyncio.Future[Response]]] = set()
"""The pages that are made: the event loop stores tasks weakly."""

_OF_ANY_ACCOUNT: Final = ("/logout", "/account/switch")


class Audience(Enum):
    """The people who may see a page."""

    PUBLIC = "public"
    VISITOR = "visitor"
    OPERATOR = "operator"


@dataclass(slots=True)
class PageRequest:
    """A request with its session and form.

    `cookies` are set on the response, for as long as a session unless `lifetimes` has another time.
    """

    site: Site
    request: Request
    visitor: Visitor | None
    secret: str
    fields: Sequence[tuple[str, str]] = ()
    cookies: dict[str, str | None] = field(default_factory=dict[str, str | None])
    lifetimes: dict[str, timedelta] = field(default_factory=dict[str, timedelta])

    @property
    def required_visitor(self) -> Visitor:
        """The visitor of a page that requires login."""
        if self.visitor is None:
            raise Unauthenticated("Log in first.")
        return self.visitor

    @property
    def origin(self) -> RequestOrigin:
        """Address, user agent, browser secret and known device of the request."""
        address = self.request.client.host if self.request.client else "unknown"
        device = devices.read(self.site, self.request)
        return RequestOrigin(
            address, self.request.headers.get("user-agent", ""), self.secret, device
        )

    @property
    def next_path(self) -> str:
        """The path to go to afterwards: one of this site, empty when none was requested."""
        requested_path = self.value("next") or self.request.query_params.get("next", "")
        return safe_next(requested_path, "")

    def value(self, name: str) -> str:
        """Return a field of the form, empty when it is absent."""
        return next((value for key, value in self.fields if key == name), "")

    def values(self, name: str) -> tuple[str, ...]:
        """Return all values of a field."""
        return tuple(value for key, value in self.fields if key == name)

    def render(
        self,
        template: str,
        status: int = 200,
        *,
        leaves_site: bool = False,
        picture_host: str = "",
        **values: Any,
    ) -> Response:
        """Render a page for this visitor; `picture_host` is an origin that it shows pictures of."""
        context: dict[str, Any] = {
            "csrf": form_token(self._form_secret()),
            "account": self._account(),
            "sells": self.site.billing is not None,
            "notice": None,
            "error": None,
            "page": template.removesuffix(".html"),
            **values,
        }
        if context["error"]:
            context["error"] = without_backquotes(context["error"])
        return self.site.pages.render(
            template, context, status, leaves_site=leaves_site, picture_host=picture_host
        )

    def render_failure(
        self, template: str, error: ServiceError, *, leaves_site: bool = False, **values: Any
    ) -> Response:
        """Render the form again with its error."""
        values |= {"error": error.public_message}
        return _with_retry_after(
            self.render(template, http_status(error), leaves_site=leaves_site, **values), error
        )

    def render_message(
        self, heading: str, text: str, status: int = 200, link: tuple[str, str] | None = None
    ) -> Response:
        """Render a page with a heading and a message; `link` leads on, from a failed one of plans to the plans."""
        if status == 404:
            link = link or ("/", "Go to the first page")
        if status >= 400 and self.request.url.path.startswith("/plans/"):
            link = ("/plans", "Back to the plans")
        text = without_backquotes(text)
        return self.render("message.html", status, heading=heading, text=text, link=link)

    def render_no_response(
        self, error: NoResponse, text: str, link: tuple[str, str], part: str = "imports channels"
    ) -> Response:
        """Render the page after a form whose outcome is not known; `link` leads to where it is seen.

        Args:
            error: What the call ended with.
            text: What is not known, and what to do about it.
            link: A path and its text.
            part: What the part of the service that did not respond does.
        """
        text = f"The part of the service that {part} did not respond in time. {text}"
        heading = "Not known whether it is done"
        return self.render_failure("message.html", error, heading=heading, text=text, link=link)

    def redirect(self, path: str) -> Response:
        """Redirect to another page with 303, so that no form data is sent on (RFC 9700 section 4.12)."""
        return RedirectResponse(path, 303, {"Cache-Control": "no-store"})

    def redirect_to_own_address(self, path: str) -> Response:
        """Redirect to the address that the page has itself, with the same query."""
        return self.redirect(f"{path}?{self.request.url.query}".rstrip("?"))

    def log_in(self, secret: str) -> None:
        """Set the session's cookie on the response."""
        self.cookies[session_cookie(self.site)] = secret

    def remember_device(self, address: str) -> None:
        """Make this browser known to the account of `address`, after a login."""
        device = self.origin.device.logged_in(address)
        name = devices.cookie_name(self.site)
        self.cookies[name] = devices.encrypt(self.site, device)
        self.lifetimes[name] = devices.LIFETIME

    def log_out(self) -> None:
        """Delete the session's cookie."""
        self.cookies[session_cookie(self.site)] = None

    def is_form_of(self, presented: str) -> bool:
        """Return whether a form was shown to this session, for the account that it acts for now.

        A form in another window may have been opened before the session was switched: it is refused, lest
        it ends or buys something of another account. Leaving an account works from all of them.
        """
        possible = [self._form_secret()]
        if self.visitor is not None and self.request.url.path in _OF_ANY_ACCOUNT:
            ids = ["", *(m.organisation_id for m in self.visitor.memberships)]
            possible += [self._form_secret(of=organisation_id) for organisation_id in ids]
        return any(form_token_matches(secret, presented) for secret in possible)

    def _form_secret(self, of: str | None = None) -> str:
        organisation = self.visitor and self.visitor.organisation
        organisation_id = of if of is not None else organisation and organisation.account_id
        return f"{self.secret}:{organisation_id}" if organisation_id else self.secret

    def _account(self) -> dict[str, Any] | None:
        if self.visitor is None:
            return None
        account, organisation = self.visitor.account, self.visitor.organisation
        return {
            "email": account.email,
            "plan_name": self.site.account_service.plan(self.visitor).name,
            "is_operator": account.is_operator,
            "email_confirmed": account.email_confirmed_at is not None,
            "has_password": account.password_hash is not None,
            "memberships": self.visitor.memberships,
            "membership": self.visitor.membership,
            "organisation_id": organisation.account_id if organisation else "",
            "is_owner": self.visitor.is_owner,
        }


Handler = Callable[[PageRequest], Awaitable[Response]]


def get(
    site: Site,
    path: str,
    handler: Handler,
    audience: Audience = Audience.PUBLIC,
) -> Route:
    """Return the route of a page, which says after `PAGE_SECONDS` that a part does not respond."""
    serve = functools.partial(_serve, site, handler, audience)
    return Route(path, functools.partial(_in_time, site, serve), methods=["GET"])


def get_without_deadline(
    site: Site, path: str, handler: Handler, audience: Audience = Audience.PUBLIC
) -> Route:
    """Return the route of what takes its time: a file, or a step that begins or ends at another company."""
    return Route(path, functools.partial(_serve, site, handler, audience), methods=["GET"])


def post(
    site: Site,
    path: str,
    handler: Handler,
    audience: Audience = Audience.PUBLIC,
    max_bytes: int = bodies.MAX_BYTES,
) -> Route:
    """Return the route of a form of this site, of at most `max_bytes`."""
    serve = functools.partial(_serve, site, handler, audience, max_bytes=max_bytes)
    return Route(path, serve, methods=["POST"])


def session_cookie(site: Site) -> str:
    """Return the session cookie's name; the prefix binds it to this host over TLS (RFC 6265bis)."""
    return "__Host-session" if site.is_secure else "session"


def with_next_path(path: str, next_path: str) -> str:
    """Return a path of this site that leads on to another one, if there is one."""
    if not next_path:
        return path
    return f"{path}{'&' if '?' in path else '?'}next={quote(next_path, safe='')}"


def without_backquotes(text: str) -> str:
    """Return a message for people: those of errors have names of arguments in backquotes, for programs."""
    return text.replace("`", "")


def http_status(error: ServiceError) -> int:
    """Return the HTTP status of an error."""
    return next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 500)


async def _in_time(
    site: Site, serve: Callable[[Request], Awaitable[Response]], request: Request
) -> Response:
    """Return the page, or in its place after the deadline that a part does not respond.

    The page is not waited for after that: ending a statement takes as long as a silent database does.
    """
    task = asyncio.ensure_future(serve(request))
    _under_way.add(task)
    task.add_done_callback(_under_way.discard)
    try:
        await asyncio.wait({task}, timeout=PAGE_SECONDS)
    finally:
        if not task.done():
            task.cancel()
    if task.done():
        return task.result()
    log.warning("page_late", path=request.url.path)
    late = Unavailable(_LATE, retry_after=5)
    page = PageRequest(site, request, None, "")
    return _with_retry_after(page.render_message(_HEADINGS[503], _LATE, 503), late)


async def _serve(
    site: Site,
    handler: Handler,
    audience: Audience,
    request: Request,
    *,
    max_bytes: int = bodies.MAX_BYTES,
) -> Response:
    page = await _open_page_request(site, request)
    try:
        bodies.check_text(request.query_params.multi_items())
        refusal = _refuse_access(page, audience)
        if refusal is None and request.method == "POST":
            page.fields = await bodies.form(request, max_bytes)
            refusal = _refuse_forgery(page)
        response = refusal or await handler(page)
    except ServiceError as error:
        status = http_status(error)
        heading = _HEADINGS.get(status, "That did not work")
        response = _with_retry_after(
            page.render_message(heading, error.public_message, status), error
        )
    except Exception:
        error_id = random.token_hex(6)
        log.exception("page_failed", path=request.url.path, error_id=error_id)
        text = f"Something went wrong on our side (error {error_id}). Try again in a moment."
        response = page.render_message("Something went wrong", text, 500)
    for name, value in page.cookies.items():
        _set_cookie(site, response, name, value, page.lifetimes.get(name, ABSOLUTE))
    return response


def _with_retry_after(response: Response, error: ServiceError) -> Response:
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(delay_seconds(error.retry_after))
    return response


async def _open_page_request(site: Site, request: Request) -> PageRequest:
    secret = request.cookies.get(session_cookie(site), "")
    visitor = await site.login_service.visitor(secret)
    if visitor is not None:
        return PageRequest(site, request, visitor, secret)
    name = _form_cookie(site)
    stored_secret = request.cookies.get(name, "")
    page = PageRequest(site, request, None, stored_secret or secrets.new_secret())
    if not stored_secret:
        page.cookies[name] = page.secret
    return page


def _refuse_access(page: PageRequest, audience: Audience) -> Response | None:
    if audience is Audience.PUBLIC:
        return None
    if page.visitor is None:
        url = page.request.url
        current_url = url.path + (f"?{url.query}" if url.query else "")
        next_path = current_url if page.request.method == "GET" else "/account"
        return page.redirect(f"/login?next={quote(next_path, safe='')}")
    if audience is Audience.OPERATOR and not page.visitor.account.is_operator:
        return page.render_message("Not found", "There is no such page.", 404)
    return None


def _refuse_forgery(page: PageRequest) -> Response | None:
    """Return a refusal of a form that another site sent or another session was shown, else None."""
    headers = page.request.headers
    origin = headers.get("origin", "")
    site_url = urlsplit(page.site.site_url)
    is_foreign = origin not in ("", "null", f"{site_url.scheme}://{site_url.netloc}")
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        is_foreign = True
    if not is_foreign and page.is_form_of(page.value("csrf")):
        return None
    text = (
        "This form has expired, or was opened in another session or for another account. Go back, reload, "
        "try again."
    )
    return page.render_message("Please try again", text, 403)


def _form_cookie(site: Site) -> str:
    return "__Host-form" if site.is_secure else "form"


def _set_cookie(
    site: Site, response: Response, name: str, value: str | None, lifetime: timedelta
) -> None:
    if value is None:
        response.delete_cookie(name, path="/", secure=site.is_secure, httponly=True)
        return
    response.set_cookie(
        name,
        value,
        max_age=int(lifetime.total_seconds()),
        path="/",
        secure=site.is_secure,
        httponly=True,
        samesite="lax",
    )
