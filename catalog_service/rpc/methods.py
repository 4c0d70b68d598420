"""The methods of the service Catalog by name, with the domain's functions that serve them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from catalog_service.domain.category_list import CategoryQueries
from catalog_service.domain.comparisons import ComparisonQueries
from catalog_service.domain.corrections import Corrections
from catalog_service.domain.ingest import Ingest
from catalog_service.domain.reports import Reports
from catalog_service.domain.sponsors import SponsorQueries
from catalog_service.domain.videos import VideoQueries
from catalog_service.domain.youtubers import YoutuberQueries
from servicekit.grpc.codec import decode
from shapes.catalog.categories import CategoriesRequest
from shapes.catalog.comparisons import (
    CompareSponsorsRequest,
    SharedSponsorsRequest,
    TrendsRequest,
)
from shapes.catalog.corrections import ReportRequest
from shapes.catalog.sponsors import (
    SearchSponsorsRequest,
    SimilarSponsorsRequest,
    SponsorRequest,
    SponsorStatsRequest,
    SponsorVideosRequest,
    SponsorYoutubersRequest,
    TopSponsorsRequest,
)
from shapes.catalog.videos import SearchCodesRequest, VideoRequest
from shapes.catalog.youtubers import (
    ProspectsRequest,
    SearchYoutubersRequest,
    YoutuberRequest,
    YoutuberSponsorsRequest,
    YoutuberStatsRequest,
    YoutuberVideosRequest,
)

CatalogCall = Callable[[str, Message], Awaitable[Any]]
"""Takes a method's name and its request; returns the domain's result, a dataclass."""


@dataclass(frozen=True, slots=True)
class CatalogApi:
    """The catalogue's queries, its ingest and its corrections."""

    sponsors: SponsorQueries
    youtubers: YoutuberQueries
    videos: VideoQueries
    comparisons: ComparisonQueries
    categories: CategoryQueries
    ingest: Ingest
    reports: Reports
    corrections: Corrections


def caller_of(api: CatalogApi) -> CatalogCall:
    """Return a function that calls a method of `api` by name."""
    known = _by_name(api)

    async def call(name: str, request: Message) -> Any:
        cls, handler = known[name]
        return await handler(decode(request, cls))

    return call


def _by_name(
    api: CatalogApi,
) -> Mapping[str, tuple[type, Callable[[Any], Awaitable[Any]]]]:
    sponsors, youtubers = api.sponsors, api.youtubers
    videos, comparisons = api.videos, api.comparisons
    categories, reports = api.categories, api.reports
    return {
        "SearchSponsors": (SearchSponsorsRequest, sponsors.search),
        "GetSponsor": (SponsorRequest, sponsors.get),
        "GetSponsorStats": (SponsorStatsRequest, sponsors.stats),
        "ListSponsorVideos": (SponsorVideosRequest, sponsors.videos),
        "ListSponsorYoutubers": (SponsorYoutubersRequest, sponsors.youtubers),
        "TopSponsors": (TopSponsorsRequest, sponsors.top),
        "ListSimilarSponsors": (SimilarSponsorsRequest, sponsors.similar),
        "SearchYoutubers": (SearchYoutubersRequest, youtubers.search),
        "GetYoutuber": (YoutuberRequest, youtubers.get),
        "ListYoutuberSponsors": (YoutuberSponsorsRequest, youtubers.sponsors),
        "GetYoutuberStats": (YoutuberStatsRequest, youtubers.stats),
        "ListYoutuberVideos": (YoutuberVideosRequest, youtubers.videos),
        "ListProspects": (ProspectsRequest, youtubers.prospects),
        "GetVideo": (VideoRequest, videos.get),
        "SearchCodes": (SearchCodesRequest, videos.codes),
        "CompareSponsors": (CompareSponsorsRequest, comparisons.compare),
        "ListTrends": (TrendsRequest, comparisons.trends),
        "ListSharedSponsors": (SharedSponsorsRequest, comparisons.shared_sponsors),
        "ListCategories": (CategoriesRequest, categories.list_all),
        "ReportSponsorship": (ReportRequest, reports.report),
    }
