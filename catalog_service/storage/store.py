"""The read ports on Postgres: each method opens a connection and calls one module."""

from collections.abc import Mapping, Sequence

from catalog_service.domain.categories import Scope
from catalog_service.domain.kinds import Kinds
from catalog_service.domain.ports import (
    CategoryCounts,
    Changes,
    FoundVideo,
    Peers,
    RankingTotals,
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
    SponsorSearch,
    SponsorshipFilter,
    SponsorStatsQuery,
    TrendQuery,
    VideoFilter,
    YoutuberSearch,
    YoutuberStatsQuery,
)
from catalog_service.domain.references import (
    MAX_FOUND,
    Candidate,
    SponsorReference,
    VideoReference,
    YoutuberReference,
)
from catalog_service.storage import categories, video_lists, videos
from catalog_service.storage.connections import Database
from catalog_service.storage.search import sponsors as sponsor_search
from catalog_service.storage.search import youtubers as youtuber_search
from catalog_service.storage.search.batching import Searches
from catalog_service.storage.search.sponsors import SPONSORS
from catalog_service.storage.search.youtubers import YOUTUBERS
from catalog_service.storage.stats import prospects, shared, similar, sponsor_totals, top, trends
from catalog_service.storage.stats import relations as histories
from catalog_service.storage.stats import sponsors as sponsor_stats
from catalog_service.storage.stats import youtubers as youtuber_sums
from shapes.catalog.comparisons import SharedSponsor
from shapes.catalog.shared import (
    Coverage,
    SponsorCard,
    SponsorRef,
    YoutuberCard,
    YoutuberRef,
)
from shapes.catalog.sponsors import RankedSponsor, SimilarSponsor, SponsorVideo, SponsorYoutuber
from shapes.catalog.videos import CodeUse
from shapes.catalog.youtubers import YoutuberSponsor, YoutuberVideo


class PostgresSponsors:
    """`SponsorStore` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._searches = Searches(database, SPONSORS)

    async def find_sponsors(
        self, reference: SponsorReference, limit: int = MAX_FOUND
    ) -> Sequence[Candidate[SponsorRef]]:
        async with self._database.reader() as connection:
            return await sponsor_search.find(connection, reference, limit)

    async def search_sponsors(self, query: SponsorSearch, page: Page) -> Sequence[SponsorCard]:
        return await self._searches.search(query, page)

    async def sponsor(self, number: int) -> SponsorRecord:
        async with self._database.snapshot() as connection:
            return await sponsor_totals.record(connection, number)

    async def sponsor_card(self, number: int) -> SponsorCard:
        async with self._database.reader() as connection:
            return await sponsor_totals.card(connection, number)

    async def sponsor_sums(self, query: SponsorStatsQuery) -> SponsorSums:
        async with self._database.snapshot() as connection:
            return await sponsor_stats.sums_of(connection, query)

    async def sponsor_videos(
        self, query: SponsorshipFilter, page: NewestPage
    ) -> Sequence[SponsorVideo]:
        async with self._database.reader() as connection:
            return await video_lists.of_sponsor(connection, query, page)

    async def sponsor_youtubers(
        self, query: SponsorshipFilter, sort: str, page: Page
    ) -> Sequence[SponsorYoutuber]:
        async with self._database.reader() as connection:
            return await histories.sponsor_youtubers_page(connection, query, sort, page)

    async def top_sponsors(
        self, query: Ranking, page: Page
    ) -> tuple[RankingTotals, Sequence[RankedSponsor]]:
        is_one = top.is_one_statement(query)
        opened = self._database.reader() if is_one else self._database.snapshot()
        async with opened as connection:
            return await top.ranking(connection, query, page)

    async def similar_sponsors(
        self, sponsor: int, limit: int, kinds: Kinds
    ) -> Sequence[SimilarSponsor]:
        async with self._database.snapshot() as connection:
            return await similar.similar(connection, sponsor, limit, kinds)


class PostgresYoutubers:
    """`YoutuberStore` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._searches = Searches(database, YOUTUBERS)

    async def find_youtubers(
        self, reference: YoutuberReference, limit: int = MAX_FOUND
    ) -> Sequence[Candidate[YoutuberRef]]:
        async with self._database.reader() as connection:
            return await youtuber_search.find(connection, reference, limit)

    async def search_youtubers(self, query: YoutuberSearch, page: Page) -> Sequence[YoutuberCard]:
        return await self._searches.search(query, page)

    async def youtuber_card(self, number: int) -> YoutuberCard:
        async with self._database.reader() as connection:
            return await youtuber_sums.card(connection, number)

    async def coverage(self, number: int) -> Coverage:
        async with self._database.reader() as connection:
            return await youtuber_sums.read_coverage(connection, number)

    async def youtuber_sponsors(
        self, query: SponsorshipFilter, sort: str, page: Page
    ) -> Sequence[YoutuberSponsor]:
        async with self._database.reader() as connection:
            return await histories.youtuber_sponsors_page(connection, query, sort, page)

    async def youtuber_sums(self, query: YoutuberStatsQuery) -> YoutuberSums:
        async with self._database.snapshot() as connection:
            return await youtuber_sums.sums_of(connection, query)

    async def youtuber_videos(
        self, query: VideoFilter, page: NewestPage
    ) -> Sequence[YoutuberVideo]:
        async with self._database.snapshot() as connection:
            return await video_lists.of_youtuber(connection, query, page)

    async def prospects(self, query: ProspectSearch, basis: Basis) -> Peers:
        async with self._database.snapshot() as connection:
            return await prospects.scored(connection, query, basis)


class PostgresVideos:
    """`VideoStore` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def video(self, reference: VideoReference) -> FoundVideo | None:
        async with self._database.snapshot() as connection:
            return await videos.find(connection, reference)

    async def codes(self, code: str, page: Page) -> Sequence[CodeUse]:
        async with self._database.reader() as connection:
            return await videos.codes(connection, code, page)


class PostgresComparisons:
    """`ComparisonStore` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def shared_youtubers(self, sponsors: Sequence[int]) -> Mapping[frozenset[int], int]:
        async with self._database.reader() as connection:
            return await shared.youtubers_of(connection, sponsors)

    async def shared_sponsors(
        self, youtubers: Sequence[int], page: Page
    ) -> Sequence[SharedSponsor]:
        async with self._database.snapshot() as connection:
            return await shared.sponsors_of(connection, youtubers, page)

    async def changes(self, query: TrendQuery) -> Changes:
        async with self._database.reader() as connection:
            return await trends.changes(connection, query)


class PostgresCategories:
    """`CategoryStore` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def category_counts(self, scope: Scope) -> Mapping[str, CategoryCounts]:
        async with self._database.snapshot() as connection:
            if scope == "sponsor":
                return await categories.of_sponsors(connection)
            return await categories.of_content(connection)
