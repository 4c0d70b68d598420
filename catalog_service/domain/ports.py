"""Ports to storage.

Lists of videos and numbered lists may hold one element more than their page: then there is a next page.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from catalog_service.domain.amendments import Correction, Merges
from catalog_service.domain.categories import Scope
from catalog_service.domain.facts import VideoState
from catalog_service.domain.joining import Joins
from catalog_service.domain.kinds import Kinds
from catalog_service.domain.periods import RequestedPeriod
from catalog_service.domain.queries import (
    NO_LISTS,
    Basis,
    ListConditions,
    NewestPage,
    Page,
    ProspectSearch,
    Ranked,
    Ranking,
    SharedSponsorsQuery,
    SharedYoutubersQuery,
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
from catalog_service.domain.same_channels import ChannelSums
from catalog_service.domain.view_comparison import YearViews
from shapes.catalog.comparisons import SharedSponsor
from shapes.catalog.ingest import SponsorFact, VideoFact, YoutuberFact
from shapes.catalog.shared import (
    Coverage,
    SponsorCard,
    SponsorRef,
    Sponsorship,
    Totals,
    Video,
    YoutuberCard,
    YoutuberRef,
)
from shapes.catalog.sponsors import (
    LatestCode,
    RankedSponsor,
    SeriesPoint,
    ShareOfVoice,
    SimilarSponsor,
    SponsorVideo,
    SponsorYoutuber,
)
from shapes.catalog.videos import CodeUse, VideoSnapshot
from shapes.catalog.youtubers import (
    YoutuberSeriesPoint,
    YoutuberSponsor,
    YoutuberVideo,
)

Counts = Mapping[str | None, int]
"""Numbers by a key; None where the key is not known."""


@dataclass(frozen=True, slots=True)
class PartCounts:
    """Sponsorships, and the different videos that they are of, by the same keys."""

    sponsorships: Counts
    videos: Counts


@dataclass(frozen=True, slots=True)
class RankingTotals:
    """Sums over a ranking; `by_kind` is of all kinds, also of those that it leaves out."""

    totals: Totals
    by_kind: PartCounts


@dataclass(frozen=True, slots=True)
class SponsorRecord:
    """A sponsor as `sponsor.get` shows it, without its youtubers."""

    card: SponsorCard
    aliases: tuple[str, ...]
    domains: tuple[str, ...]
    kinds: Counts
    latest_codes: tuple[LatestCode, ...]


@dataclass(frozen=True, slots=True)
class SponsorSums:
    """A sponsor's statistics over a period; `series` has no empty steps."""

    card: SponsorCard
    totals: Totals
    previous_totals: Totals
    same_channels: ChannelSums
    series: tuple[SeriesPoint, ...]
    by_category: Counts
    by_country: Counts
    by_kind: Counts
    repeated_youtubers: int
    share_of_voice: ShareOfVoice | None


@dataclass(frozen=True, slots=True)
class YoutuberSums:
    """A youtuber's statistics over a period; `series` has no empty steps, `views` is by year."""

    videos: int
    sponsored_videos: int
    sponsorships: int
    sponsors: int
    views: tuple[YearViews, ...]
    by_category: PartCounts
    by_kind: PartCounts
    series: tuple[YoutuberSeriesPoint, ...]


@dataclass(frozen=True, slots=True)
class ScoredSponsor:
    """A sponsor of `youtubers` many peers, where chance would give `expected`; see `support.score`.

    `weight` and `expected_weight` are the same with each peer weighed by its likeness, 1 for the one most alike: the
    score is of them. `all_youtubers` are those of the kinds of sponsorship that count, whether peers or not.
    """

    card: SponsorCard
    score: float
    youtubers: int
    all_youtubers: int
    expected: float
    weight: float
    expected_weight: float
    examples: tuple[YoutuberRef, ...]


@dataclass(frozen=True, slots=True)
class Peers:
    """The number of similar youtubers, and their sponsors.

    `traits` are those of content, country and size in which one of them at least is like the youtuber; none where
    shared sponsors make them similar.
    """

    count: int
    sponsors: tuple[ScoredSponsor, ...]
    traits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CategoryCounts:
    sponsors: int
    youtubers: int
    videos: int
    sponsorships: int
    free_products: int


