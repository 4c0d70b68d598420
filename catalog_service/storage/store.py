"""The read ports on Postgres: each method is a query of one module, on a connection of its own."""

from collections.abc import Mapping
from functools import partial

from catalog_service.domain.categories import Scope
from catalog_service.domain.kinds import Kinds
from catalog_service.domain.ports import (
    CategoryCounts,
)
from catalog_service.storage import categories, outlook, video_lists, videos
from catalog_service.storage.connections import Database
from catalog_service.storage.search import sponsors as sponsor_search
from catalog_service.storage.search import youtubers as youtuber_search
from catalog_service.storage.search.batching import Searches
from catalog_service.storage.search.sponsors import SPONSORS
from catalog_service.storage.search.youtubers import YOUTUBERS
from catalog_service.storage.stats import (
    conflicts,
    prospects,
    shared,
    similar,
    sponsor_totals,
    top,
    track_records,
    trends,
)
from catalog_service.storage.stats import relations as histories
from catalog_service.storage.stats import sponsors as sponsor_stats
from catalog_service.storage.stats import youtubers as youtuber_sums


class PostgresSponsors:
    """`SponsorStore` on Postgres."""

    def __init__(self, database: Database) -> None:
        self.find_sponsors = database.in_reader(sponsor_search.find)
        self.search_sponsors = Searches(database, SPONSORS).search
        self.sponsor = database.in_snapshot(sponsor_totals.record)
        self.sponsor_card = database.in_reader(sponsor_totals.card)
        self.sponsor_sums = database.in_snapshot(sponsor_stats.sums_of)
        self.sponsor_videos = database.in_reader(video_lists.of_sponsor)
        self.sponsor_youtubers = database.in_reader(histories.sponsor_youtubers_page)
        self.top_sponsors = partial(top.ranking, database)
        self.similar_sponsors = database.in_snapshot(similar.similar)


class PostgresYoutubers:
    """`YoutuberStore` on Postgres."""

    def __init__(self, database: Database) -> None:
        self.find_youtubers = database.in_reader(youtuber_search.find)
        self.search_youtubers = Searches(database, YOUTUBERS).search
        self.youtuber_card = database.in_reader(youtuber_sums.card)
        self.coverage = database.in_reader(youtuber_sums.read_coverage)
        self.youtuber_kinds = database.in_reader(youtuber_sums.kinds_of)
        self.videos_around = database.in_reader(youtuber_sums.videos_around)
        self.youtuber_sponsors = database.in_reader(histories.youtuber_sponsors_page)
        self.youtuber_sums = database.in_snapshot(youtuber_sums.sums_of)
        self.youtuber_videos = database.in_snapshot(video_lists.of_youtuber)
        self.prospects = database.in_snapshot(prospects.scored)
        self.conflicts = database.in_snapshot(conflicts.find)


class PostgresRecords:
    """`RecordStore` on Postgres."""

    def __init__(self, database: Database) -> None:
        self.youtuber_history = database.in_snapshot(track_records.of_youtuber)
        self.sponsor_history = database.in_snapshot(track_records.of_sponsor)


class PostgresVideos:
    """`VideoStore` on Postgres."""

    def __init__(self, database: Database) -> None:
        self.video = database.in_snapshot(videos.find)
        self.codes = database.in_reader(videos.codes)


class PostgresOutlook:
    """`OutlookStore` on Postgres."""

    def __init__(self, database: Database) -> None:
        self.recent_videos = database.in_snapshot(outlook.recent_videos)


class PostgresComparisons:
    """`ComparisonStore` on Postgres."""

    def __init__(self, database: Database) -> None:
        self.shared_youtubers = database.in_reader(shared.youtubers_of)
        self.shared_sponsors = database.in_snapshot(shared.sponsors_of)
        self.changes = database.in_reader(trends.changes)


class PostgresCategories:
    """`CategoryStore` on Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def category_counts(self, scope: Scope, kinds: Kinds) -> Mapping[str, CategoryCounts]:
        async with self._database.snapshot() as connection:
            if scope == "sponsor":
                return await categories.of_sponsors(connection, kinds)
            return await categories.of_content(connection, kinds)
