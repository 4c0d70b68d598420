"""What pages show of answers: heading, view, sections with tables, and what the figures rest on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import unquote, urlencode

from auth_service.domain.explore import sponsor_tables, youtuber_tables
from auth_service.domain.explore.calls import ToolCall, ToolResult
from auth_service.domain.explore.columns import (
    Column,
    Row,
    category_path,
    sponsor_path,
    youtuber_path,
)
from auth_service.domain.explore.labels import (
    Labels,
    in_page_words,
    period_words,
    shown_day,
    words,
)
from auth_service.domain.explore.results import PageResults
from auth_service.domain.explore.tables import PERIOD, UNSORTED, Order, TableSpec
from servicekit.file_names import file_name

_PREVIEW_ROWS: Final = 10
_REMARKS: Final = ("note", "not_compared")


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a column: where a press on it leads, and the direction if rows are sorted by it."""

    column: Column
    href: str
    direction: str


@dataclass(frozen=True, slots=True)
class Section:
    """A table on a page.

    Attributes:
        headings: Of its columns.
        rows: What is shown.
        call: The call that gives the rows.
        prompt: What to ask an AI for them.
        csv_path: Where it is as CSV.
        more: Where further rows are, with a label; None if there are none.
        note: Why there are no rows, or what to know of those shown.
        sorts_shown_only: Whether the order is among the rows shown, and there are further ones.
        counted_orders: Labels of the columns by which sorting or ranking counts as a request.
        ranked_by: The key of the column that the tool ranks by; empty for other tables.
        summary: What the rows are of; empty where nothing is said.
        period: The bounds of the period that the address has, which links to brands and creators keep.
    """

    spec: TableSpec
    headings: Sequence[Heading]
    rows: Sequence[Row]
    call: ToolCall
    prompt: str
    csv_path: str
    more: tuple[str, str] | None = None
    note: str = ""
    sorts_shown_only: bool = False
    counted_orders: Sequence[str] = ()
    ranked_by: str = ""
    summary: str = ""
    period: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def href(self, column: Column, row: Row) -> str | None:
        """Return where a cell leads; a page of the site is about the same period."""
        href = column.href(row) if column.href else None
        return with_query(href, self.period) if href and href.startswith("/") else href


@dataclass(frozen=True, slots=True)
class PageView:
    """A view of MCP Apps on a page: its name, and the arguments and the answer that it shows."""

    name: str
    arguments: Mapping[str, Any]
    result: Any


@dataclass(frozen=True, slots=True)
class ExplorePage:
    """A page with data.

    Attributes:
        lines: Facts under the heading.
        links: Labels and addresses of further pages.
        coverage: Sentences about what the figures rest on.
        counted: Whether the page was counted now.
        remaining: Requests that are left of the month, where that is known.
    """

    title: str
    sections: Sequence[Section]
    counted: bool
    remaining: int | None
    lines: Sequence[str] = ()
    links: Sequence[tuple[str, str]] = ()
    view: PageView | None = None
    coverage: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class TableLocation:
    """Where a table is: the address of its page, what the address filters by, and the subject in questions.

    `metric` is what the rows are ranked by where the address chooses it, empty elsewhere.
    """

    path: str
    subject: str
    arguments: Mapping[str, Any]
    filters: Mapping[str, str | Sequence[str]] = field(
        default_factory=dict[str, str | Sequence[str]]
    )
    has_own_pages: bool = False
    metric: str = ""

    def file_name(self, spec: TableSpec) -> str:
        """Return the name of a table's CSV, such as nordvpn-youtubers.csv, with what the address filters by."""
        parts = unquote(self.path.rpartition("/")[2]), spec.name
        return file_name(parts, spec.taken(self.filters), "csv")

    @property
    def period(self) -> dict[str, Any]:
        return {name: self.filters[name] for name in PERIOD if name in self.filters}

    def table_path(self, spec: TableSpec) -> str:
        return f"{self.path}/{spec.name}" if self.has_own_pages else self.path