@dataclass(frozen=True, slots=True)
class FoundVideo:
    """A video with its youtuber, its sponsorships, the surest first, its creator's own disclosure, and its snapshots by age."""

    video: Video
    youtuber: YoutuberRef
    sponsorships: tuple[Sponsorship, ...]
    paid_promotion_disclosed: bool | None
    duration_seconds: int | None
    language: str | None
    likes: int | None
    comments: int | None
    snapshots: tuple[VideoSnapshot, ...]


@dataclass(frozen=True, slots=True)
class SponsorChange:
    """A sponsor's sums on the same channels, and those of its youtubers there of each period."""

    sponsor: SponsorRef
    sums: ChannelSums
    youtubers: int
    previous_youtubers: int


@dataclass(frozen=True, slots=True)
class Changes:
    """Sponsors by their change, and the sponsorships of all in both periods.

    Of the youtubers of these, `compared_youtubers` have known videos in both periods: `known_videos` of the later one. With them
    are `compared_sponsors`, of which `sponsors` are the first.
    """

    all_videos: int
    all_previous: int
    youtubers: int
    compared_youtubers: int
    compared_sponsors: int
    known_videos: int
    previous_known_videos: int
    sponsors: tuple[SponsorChange, ...]


class SponsorStore(Protocol):
    """Reads about sponsors. Every method may raise `Unavailable`."""

    async def find_sponsors(
        self, reference: SponsorReference, limit: int = MAX_FOUND
    ) -> Sequence[Candidate[SponsorRef]]: ...

    async def search_sponsors(self, query: SponsorSearch, page: Page) -> Ranked[SponsorCard]: ...

    async def sponsor(self, number: int) -> SponsorRecord: ...

    async def sponsor_card(self, number: int) -> SponsorCard: ...

    async def sponsor_sums(self, query: SponsorStatsQuery) -> SponsorSums: ...

    async def sponsor_videos(
        self, query: SponsorshipFilter, page: NewestPage
    ) -> Sequence[SponsorVideo]: ...

    async def sponsor_youtubers(
        self, query: SponsorshipFilter, sort: str, page: Page
    ) -> Ranked[SponsorYoutuber]: ...

    async def top_sponsors(
        self, query: Ranking, page: Page
    ) -> tuple[RankingTotals, Ranked[RankedSponsor]]: ...

    async def similar_sponsors(
        self, sponsor: int, limit: int, kinds: Kinds, lists: ListConditions = NO_LISTS
    ) -> tuple[int, Sequence[SimilarSponsor]]:
        """Return the number of all that share a youtuber with the sponsor, and the first of them."""
        ...


class YoutuberStore(Protocol):
    """Reads about youtubers. Every method may raise `Unavailable`."""

    async def find_youtubers(
        self, reference: YoutuberReference, limit: int = MAX_FOUND
    ) -> Sequence[Candidate[YoutuberRef]]: ...

    async def search_youtubers(self, query: YoutuberSearch, page: Page) -> Ranked[YoutuberCard]: ...

    async def youtuber_card(self, number: int) -> YoutuberCard: ...

    async def coverage(self, number: int, period: RequestedPeriod | None = None) -> Coverage:
        """Return what of the channel has been looked at; `videos_in_period` if the period has a bound."""
        ...

    async def youtuber_kinds(self, number: int) -> PartCounts:
        """Return the youtuber's sponsorships and videos by kind."""
        ...

    async def videos_around(
        self, number: int, period: RequestedPeriod
    ) -> tuple[date | None, date | None]:
        """Return the days of the last video before the period and of the first one after it; None for no such video."""
        ...

    async def youtuber_sponsors(
        self, query: SponsorshipFilter, sort: str, page: Page
    ) -> Ranked[YoutuberSponsor]: ...

    async def youtuber_sums(self, query: YoutuberStatsQuery) -> YoutuberSums: ...

    async def youtuber_videos(
        self, query: VideoFilter, page: NewestPage
    ) -> Sequence[YoutuberVideo]: ...

    async def prospects(self, query: ProspectSearch, basis: Basis) -> Peers:
        """Return sponsors of similar youtubers that this one has not, the highest score first."""
        ...


