"""Render pages with data, their failures and their CSV."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlencode

from jinja2.utils import htmlsafe_json_dumps
from starlette.responses import Response, StreamingResponse

from auth_service.domain.explore.calls import ToolCall, ToolCallError, ToolResult
from auth_service.domain.explore.columns import PICTURE_HOST
from auth_service.domain.explore.labels import in_page_words
from auth_service.domain.explore.pages import ExplorePage, TableLocation
from auth_service.domain.explore.tables import MAX_CSV_ROWS, MAX_LIMIT, UNSORTED, Order, TableSpec
from auth_service.web.explore_cells import Cells
from auth_service.web.page_request import Handler, PageRequest
from auth_service.web.pages import HEADERS
from servicekit.csv_rows import csv_text
from servicekit.errors import PermissionDenied
from servicekit.http.delay_seconds import delay_seconds

_HEADINGS: Final = {
    "quota_exceeded": "No requests are left this month",
    "rate_limited": "Too many requests at once",
    "plan_required": "Your plan does not include this",
    "insufficient_scope": "Your plan does not include this",
    "not_found": "Not in the catalogue",
    "ambiguous": "More than one matches",
    "invalid_arguments": "That cannot be looked up",
    "late": "The data took too long",
}

_CSV_SECONDS: Final = 30.0
"""For each further part of a file, which waits where too many calls come at once."""

_NOT_CALLED: Final = {**HEADERS, "Cache-Control": "no-store"}

FormValues = Callable[[PageRequest], Awaitable[Mapping[str, Any]]]


def with_failures(handler: Handler, form: FormValues | None = None) -> Handler:
    """Return a handler that renders failed calls as pages that say what to do, and calls only for people who look.

    Args:
        handler: Of the page.
        form: The values of the page's own form, with which a wrong entry is mended; that of a search without it.
    """

    async def handle(page: PageRequest) -> Response:
        if page.request.method == "HEAD":
            return Response(status_code=204, headers=_NOT_CALLED)
        if _is_prefetch(page):
            return Response(status_code=503, headers=_NOT_CALLED)
        try:
            return await handler(page)
        except ToolCallError as failure:
            return failed(page, failure, await form(page) if form else {})

    return handle


def _is_prefetch(page: PageRequest) -> bool:
    """Return whether a browser loads the page before anyone asked for it; a failure makes it load again when they do."""
    headers = page.request.headers
    return headers.get("sec-purpose", headers.get("purpose", "")).startswith("prefetch")


def failed(page: PageRequest, failure: ToolCallError, form: Mapping[str, Any]) -> Response:
    """Render a failed call, with the form that led to it; details for programs are in the page's words."""
    response = page.render(
        "explore_failure.html",
        failure.status,
        page="explore",
        heading=_HEADINGS.get(failure.code, "The data are not available now"),
        text=in_page_words(failure.public_message),
        code=failure.code,
        again=f"{page.request.url.path}?{urlencode(page.request.query_params.multi_items())}".rstrip(
            "?"
        ),
        **form,
    )
    if failure.retry_after is not None:
        response.headers["Retry-After"] = str(delay_seconds(failure.retry_after))
    return response


async def render(page: PageRequest, model: ExplorePage, **values: Any) -> Response:
    """Render a page with data."""
    labels = await page.site.data.categories.labels()
    view = model.view
    shows, offer = _thumbnails(page, model)
    data = {"input": view.arguments, "result": view.result} if view else None
    return page.render(
        "explore_page.html",
        page="explore",
        model=model,
        view_data=htmlsafe_json_dumps(data),
        cells=Cells(labels),
        csv_rows=MAX_CSV_ROWS,
        csv_step=MAX_LIMIT,
        shows_thumbnails=shows,
        thumbnails_path=offer,
        picture_host=PICTURE_HOST if shows else "",
        **values,
    )


def _thumbnails(page: PageRequest, model: ExplorePage) -> tuple[bool, str | None]:
    """Return whether the page shows thumbnails, and else the address of the page with them, if there are any to show."""
    has_pictures = any(
        column.picture(row) is not None
        for section in model.sections
        for column in section.spec.columns
        if column.picture is not None
        for row in section.rows
    )
    policy = page.site.data.thumbnails
    query = page.request.query_params.multi_items()
    is_wanted = ("thumbnails", "on") in query
    if not has_pictures or policy == "never":
        return False, None
    if policy == "always" or is_wanted:
        return True, None
    others = [(name, value) for name, value in query if name != "thumbnails"]
    return False, f"{page.request.url.path}?{urlencode([*others, ('thumbnails', 'on')])}"


async def whole_table(
    page: PageRequest, spec: TableSpec, location: TableLocation, order: Order
) -> ToolResult | None:
    """Return the unsorted answer with all rows of a table if it was paid for today and the tool would sort it anew."""
    if not spec.orders.get(order.key):
        return None
    call = spec.call(location.arguments)
    result = await page.site.data.results.paid(page.required_visitor, call)
    return None if result is None or result.content.get("next_cursor") else result


async def csv(
    page: PageRequest, spec: TableSpec, location: TableLocation, order: Order
) -> Response:
    """Return a table as CSV, streamed: the first rows before the response begins, so that a failure is a page.

    Every further call is counted as one request, unless its answer was paid for today.

    Raises:
        PermissionDenied: A page of another site leads to it, which would spend many requests by one press.
        InvalidInput: The order is by no column.
    """
    if page.request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        raise PermissionDenied("Tables leave as CSV by the buttons on this site's pages.")
    spec.check(order)
    visitor, results = page.required_visitor, page.site.data.results
    call = spec.call(location.arguments, order)
    whole = await whole_table(page, spec, location, order)
    if whole is not None:
        order = replace(order, is_local=True)
    first = (whole or (await results.page(visitor, call)).main).content
    if spec.sorts_what_is_shown(order) and first.get("next_cursor"):
        order = UNSORTED  # each of several pages would be sorted by itself

    async def lines() -> AsyncGenerator[str]:
        content, rows_sent = first, 0
        yield csv_text([spec.csv_header])
        while True:
            rows = spec.ordered(spec.rows(content), order)[: MAX_CSV_ROWS - rows_sent]
            rows_sent += len(rows)
            yield csv_text(spec.cells(row) for row in rows)
            cursor = content.get("next_cursor") if spec.is_paged else None
            if not cursor or rows_sent >= MAX_CSV_ROWS:
                return
            try:
                further = _further(call, cursor)
                content = (await results.page(visitor, further, seconds=_CSV_SECONDS)).main.content
            except ToolCallError as failure:
                yield csv_text([[f"Not all rows: {in_page_words(failure.public_message)}"]])
                return

    headers = {
        **HEADERS,
        "Content-Disposition": f'attachment; filename="{location.file_name(spec)}"',
        "Cache-Control": "no-store",
    }
    return StreamingResponse(lines(), 200, headers, "text/csv")


def _further(call: ToolCall, cursor: str) -> ToolCall:
    return ToolCall(call.tool, {**call.arguments, "cursor": cursor})