def section(
    spec: TableSpec,
    location: TableLocation,
    result: ToolResult | str,
    order: Order = UNSORTED,
    cursor: str = "",
    *,
    is_preview: bool = False,
) -> Section:
    """Return a table of an answer, or of why there is none; a preview has its first rows and leads to its own page."""
    content: Any = {} if isinstance(result, str) else result.content
    path, summary = location.table_path(spec), _summary(spec, location, content)
    location = replace(location, filters=spec.taken(location.filters))
    if is_preview:
        order = spec.preview_order
    rows = spec.ordered(spec.rows(content), order)
    next_cursor: str | None = content.get("next_cursor")
    has_more = bool(cursor or next_cursor)
    query = {**location.filters, **_order_query(order)}
    more = _more(spec, path, query, len(rows), next_cursor, is_preview=is_preview)
    return Section(
        spec,
        [_heading(spec, column, path, location, order) for column in spec.columns],
        rows[:_PREVIEW_ROWS] if is_preview else rows,
        spec.call(location.arguments, order, cursor),
        spec.prompt.format(subject=_subject(location)),
        with_query(
            f"{location.path}/{spec.name}.csv",
            location.filters if spec.sorts_what_is_shown(order) and has_more else query,
        ),
        more,
        in_page_words(result if isinstance(result, str) else content.get("note") or ""),
        sorts_shown_only=spec.sorts_what_is_shown(order) and has_more,
        counted_orders=_counted_orders(spec, location, has_more=has_more and not order.is_local),
        ranked_by=_ranked_by(spec, location),
        summary=summary,
        period=location.period,
    )


def _subject(location: TableLocation) -> str:
    """Return what a table is about, with its period where the table is of a brand or creator."""
    return f"{location.subject}{period_words(location.period) if location.has_own_pages else ''}"


def _summary(spec: TableSpec, location: TableLocation, content: Any) -> str:
    """Return what the rows of an answer are of, also where they are not of the page's period."""
    if location.period and not spec.takes_period:
        return "Of all time, whatever the period."
    return spec.summary(content) if spec.summary and content else ""


def _ranked_by(spec: TableSpec, location: TableLocation) -> str:
    """Return the key of the column that the tool ranks by; empty if it ranks by none."""
    return next((key for key, metric in spec.metrics.items() if metric == location.metric), "")


def _counted_orders(spec: TableSpec, location: TableLocation, *, has_more: bool) -> Sequence[str]:
    """Return the columns that the tool sorts by anew: not where all rows are shown, which are sorted as they are."""
    named: Mapping[str, str] = spec.metrics if location.metric else {}
    if has_more:
        named = {**named, **{key: sort for key, sort in spec.orders.items() if sort}}
    return [column.label for column in spec.columns if column.key in named]


def _more(
    spec: TableSpec,
    path: str,
    query: Mapping[str, str | Sequence[str]],
    count: int,
    next_cursor: str | None,
    *,
    is_preview: bool,
) -> tuple[str, str] | None:
    """Return where further rows are than the `count` of an answer, or than a preview shows, with a label."""
    if is_preview and (count > _PREVIEW_ROWS or next_cursor):
        return with_query(path, query), f"All {spec.noun or spec.title.lower()}"
    if not is_preview and spec.is_paged and next_cursor:
        return with_query(path, {**query, "cursor": next_cursor}), "Next page (1 request)"
    return None


def sponsor_calls(slug: str, period: Mapping[str, Any]) -> tuple[ToolCall, dict[str, ToolCall]]:
    """Return the call that counts for a brand's page, and those that go with it by name of the table."""
    arguments = {"sponsor": slug, **period}
    specs = (
        sponsor_tables.CODES,
        sponsor_tables.YOUTUBERS,
        sponsor_tables.VIDEOS,
        sponsor_tables.SIMILAR,
    )
    return sponsor_tables.SERIES.call(arguments), {
        spec.name: spec.call(arguments) for spec in specs
    }