class VideoStore(Protocol):
    """Reads about videos and promo codes. Every method may raise `Unavailable`."""

    async def video(self, reference: VideoReference) -> FoundVideo | None: ...

    async def codes(self, code: str, lists: ListConditions, page: Page) -> Ranked[CodeUse]:
        """Return codes that are `code` or begin with it, whatever the case, the code itself first."""
        ...


class ComparisonStore(Protocol):
    """Reads over several sponsors or youtubers. Every method may raise `Unavailable`."""

    async def shared_youtubers(self, query: SharedYoutubersQuery) -> Mapping[frozenset[int], int]:
        """Return the youtubers in common of each two sponsors; pairs without any are left out."""
        ...

    async def shared_sponsors(
        self, query: SharedSponsorsQuery, page: Page
    ) -> Ranked[SharedSponsor]: ...

    async def changes(self, query: TrendQuery) -> Changes: ...


class CategoryStore(Protocol):
    """Counts by category. May raise `Unavailable`."""

    async def category_counts(self, scope: Scope, kinds: Kinds) -> Mapping[str, CategoryCounts]:
        """Return counts by category, and of sponsors by group too; categories without any are left out."""
        ...


class Batch(Joins, Protocol):
    """One transaction of the ingest. No other batch runs at the same time.

    Records are written in full: the domain merges them with the stored ones.
    """

    async def sponsors(self, slugs: Sequence[str]) -> Mapping[str, SponsorFact]:
        """Return those stored, by slug."""
        ...

    async def youtubers(self, keys: Sequence[str]) -> Mapping[str, YoutuberFact]:
        """Return those stored, by key."""
        ...

    async def videos(self, keys: Sequence[str]) -> Mapping[str, VideoFact]:
        """Return those stored, by key."""
        ...

    async def video_digests(self, keys: Sequence[str]) -> Mapping[str, str]:
        """Return digests of the latest facts about stored videos, by key."""
        ...

    async def known_sponsors(self, slugs: Sequence[str]) -> frozenset[str]: ...

    async def known_youtubers(self, keys: Sequence[str]) -> frozenset[str]: ...

    async def channel_owners(self, channel_ids: Sequence[str]) -> Mapping[str, str]:
        """Return the keys of the youtubers that have these channel ids."""
        ...

    async def video_owners(self, video_ids: Sequence[str]) -> Mapping[str, str]:
        """Return the keys of the videos that have these YouTube ids."""
        ...

    async def merges(self, slugs: Sequence[str]) -> Merges:
        """Return merges of these slugs and into them, with all others into the same sponsors."""
        ...

    async def corrections(self, keys: Sequence[str]) -> Mapping[str, Sequence[Correction]]:
        """Return operators' decisions about these videos in their order, by key."""
        ...

    async def save_parts(self, changed: Sequence[SponsorFact]) -> None:
        """Store the facts about merged sponsors."""
        ...

    async def save_own(self, changed: Sequence[SponsorFact]) -> None:
        """Store the facts about sponsors that others were merged into."""
        ...

    async def save_sponsors(self, changed: Sequence[SponsorFact]) -> None: ...

    async def save_youtubers(self, changed: Sequence[YoutuberFact]) -> None: ...

    async def save_videos(self, states: Sequence[VideoState]) -> None: ...

    async def remove_videos(self, keys: Sequence[str]) -> frozenset[str]:
        """Remove videos with all that is known, reported and decided of them; return the keys of those that there were."""
        ...

    async def save_snapshots(self, observed: Sequence[VideoFact]) -> None:
        """Store what was observed of stored videos on a day; thin their snapshots."""
        ...

    async def finish(self) -> int:
        """Update totals and rollups; return the catalogue's version."""
        ...


class IngestStore(Protocol):
    """Opens batches. May raise `Unavailable`."""

    def batch(self) -> AbstractAsyncContextManager[Batch]:
        """Open a batch that is committed at the end of the block, or rolled back by an exception."""
        ...


class Today(Protocol):
    """The calendar."""

    def __call__(self) -> date: ...
