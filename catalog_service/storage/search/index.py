"""Statements that search by words and filters; many searches by words share one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Protocol, TypeVar

from sqlalchemy import (
    ARRAY,
    CTE,
    Boolean,
    ColumnElement,
    Integer,
    Text,
    bindparam,
    func,
    literal,
    literal_column,
    select,
    true,
)

from catalog_service.domain.name_keys import plain_digits
from catalog_service.domain.queries import Page, Ranked
from catalog_service.domain.transliteration import latin
from catalog_service.storage import keyset
from catalog_service.storage.columns import AnyRow, AnySelect, Columns
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.keyset import SortKey, SortKeys
from catalog_service.storage.search import matching as names

C = TypeVar("C")

RELEVANCE: Final = "relevance"

# Of the search in the row of `searches` that a page is made for. As text: SQLAlchemy would put the
# table of searches into each part of the page anew.
_IS_DOTTED: Final = literal_column("search_terms.is_dotted", Boolean)
_KEY: Final = names.Key(literal_column("search_terms.key", Text), _IS_DOTTED)
_LATIN: Final = names.Key(literal_column("search_terms.latin", Text), _IS_DOTTED)
_WANTED: Final = literal_column("search_terms.wanted", Integer)


class Search(Protocol):
    """A search; its other attributes are filters."""

    @property
    def words(self) -> str | None: ...

    @property
    def sort(self) -> str: ...

    @property
    def inside(self) -> bool:
        """Whether the words may be inside of names."""
        ...


@dataclass(frozen=True, slots=True)
class Shape:
    """The properties of a search that its statement depends on.

    Attributes:
        words: True if there are words.
        inside: True if these may occur inside names.
        is_foreign: True if they are searched in Latin letters, too.
        filters: Names of the filters.
        sort: Name of the order.
        is_continued: True behind the first page.
    """

    words: bool
    inside: bool
    is_foreign: bool
    filters: tuple[str, ...]
    sort: str
    is_continued: bool

    @property
    def is_plain(self) -> bool:
        """Return true for a search by words alone, which can share a statement."""
        return self.words and not self.filters and not self.is_continued


@dataclass(frozen=True, eq=False)
class SearchIndex(Generic[C]):
    """Sponsors or youtubers, as they are searched.

    Attributes:
        columns: The selected columns.
        card: Makes a result of a row.
        number: The number of a sponsor or youtuber.
        filters: Conditions by name; each takes a parameter of that name.
        orders: Orders by name.
        names: The table of names.
        is_seen: Whether there are videos; matches without come last unless the name is exact. None if all have some.
    """

    columns: Columns
    card: Callable[[AnyRow], C]
    number: ColumnElement[int]
    filters: Mapping[str, ColumnElement[bool]]
    orders: Mapping[str, SortKey]
    names: names.Names
    is_seen: ColumnElement[bool] | None = None
    statements: dict[Shape, AnySelect] = field(default_factory=dict[Shape, AnySelect])

    def shape(self, search: Search, page: Page) -> Shape:
        filters = tuple(name for name in self.filters if getattr(search, name) is not None)
        words = _words(search)
        inside = words is not None and search.inside and names.searched_inside(words)
        is_foreign = words is not None and latin(words) is not None
        is_continued = page.after is not None
        return Shape(words is not None, inside, is_foreign, filters, search.sort, is_continued)

    async def search(self, connection: QueryConnection, search: Search, page: Page) -> Ranked[C]:
        shape = self.shape(search, page)
        if shape.words:
            (found,) = await self.search_many(connection, shape, [(search, page)])
            return found
        values = {name: getattr(search, name) for name in shape.filters}
        rows = await connection.execute(self._statement(shape), values | keyset.parameters(page))
        return keyset.cut(page, rows, self.card)

    async def search_many(
        self, connection: QueryConnection, shape: Shape, searches: Sequence[tuple[Search, Page]]
    ) -> Sequence[Ranked[C]]:
        """Run several searches by words that have one shape and the same filters; one if it continues a list."""
        first, first_page = searches[0]
        words = [_words(search) for search, _ in searches]
        values = {name: getattr(first, name) for name in shape.filters}
        if shape.is_continued:
            values |= keyset.parameters(first_page)
        values |= {
            "words": words,
            "latin": [latin(text or "") if shape.is_foreign else None for text in words],
            "limits": [page.limit + 1 for _, page in searches],
        }
        found: list[list[AnyRow]] = [[] for _ in searches]
        rows: Sequence[AnyRow] = await connection.execute(self._statement(shape), values)
        for row in rows:
            position: int = row.position
            found[position - 1].append(row)
        return [
            keyset.cut(page, own, self.card) for (_, page), own in zip(searches, found, strict=True)
        ]

    def _statement(self, shape: Shape) -> AnySelect:
        made = self.statements.get(shape)
        if made is None:
            make = self._by_words if shape.words else self._by_filters
            made = self.statements[shape] = make(shape)
        return made

    def _by_filters(self, shape: Shape) -> AnySelect:
        order = (self.orders[shape.sort], SortKey(self.number))
        return (
            select(*self.columns, *keyset.labels(order))
            .where(*self._conditions(shape, order))
            .order_by(*keyset.clauses(order))
            .limit(keyset.LIMIT)
        )

    def _conditions(self, shape: Shape, order: SortKeys) -> list[ColumnElement[bool]]:
        conditions = [self.filters[name] for name in shape.filters]
        return [*conditions, keyset.behind(order)] if shape.is_continued else conditions

    def _by_words(self, shape: Shape) -> AnySelect:
        is_cut = shape.is_plain and shape.sort == RELEVANCE
        enough = _WANTED if is_cut else None
        matches = [
            names.hits(self.names, _KEY, inside=shape.inside, enough=enough, is_seen=self._is_seen)
        ]
        if shape.is_foreign:
            matches.append(names.spoken_hits(self.names, _LATIN, _KEY))
        hits = names.best(*matches)
        order: SortKeys = (self.orders[shape.sort], SortKey(self.number))
        if shape.sort == RELEVANCE:
            rank = hits.c.rank
            if self.is_seen is not None:
                rank = names.behind_seen(rank, self.is_seen)
            order = (SortKey(rank), *order)
        row_number = func.row_number().over(order_by=keyset.clauses(order)).label("rank")
        page = (
            select(*self.columns, *keyset.labels(order), row_number)
            .join(hits, hits.c.number == self.number)
            .where(*self._conditions(shape, order))
            .order_by(*keyset.clauses(order))
            .limit(_WANTED)
            .lateral("page")
        )
        searches = _searches(is_foreign=shape.is_foreign)
        return (
            select(searches.c.position, page)
            .select_from(searches)
            .join(page, true())
            .order_by(searches.c.position, page.c.rank)
        )

    def _is_seen(self, matches: CTE) -> ColumnElement[bool]:
        """Return whether there are videos of the number in a row of `matches`, to be looked up for each row."""
        if self.is_seen is None:
            return true()
        return (
            select(self.is_seen)
            .where(self.number == matches.c.number)
            .correlate(matches)
            .scalar_subquery()
        )


def _words(search: Search) -> str | None:
    return None if search.words is None else plain_digits(search.words)


def _key(words: ColumnElement[str]) -> ColumnElement[str]:
    """Return the key of words, null if it is empty."""
    return func.nullif(func.normalised(words), literal("", Text))


def _searches(*, is_foreign: bool) -> Any:
    """Return the searches as rows: `key`, `wanted` rows, `position` among them from 1 on."""
    parameters = (
        func.unnest(
            bindparam("words", type_=ARRAY(Text)),
            bindparam("latin", type_=ARRAY(Text)),
            bindparam("limits", type_=ARRAY(Integer)),
        )
        .table_valued("words", "latin", "wanted", with_ordinality="position")
        .render_derived("parameters")
    )
    columns: list[ColumnElement[Any]] = [
        parameters.c.wanted,
        parameters.c.position,
        (func.strpos(parameters.c.words, ".") > 0).label("is_dotted"),
        _key(parameters.c.words).label("key"),
    ]
    if is_foreign:
        columns.append(_key(parameters.c.latin).label("latin"))
    # Else the planner would put `normalised` in each place of the key, to be worked out for each name.
    return select(*columns).cte("search_terms").prefix_with("MATERIALIZED", dialect="postgresql")