def sponsor_location(slug: str, name: str, period: Mapping[str, Any]) -> TableLocation:
    """Return where the tables of a brand are."""
    return TableLocation(
        sponsor_path(slug), name, {"sponsor": slug, **period}, period, has_own_pages=True
    )


def sponsor_page(
    slug: str, period: Mapping[str, Any], results: PageResults, labels: Labels
) -> ExplorePage:
    """Return the page of a brand."""
    stats = results.main.content
    sponsor = stats["sponsor"]
    location = sponsor_location(slug, sponsor["name"], period)
    compared = with_query("/explore/compare", {"brands": slug, **period})
    links = [("Compare with other brands", compared)]
    if sponsor["category"]:
        name = labels.category(sponsor["category"])
        links.append((f"Brands in {name}", with_query(category_path(sponsor["category"]), period)))
    return ExplorePage(
        sponsor["name"],
        _sections(sponsor_tables.OF_SPONSOR, location, results),
        results.counted,
        results.main.remaining,
        [*_sponsor_lines(sponsor, labels), *period_lines(stats, location.arguments)],
        links,
        PageView("sponsor-stats", location.arguments, view_result(stats)),
        [*_notes(stats), *catalog_coverage(stats["coverage"])],
    )


def youtuber_calls(
    reference: str, period: Mapping[str, Any]
) -> tuple[ToolCall, dict[str, ToolCall]]:
    """Return the call that counts for a creator's page, and those that go with it by name of the table."""
    arguments = {"youtuber": reference, **period}
    specs = (youtuber_tables.SPONSORS, youtuber_tables.VIDEOS, youtuber_tables.PROSPECTS)
    return youtuber_tables.SERIES.call(arguments), {
        spec.name: spec.call(arguments) for spec in specs
    }


def youtuber_location(reference: str, name: str, period: Mapping[str, Any]) -> TableLocation:
    """Return where the tables of a creator are."""
    return TableLocation(
        youtuber_path(reference),
        name,
        {"youtuber": reference, **period},
        period,
        has_own_pages=True,
    )


def youtuber_page(
    reference: str, period: Mapping[str, Any], results: PageResults, labels: Labels
) -> ExplorePage:
    """Return the page of a creator."""
    stats = results.main.content
    youtuber = stats["youtuber"]
    location = youtuber_location(reference, youtuber["name"], period)
    people = youtuber["subscribers"]
    facts: list[str | None] = [
        youtuber["handle"],
        None if people is None else f"{people:,} subscribers",
        youtuber["country"] and labels.country(youtuber["country"]),
    ]
    return ExplorePage(
        youtuber["name"],
        _sections(youtuber_tables.OF_YOUTUBER, location, results),
        results.counted,
        results.main.remaining,
        [" · ".join(fact for fact in facts if fact), *period_lines(stats, location.arguments)],
        [("The channel on YouTube", youtuber["url"])] if youtuber["url"] else [],
        PageView("youtuber-stats", location.arguments, view_result(stats)),
        [*_notes(stats), *channel_coverage(stats["coverage"])],
    )


def view_result(result: Any) -> Any:
    """Return an answer for the view on a page, with its remarks in the page's words."""
    if isinstance(result, dict):
        items: dict[str, Any] = result  # pyright: ignore[reportUnknownVariableType]
        return {
            key: in_page_words(value)
            if key in _REMARKS and isinstance(value, str)
            else view_result(value)
            for key, value in items.items()
        }
    if isinstance(result, list):
        return [view_result(item) for item in result]  # pyright: ignore[reportUnknownVariableType]
    return result


def period_lines(result: Any, arguments: Mapping[str, Any]) -> list[str]:
    """Return the days and the kinds of sponsorship that an answer is about; without a bound in its arguments, of all time."""
    period = result["period"]
    all_time = "" if arguments.keys() & {"since", "until"} else "all time, "
    kinds = ", ".join(words(kind) for kind in result["kinds"])
    return [
        f"Period: {all_time}{shown_day(period['from_date'])} to {shown_day(period['to_date'])}",
        f"Kinds counted: {kinds}",
    ]


