"""Every question of the service Catalog by its name, as the domain answers it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from catalog_service.domain import requests
from catalog_service.domain.category_list import CategoryQueries
from catalog_service.domain.corrections import Corrections
from catalog_service.domain.ingest import Ingest
from catalog_service.domain.reports import Reports
from catalog_service.domain.sponsors import SponsorQueries
from catalog_service.domain.youtubers import YoutuberQueries
from servicekit.grpc.codec import decode

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
        "SearchSponsors": (requests.SearchSponsorsRequest, sponsors.search),
        "GetSponsor": (requests.SponsorRequest, sponsors.get),
        "GetSponsorStats": (requests.SponsorStatsRequest, sponsors.stats),
        "ListSponsorVideos": (requests.SponsorVideosRequest, sponsors.videos),
        "ListSponsorYoutubers": (requests.SponsorYoutubersRequest, sponsors.youtubers),
        "TopSponsors": (requests.TopSponsorsRequest, sponsors.top),
        "ListSimilarSponsors": (requests.SimilarSponsorsRequest, sponsors.similar),
        "SearchYoutubers": (requests.SearchYoutubersRequest, youtubers.search),
        "GetYoutuber": (requests.YoutuberRequest, youtubers.get),
        "ListYoutuberSponsors": (requests.YoutuberSponsorsRequest, youtubers.sponsors),
        "GetYoutuberStats": (requests.YoutuberStatsRequest, youtubers.stats),
        "ListYoutuberVideos": (requests.YoutuberVideosRequest, youtubers.videos),
        "ListProspects": (requests.ProspectsRequest, youtubers.prospects),
        "ListCategories": (requests.CategoriesRequest, categories.list_all),
        "ReportSponsorship": (requests.ReportRequest, reports.report),
    }
