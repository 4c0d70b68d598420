"""The read ports on Postgres: each method opens a connection and asks one module."""

from collections.abc import Mapping, Sequence

from catalog_service.domain.answers.shared import (
    Coverage,
    Period,
    SponsorCard,
    SponsorRef,
    Totals,
    YoutuberCard,
    YoutuberRef,
)
from catalog_service.domain.answers.sponsors import (
    RankedSponsor,
    SimilarSponsor,
    SponsorVideo,
    SponsorYoutuber,
)
from catalog_service.domain.answers.youtubers import YoutuberSponsor, YoutuberVideo
from catalog_service.domain.categories import Scope
from catalog_service.domain.ports import (
    CategoryCounts,
    Peers,
    SponsorRecord,
    SponsorSums,
    YoutuberSums,
)
from catalog_service.domain.queries import (
    Basis,
    NewestPage,
    Page,
    ProspectSearch,
    Ranking,
    Sightings,
    SponsorFigures,
    SponsorSearch,
    VideoFilter,
    YoutuberFigures,
    YoutuberSearch,
)
from catalog_service.domain.references import Candidate, SponsorReference, YoutuberReference
from catalog_service.storage import (
    categories,
    histories,
    months,
    prospects,
    similar,
    sponsor_figures,
    sponsor_search,
    sponsor_stats,
    top,
    video_lists,
    youtuber_figures,
    youtuber_search,
)
from catalog_service.storage.database import Database
from catalog_service.storage.gathered_searches import Searches
from catalog_service.storage.sponsor_search import SPONSORS
from catalog_service.storage.youtuber_search import YOUTUBERS


class PostgresSponsors:
    """`SponsorStore` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._searches = Searches(database, SPONSORS)

    async def find_sponsors(self, reference: SponsorReference) -> Sequence[Candidate[SponsorRef]]:
        async with self._database.reading() as connection:
            return await sponsor_search.find(connection, reference)

    async def search_sponsors(self, query: SponsorSearch, page: Page) -> Sequence[SponsorCard]:
        return await self._searches.ask(query, page)

    async def sponsor(self, number: int) -> SponsorRecord:
        async with self._database.snapshot() as connection:
            return await sponsor_figures.record(connection, number)

    async def sponsor_card(self, number: int) -> SponsorCard:
        async with self._database.reading() as connection:
            return await sponsor_figures.card(connection, number)

    async def sponsor_figures(self, query: SponsorFigures) -> SponsorSums:
        async with self._database.snapshot() as connection:
            return await sponsor_stats.figures(connection, query)

    async def sponsor_videos(self, query: Sightings, page: NewestPage) -> Sequence[SponsorVideo]:
        async with self._database.reading() as connection:
            return await video_lists.of_sponsor(connection, query, page)

    async def sponsor_youtubers(
        self, query: Sightings, sort: str, page: Page
    ) -> Sequence[SponsorYoutuber]:
        async with self._database.reading() as connection:
            return await histories.sponsor_youtubers_page(connection, query, sort, page)

    async def top_sponsors(
        self, query: Ranking, page: Page
    ) -> tuple[Totals, Sequence[RankedSponsor]]:
        is_one = top.is_one_statement(query)
        opened = self._database.reading() if is_one else self._database.snapshot()
        async with opened as connection:
            return await top.ranking(connection, query, page)

    async def similar_sponsors(self, sponsor: int, limit: int) -> Sequence[SimilarSponsor]:
        async with self._database.snapshot() as connection:
            return await similar.similar(connection, sponsor, limit)

    async def sponsored_span(self) -> Period | None:
        async with self._database.reading() as connection:
            return await months.sponsored_span(connection)


class PostgresYoutubers:
    """`YoutuberStore` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._searches = Searches(database, YOUTUBERS)

    async def find_youtubers(
        self, reference: YoutuberReference
    ) -> Sequence[Candidate[YoutuberRef]]:
        async with self._database.reading() as connection:
            return await youtuber_search.find(connection, reference)

    async def search_youtubers(self, query: YoutuberSearch, page: Page) -> Sequence[YoutuberCard]:
        return await self._searches.ask(query, page)

    async def youtuber_card(self, number: int) -> YoutuberCard:
        async with self._database.reading() as connection:
            return await youtuber_figures.card(connection, number)

    async def coverage(self, number: int) -> Coverage:
        async with self._database.reading() as connection:
            return await youtuber_figures.looked_at(connection, number)

    async def youtuber_sponsors(
        self, query: Sightings, sort: str, page: Page
    ) -> Sequence[YoutuberSponsor]:
        async with self._database.reading() as connection:
            return await histories.youtuber_sponsors_page(connection, query, sort, page)

    async def youtuber_figures(self, query: YoutuberFigures) -> YoutuberSums:
        async with self._database.snapshot() as connection:
            return await youtuber_figures.figures(connection, query)

    async def youtuber_videos(
        self, query: VideoFilter, page: NewestPage
    ) -> Sequence[YoutuberVideo]:
        async with self._database.snapshot() as connection:
            return await video_lists.of_youtuber(connection, query, page)

    async def prospects(self, query: ProspectSearch, basis: Basis) -> Peers:
        async with self._database.snapshot() as connection:
            return await prospects.scored(connection, query, basis)


class PostgresCategories:
    """`CategoryStore` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def category_counts(self, scope: Scope) -> Mapping[str, CategoryCounts]:
        async with self._database.snapshot() as connection:
            if scope == "sponsor":
                return await categories.of_sponsors(connection)
            return await categories.of_content(connection)