def catalog_coverage(coverage: Any) -> list[str]:
    """Return sentences about what of the catalogue an answer speaks of."""
    first, last = coverage["first_video"], coverage["last_video"]
    days = f", published {shown_day(first)} to {shown_day(last)}" if first and last else ""
    lines = [
        f"These figures speak of the {coverage['videos']:,} videos ({coverage['sponsored_videos']:,} sponsored) of "
        f"{coverage['youtubers']:,} channels that were looked at{days}."
    ]
    if coverage["left_out"]:
        lines.append(
            f"{coverage['left_out']:,} sponsored videos may match too: fields that are filtered by are unknown."
        )
    return lines


def channel_coverage(coverage: Any) -> list[str]:
    """Return a sentence about what of a channel an answer speaks of."""
    first, last = coverage["first_video"], coverage["last_video"]
    days = f", published {shown_day(first)} to {shown_day(last)}" if first and last else ""
    source = f" Source: {words(coverage['source'])}." if coverage["source"] else ""
    count = coverage["videos_scanned"]
    scanned = (
        f"the {count:,} videos of the channel that were"
        if count != 1
        else "the 1 video of the channel that was"
    )
    return [f"These figures speak of {scanned} looked at{days}.{source}"]


def with_query(path: str, query: Mapping[str, str | Sequence[str]]) -> str:
    """Return a path with the parts of a query that are not empty."""
    present = {name: value for name, value in query.items() if value}
    return f"{path}?{urlencode(present, doseq=True)}" if present else path


def _sections(
    specs: Sequence[TableSpec], location: TableLocation, results: PageResults
) -> list[Section]:
    """Return the tables of a page whose call that counts gives all that are not included."""
    return [section(spec, location, results.of(spec.name), is_preview=True) for spec in specs]


def _heading(
    spec: TableSpec, column: Column, path: str, location: TableLocation, order: Order
) -> Heading:
    """Return a heading that sorts by its column, or ranks anew by it, all rows and not only those shown."""
    metric = spec.metrics.get(column.key, "") if location.metric else ""
    is_own = column.key == order.key
    is_fixed = column.key in spec.orders
    ascending = is_own and not order.ascending and not is_fixed
    added = {"metric": metric} if metric else _order_query(Order(column.key, ascending))
    is_ranked_by = bool(metric) and metric == location.metric and not order.key
    direction = "descending" if is_ranked_by else "none"
    if is_own:
        rises = order.ascending or (is_fixed and not column.is_number)
        direction = "ascending" if rises else "descending"
    return Heading(column, with_query(path, {**location.filters, **added}), direction)


def _order_query(order: Order) -> dict[str, str]:
    if not order.key:
        return {}
    return {"sort": order.key, "order": "asc" if order.ascending else ""}


def _sponsor_lines(sponsor: Any, labels: Labels) -> list[str]:
    facts = [
        sponsor["domain"],
        sponsor["category"] and labels.category(sponsor["category"]),
        sponsor["country"] and labels.country(sponsor["country"]),
    ]
    lines = [" · ".join(fact for fact in facts if fact)]
    if sponsor["last_seen"]:
        lines.append(
            f"Status: {_status(sponsor)}; last sponsored video {shown_day(sponsor['last_seen'])}"
        )
    return [line for line in lines if line]


def _status(sponsor: Any) -> str:
    """Return a brand's status with its day."""
    status, until = words(sponsor["status"]), sponsor["known_until"]
    if until and status == "lapsed":
        return f"lapsed by {shown_day(until)}"
    if until and status == "unknown":
        return f"unknown, as too few videos of its creators after {shown_day(until)} were looked at"
    return status


def _notes(result: Any) -> list[str]:
    return [in_page_words(result["note"])] if result.get("note") else []
