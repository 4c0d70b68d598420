"""Pages with data of the catalogue: search, brands, creators, and their tables."""

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from auth_service.domain.explore import pages, sponsor_tables, youtuber_tables
from auth_service.domain.explore.calls import ToolCall, ToolCallError
from auth_service.domain.explore.categories import category_groups
from auth_service.domain.explore.columns import Row, reference_of, sponsor_path, youtuber_path
from auth_service.domain.explore.labels import words
from auth_service.domain.explore.pages import ExplorePage, Section, TableLocation, section
from auth_service.domain.explore.results import PageResults
from auth_service.domain.explore.tables import Order, TableSpec
from auth_service.web import explore_filters as filters
from auth_service.web.explore_rendering import csv, render, whole_table, with_failures
from auth_service.web.page_request import Audience, Handler, PageRequest, get, get_without_deadline
from auth_service.web.pages import HEADERS
from auth_service.web.site import Site
from servicekit.errors import InvalidInput, NotFound

_SPONSOR: Final = {spec.name: spec for spec in sponsor_tables.OF_SPONSOR}
_YOUTUBER: Final = {spec.name: spec for spec in youtuber_tables.OF_YOUTUBER}
_FOUND: Final = {spec.name: spec for spec in (sponsor_tables.FOUND, youtuber_tables.FOUND)}
_SEARCHED: Final = (
    "Period: all time",
    f"Kinds counted: {', '.join(words(kind) for kind in filters.KINDS)}. Rankings leave out free products.",
)
_SHORTEST: Final = 2
_SUGGESTIONS: Final = 8


def routes(site: Site) -> list[Route]:
    """Return the routes under /explore that are about one brand or creator, and the search."""

    def page(path: str, handler: Handler) -> Route:
        is_file = path.endswith(".csv")
        route = get_without_deadline if is_file else get
        has_period = "{slug}" in path and not is_file
        failing = with_failures(handler, _form_of_period if has_period else None)
        return route(site, f"/explore{path}", failing, Audience.VISITOR)

    return [
        page("", _search),
        page("/suggestions", _suggestions),
        page("/{table}.csv", _search_csv),
        page("/sponsors/{slug}", _sponsor),
        page("/sponsors/{slug}/{table}.csv", _sponsor_csv),
        page("/sponsors/{slug}/{table}", _sponsor_table),
        page("/youtubers/{slug}", _youtuber),
        page("/youtubers/{slug}/{table}.csv", _youtuber_csv),
        page("/youtubers/{slug}/{table}", _youtuber_table),
    ]


async def _search(page: PageRequest) -> Response:
    searched = filters.text(page, "q")
    if not searched:
        groups = category_groups(await page.site.data.categories.all())
        return page.render("explore.html", page="explore", searched="", model=None, groups=groups)
    location = _search_location(searched)
    brands, creators = sponsor_tables.FOUND, youtuber_tables.FOUND
    main = brands.call(location.arguments)
    included = {creators.name: creators.call(location.arguments)}
    results = await page.site.data.results.page(page.required_visitor, main, included)
    order = filters.order(page)
    sections = [
        section(spec, location, result, _own(order, spec))
        for spec, result in ((brands, results.main), (creators, results.of(creators.name)))
    ]
    model = ExplorePage(
        f"Search for “{searched}”",
        _found_first(sections),
        results.counted,
        results.main.remaining,
        _SEARCHED,
        coverage=pages.catalog_coverage(results.main.content["coverage"]),
    )
    return await render(page, model, searched=searched)


def _found_first(sections: Sequence[Section]) -> Sequence[Section]:
    """Return the tables with rows before those without; these say no more where another has found something."""
    if not any(table.rows for table in sections):
        return sections
    others = [
        replace(table, note=f"No {table.spec.title.lower()} match.")
        for table in sections
        if not table.rows
    ]
    return [*(table for table in sections if table.rows), *others]


def _own(order: Order, spec: TableSpec) -> Order:
    """Return the order of the page for one of its tables: none if it names another table's column.

    The rows of what was found are sorted as they are: the search has found the best ones.
    """
    is_own = any(column.key == order.key for column in spec.columns)
    return replace(order, is_local=True) if is_own else Order()


async def _suggestions(page: PageRequest) -> Response:
    typed = filters.text(page, "q")
    found: list[dict[str, str]] = []
    if len(typed) >= _SHORTEST:
        specs = sponsor_tables.FOUND, youtuber_tables.FOUND
        calls = [spec.call({"search": typed}, limit=_SUGGESTIONS) for spec in specs]
        with contextlib.suppress(ToolCallError):  # the form works without
            results = await page.site.data.results.suggestions(page.required_visitor, calls)
            brands, creators = (
                spec.rows(result.content) for spec, result in zip(specs, results, strict=True)
            )
            found += [_suggestion("Brand", brand, brand["slug"]) for brand in brands]
            found += [_suggestion("Creator", row, reference_of(row)) for row in creators]
    return JSONResponse(found, headers={**HEADERS, "Cache-Control": "no-store"})


def _suggestion(kind: str, row: Row, reference: str) -> dict[str, str]:
    """Return what is suggested: its name, which is searched by, and the reference that tools take."""
    handle = row.get("handle")
    return {
        "name": row.get("name") or reference,
        "reference": reference,
        "label": f"{kind}, {handle}" if handle else kind,
    }


