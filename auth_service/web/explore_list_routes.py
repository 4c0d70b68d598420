"""Pages with data about many brands: rankings, comparisons, categories."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.explore import pages, sponsor_tables
from auth_service.domain.explore.categories import PAID_CATEGORIES, Category
from auth_service.domain.explore.columns import category_path
from auth_service.domain.explore.labels import Labels, in_page_words
from auth_service.domain.explore.pages import ExplorePage, PageView, TableLocation, section
from auth_service.domain.explore.tables import UNSORTED, TableSpec
from auth_service.web import explore_filters as filters
from auth_service.web.explore_rendering import FormValues, csv, render, with_failures
from auth_service.web.page_request import Audience, Handler, PageRequest, get, get_unhurried
from auth_service.web.site import Site
from servicekit.errors import NotFound

_OF_CATEGORY: Final = {spec.name: spec for spec in (sponsor_tables.RANKED, sponsor_tables.TRENDS)}


def routes(site: Site) -> list[Route]:
    """Return the routes of rankings, comparisons and categories."""

    def page(path: str, handler: Handler, form: FormValues | None = None) -> Route:
        route = get_unhurried if path.endswith(".csv") else get
        return route(site, f"/explore{path}", with_failures(handler, form), Audience.VISITOR)

    return [
        page("/rankings", _rankings, _rankings_form),
        page("/rankings/sponsors.csv", _rankings_csv),
        page("/compare", _compare, _compare_form),
        page("/compare/sponsors.csv", _compare_csv),
        page("/categories", _all_categories),
        page("/categories/{category}", _category, _category_form),
        page("/categories/{category}/{table}.csv", _category_csv),
    ]


async def _rankings(page: PageRequest) -> Response:
    spec, order, cursor = sponsor_tables.RANKED, filters.order(page), filters.text(page, "cursor")
    spec.check(order)
    location = await _rankings_location(page)
    main = spec.call(location.arguments, order, cursor)
    results = await page.site.data.results.page(page.required_visitor, main)
    content = results.main.content
    model = ExplorePage(
        "Rankings",
        [section(spec, location, results.main, order, cursor)],
        results.counted,
        results.main.remaining,
        pages.period_lines(content, location.arguments),
        coverage=pages.catalog_coverage(content["coverage"]),
    )
    return await render(page, model, **await _rankings_form(page))


async def _rankings_form(page: PageRequest) -> dict[str, Any]:
    """Return the values of the form; a menu has what is chosen in it, also where the categories do not have it."""
    selected = filters.ranked_by(page)
    offered = _offered(await page.site.data.categories.all())
    for scope, name in (("sponsor", "category"), ("content", "content_category")):
        if name in selected and selected[name] not in dict(offered[scope]):
            offered[scope].append((selected[name], selected[name]))
    return {
        "filter_form": "explore_rankings_form.html",
        "chosen": selected,
        "categories": offered,
        "metrics": filters.METRICS,
        "kinds": filters.KINDS,
    }


async def _rankings_csv(page: PageRequest) -> Response:
    location = await _rankings_location(page)
    return await csv(page, sponsor_tables.RANKED, location, filters.order(page))


async def _rankings_location(page: PageRequest) -> TableLocation:
    chosen = filters.ranked_by(page)
    metric = chosen.get("metric", filters.DEFAULT_METRIC)
    scope = _scope(chosen, await page.site.data.categories.labels())
    return TableLocation("/explore/rankings", scope, chosen, chosen, metric=metric)


async def _compare(page: PageRequest) -> Response:
    form = await _compare_form(page)
    names = filters.brands(page)
    if len(names) < 2:
        # The form gives several fields; the link of a brand's page gives one, for the form to begin with.
        is_from_form = len(page.request.query_params.getlist("brands")) > 1
        error = "Give two brands or more, each once." if names and is_from_form else None
        return page.render("explore_compare.html", page="explore", error=error, **form)
    location, spec, order = _compare_location(page), sponsor_tables.COMPARED, filters.order(page)
    spec.check(order)
    results = await page.site.data.results.page(
        page.required_visitor, spec.call(location.arguments)
    )
    content = results.main.content
    compared = " and ".join(item["sponsor"]["name"] for item in content["sponsors"])
    location = replace(
        location, subject=f"{compared}{_period(location.filters)}{_kinds(location.filters)}"
    )
    model = ExplorePage(
        "Compare",
        [section(spec, location, results.main, order)],
        results.counted,
        results.main.remaining,
        [*pages.period_lines(content, location.arguments), *_not_compared(content)],
        view=PageView("sponsor-compare", location.arguments, pages.view_result(content)),
        coverage=pages.catalog_coverage(content["coverage"]),
    )
    return await render(page, model, **form)


def _not_compared(content: Any) -> list[str]:
    """Return why the change of each brand is not given, where that differs from brand to brand."""
    reasons = {
        item["sponsor"]["name"]: item["not_compared"]
        for item in content["sponsors"]
        if item["not_compared"]
    }
    if len(set(reasons.values())) < 2:  # the page has the one reason of all
        return []
    return [in_page_words(f"{name}, no change: {reason}") for name, reason in reasons.items()]


async def _compare_form(page: PageRequest) -> dict[str, Any]:
    names = filters.brands(page)
    return {
        "filter_form": "explore_compare_form.html",
        "brands": [*names, *[""] * filters.MAX_BRANDS][: filters.MAX_BRANDS],
        "chosen": filters.chosen(page, *filters.PERIOD),
        "kinds": filters.KINDS,
    }


async def _compare_csv(page: PageRequest) -> Response:
    return await csv(page, sponsor_tables.COMPARED, _compare_location(page), filters.order(page))


def _compare_location(page: PageRequest) -> TableLocation:
    names, chosen = filters.brands(page), filters.chosen(page, *filters.PERIOD)
    return TableLocation(
        "/explore/compare",
        " and ".join(names),
        {"sponsors": names, **chosen},
        {"brands": ",".join(names), **chosen},
    )


async def _category(page: PageRequest) -> Response:
    ranked, trends = sponsor_tables.RANKED, sponsor_tables.TRENDS
    order = filters.order(page)
    # Both tables have columns of the same keys: a heading names its table.
    is_of_ranked = filters.text(page, "table") != trends.name and order.key in ranked.header
    (ranked if is_of_ranked else trends).check(order)
    reference = page.request.path_params["category"]
    category = await page.site.data.categories.id_of(reference)
    if category != reference:
        return page.redirect_to_own_address(category_path(category))
    location = await _category_location(page, category)
    included = {"categories": PAID_CATEGORIES, trends.name: trends.call(location.arguments)}
    results = await page.site.data.results.page(
        page.required_visitor, ranked.call(location.arguments), included
    )
    content = results.main.content
    listed = results.included.get("categories")
    known: Sequence[Any] = listed.content["categories"] if listed else ()
    own: Any = next((item for item in known if item["id"] == category), None)
    sections = [
        section(ranked, location, results.main, order if is_of_ranked else UNSORTED),
        section(
            trends,
            replace(location, filters={**location.filters, "table": trends.name}),
            results.of(trends.name),
            UNSORTED if is_of_ranked else order,
        ),
    ]
    labels = await page.site.data.categories.labels()
    model = ExplorePage(
        own["name"] if own else labels.category(category),
        sections,
        results.counted,
        results.main.remaining,
        _category_lines(own, content, location.arguments),
        _within(category, known),
        coverage=pages.catalog_coverage(content["coverage"]),
    )
    return await render(page, model, **await _category_form(page))


async def _all_categories(page: PageRequest) -> Response:
    return page.redirect("/explore#categories")


async def _category_form(page: PageRequest) -> dict[str, Any]:
    return {
        "filter_form": "explore_category_form.html",
        "path": page.request.url.path,
        "chosen": filters.chosen(page, *filters.PERIOD),
    }


async def _category_csv(page: PageRequest) -> Response:
    spec: TableSpec | None = _OF_CATEGORY.get(page.request.path_params["table"])
    if spec is None:
        raise NotFound(f"There is no such table. There are: {', '.join(_OF_CATEGORY)}.")
    category = await page.site.data.categories.id_of(page.request.path_params["category"])
    return await csv(page, spec, await _category_location(page, category), filters.order(page))


async def _category_location(page: PageRequest, category: str) -> TableLocation:
    period = filters.chosen(page, *filters.PERIOD)
    arguments = {"category": category, **period}
    scope = _scope(arguments, await page.site.data.categories.labels())
    return TableLocation(category_path(category), scope, arguments, period)


def _category_lines(category: Any, ranking: Any, arguments: Mapping[str, Any]) -> list[str]:
    lines = pages.period_lines(ranking, arguments)
    if category:
        lines.insert(
            0,
            f"Of all time: {category['videos']:,} sponsored videos of {category['youtubers']:,} creators. "
            f"{category['sponsors']:,} brands are known, those without sponsorships included.",
        )
    return lines


def _within(category: str, known: Sequence[Any]) -> list[tuple[str, str]]:
    """Return links to the categories within one, and to the one that it is in."""
    own = next((item for item in known if item["id"] == category), None)
    parent = own["parent"] if own else None
    return [
        (item["name"], category_path(item["id"]))
        for item in known
        if item["parent"] == category or item["id"] == parent
    ]


def _offered(known: Sequence[Category]) -> dict[str, list[tuple[str, str]]]:
    """Return id and name of the categories of brands and of content, by name."""
    return {
        scope: sorted(
            ((item.category_id, item.name) for item in known if item.scope == scope),
            key=lambda pair: pair[1],
        )
        for scope in ("sponsor", "content")
    }


def _scope(chosen: Mapping[str, Any], labels: Labels) -> str:
    """Return what a question adds about filters, such as " by views in VPN & security"."""
    metric = filters.METRICS.get(chosen.get("metric", ""), "").lower()
    parts = [f" by {metric}"] if metric else []
    for key, words in (("category", "in"), ("content_category", "in videos about")):
        if chosen.get(key):
            parts.append(f" {words} {labels.category(chosen[key])}")
    if chosen.get("country"):
        parts.append(f" with creators whose country is {labels.country(chosen['country'])}")
    return "".join((*parts, _period(chosen), _kinds(chosen)))


def _period(chosen: Mapping[str, Any]) -> str:
    since, until = chosen.get("since"), chosen.get("until")
    if not (since or until):
        return ""
    return in_page_words(f" from {since or 'the first day'} to {until or 'today'}")


def _kinds(chosen: Mapping[str, Any]) -> str:
    named = [str(filters.KINDS.get(kind, kind)).lower() for kind in chosen.get("kinds", ())]
    return f" ({' and '.join(named)} alone)" if named else ""
