"""Every question of the service Catalog by its name, as the domain answers it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from catalog_service.domain.category_list import CategoryQueries
from catalog_service.domain.corrections import Corrections
from catalog_service.domain.ingest import Ingest
from catalog_service.domain.reports import Reports
from catalog_service.domain.sponsors import SponsorQueries
from catalog_service.domain.youtubers import YoutuberQueries
from servicekit.grpc.codec import decode
from shapes.catalog.categories import CategoriesRequest
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
from shapes.catalog.youtubers import (
    ProspectsRequest,
    SearchYoutubersRequest,
    YoutuberRequest,
    YoutuberSponsorsRequest,
    YoutuberStatsRequest,
    YoutuberVideosRequest,
)

Ask = Callable[[str, Message], Awaitable[Any]]
"""Takes the name of a question and its request; gives the domain's answer, a dataclass."""


@dataclass(frozen=True, slots=True)
class CatalogApi:
    """All that can be asked of the catalogue, its ingest, and what corrects it."""

    sponsors: SponsorQueries
    youtubers: YoutuberQueries
    categories: CategoryQueries
    ingest: Ingest
    reports: Reports
    corrections: Corrections


def asking(questions: CatalogApi) -> Ask:
    """Asks `questions`."""
    known = _by_name(questions)

    async def ask(name: str, request: Message) -> Any:
        cls, answer = known[name]
        return await answer(decode(request, cls))

    return ask


def _by_name(
    questions: CatalogApi,
) -> Mapping[str, tuple[type, Callable[[Any], Awaitable[Any]]]]:
    sponsors, youtubers = questions.sponsors, questions.youtubers
    categories, reports = questions.categories, questions.reports
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
        "ListCategories": (CategoriesRequest, categories.list_all),
        "ReportSponsorship": (ReportRequest, reports.report),
    }