async def _search_csv(page: PageRequest) -> Response:
    spec = _table(page, _FOUND)
    searched = filters.text(page, "q")
    if not searched:
        raise InvalidInput("Say in q what to search for.", details={"field": "q"})
    return await csv(page, spec, _search_location(searched), filters.order(page))


def _search_location(searched: str) -> TableLocation:
    return TableLocation("/explore", f"“{searched}”", {"search": searched}, {"q": searched})


async def _sponsor(page: PageRequest) -> Response:
    reference, period = page.request.path_params["slug"], filters.period(page)
    main, included = pages.sponsor_calls(reference, period)
    if await page.site.data.results.paid(page.required_visitor, main) is None:
        slug = await page.site.data.references.sponsor(reference)
        if slug.lower() != reference.lower():  # another spelling of a page that may be paid for
            return page.redirect_to_own_address(sponsor_path(slug))
    results = await page.site.data.results.page(page.required_visitor, main, included)
    found = results.main.content["sponsor"]
    own = [pages.sponsor_calls(name, period)[0] for name in (found["slug"], found["id"])]
    await _keep(page, results, main, own)
    labels = await page.site.data.categories.labels()
    model = pages.sponsor_page(reference, period, results, labels)
    return await render(page, model, **await filters.period_form(page))


async def _sponsor_table(page: PageRequest) -> Response:
    return await _table_page(page, _table(page, _SPONSOR), _sponsor_location(page))


async def _sponsor_csv(page: PageRequest) -> Response:
    return await csv(page, _table(page, _SPONSOR), _sponsor_location(page), filters.order(page))


def _sponsor_location(page: PageRequest) -> TableLocation:
    slug = page.request.path_params["slug"]
    return pages.sponsor_location(slug, slug, filters.period(page))


async def _youtuber(page: PageRequest) -> Response:
    reference, period = page.request.path_params["slug"], filters.period(page)
    main, included = pages.youtuber_calls(reference, period)
    if await page.site.data.results.paid(page.required_visitor, main) is None:
        own = await page.site.data.references.youtuber(reference)
        if own.lower() != reference.lower():
            return page.redirect_to_own_address(youtuber_path(own))
    results = await page.site.data.results.page(page.required_visitor, main, included)
    found = results.main.content["youtuber"]
    own = [pages.youtuber_calls(name, period)[0] for name in (reference_of(found), found["id"])]
    await _keep(page, results, main, own)
    labels = await page.site.data.categories.labels()
    model = pages.youtuber_page(reference, period, results, labels)
    return await render(page, model, **await filters.period_form(page))


async def _keep(
    page: PageRequest, results: PageResults, main: ToolCall, own: Sequence[ToolCall]
) -> None:
    """Make the page free by its own names, if it was counted, whichever it was asked for by."""
    if not results.counted:
        return
    for call in own:
        if call.key != main.key:
            await page.site.data.results.keep(page.required_visitor, call, results.main)


async def _youtuber_table(page: PageRequest) -> Response:
    return await _table_page(page, _table(page, _YOUTUBER), _youtuber_location(page))


async def _youtuber_csv(page: PageRequest) -> Response:
    return await csv(page, _table(page, _YOUTUBER), _youtuber_location(page), filters.order(page))


def _youtuber_location(page: PageRequest) -> TableLocation:
    reference = page.request.path_params["slug"]
    return pages.youtuber_location(reference, reference, filters.period(page))


async def _table_page(page: PageRequest, spec: TableSpec, location: TableLocation) -> Response:
    """Render one table of a brand or creator: sorted, and page by page."""
    order, cursor = filters.order(page), filters.text(page, "cursor")
    spec.check(order)
    whole = None if cursor else await whole_table(page, spec, location, order)
    if whole is not None:
        result, counted, order = whole, False, replace(order, is_local=True)
    else:
        call = spec.call(location.arguments, order, cursor)
        results = await page.site.data.results.page(page.required_visitor, call)
        result, counted = results.main, results.counted
    content = result.content
    name = _name(content) or location.subject
    model = ExplorePage(
        f"{name}: {spec.title.lower()}",
        [section(spec, location, result, order, cursor)],
        counted,
        result.remaining,
        links=[(f"Everything about {name}", pages.with_query(location.path, location.period))],
        coverage=_coverage(content),
    )
    return await render(page, model, **await filters.period_form(page) if spec.takes_period else {})


async def _form_of_period(page: PageRequest) -> dict[str, Any]:
    """Return the form with which a wrong period is mended; without one the failure is another entry's."""
    return await filters.period_form(page) if filters.period(page) else {}


def _name(content: Any) -> str | None:
    """Return the name of the brand or creator that an answer is about, None if it does not have it."""
    subject: Any = content.get("sponsor") or content.get("youtuber") or {}
    return subject.get("name")


def _coverage(content: Any) -> list[str]:
    coverage = content.get("coverage") or content["youtuber"]["coverage"]
    of_channel = "videos_scanned" in coverage
    return pages.channel_coverage(coverage) if of_channel else pages.catalog_coverage(coverage)


def _table(page: PageRequest, known: dict[str, TableSpec]) -> TableSpec:
    spec = known.get(page.request.path_params["table"])
    if spec is None:
        raise NotFound(f"There is no such table. There are: {', '.join(known)}.")
    return spec
