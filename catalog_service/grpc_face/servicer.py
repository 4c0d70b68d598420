"""The catalogue's RPCs: each decodes its request, asks the domain and encodes the answer."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import grpc.aio
from google.protobuf.message import Message

from catalog_service.domain import requests
from catalog_service.domain.category_list import CategoryQuestions
from catalog_service.domain.corrections import Corrections
from catalog_service.domain.facts import SponsorFact, VideoFact, YoutuberFact
from catalog_service.domain.ingest import Ingest, Item
from catalog_service.domain.reporting import Reports
from catalog_service.domain.sponsors import SponsorQuestions
from catalog_service.domain.youtubers import YoutuberQuestions
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc
from servicekit.wire import decode, encode

Q = TypeVar("Q")
Reply = TypeVar("Reply", bound=Message)
Context = grpc.aio.ServicerContext[Any, Any]

_FACTS: Final = {"sponsor": SponsorFact, "youtuber": YoutuberFact, "video": VideoFact}


@dataclass(frozen=True, slots=True)
class Questions:
    """All that can be asked of the catalogue, its ingest, and what corrects it."""

    sponsors: SponsorQuestions
    youtubers: YoutuberQuestions
    categories: CategoryQuestions
    ingest: Ingest
    reports: Reports
    corrections: Corrections


async def _answer(
    request: Message,
    question: type[Q],
    ask: Callable[[Q], Awaitable[Any]],
    answer: type[Reply],
) -> Reply:
    return encode(await ask(decode(request, question)), answer)


class CatalogServicer(catalog_pb2_grpc.CatalogServicer):
    """Implements `sponsorgraph.catalog.v1.Catalog`."""

    def __init__(self, questions: Questions) -> None:
        self._sponsors = questions.sponsors
        self._youtubers = questions.youtubers
        self._categories = questions.categories
        self._ingest = questions.ingest
        self._reports = questions.reports

    async def SearchSponsors(  # noqa: N802 - the RPC's name
        self, request: pb.SearchSponsorsRequest, context: Context
    ) -> pb.SponsorPage:
        del context
        return await _answer(
            request, requests.SearchSponsorsRequest, self._sponsors.search, pb.SponsorPage
        )

    async def GetSponsor(  # noqa: N802 - the RPC's name
        self, request: pb.SponsorRequest, context: Context
    ) -> pb.Sponsor:
        del context
        return await _answer(request, requests.SponsorRequest, self._sponsors.get, pb.Sponsor)

    async def GetSponsorStats(  # noqa: N802 - the RPC's name
        self, request: pb.SponsorStatsRequest, context: Context
    ) -> pb.SponsorStats:
        del context
        return await _answer(
            request, requests.SponsorStatsRequest, self._sponsors.stats, pb.SponsorStats
        )

    async def ListSponsorVideos(  # noqa: N802 - the RPC's name
        self, request: pb.SponsorVideosRequest, context: Context
    ) -> pb.SponsorVideoPage:
        del context
        return await _answer(
            request, requests.SponsorVideosRequest, self._sponsors.videos, pb.SponsorVideoPage
        )

    async def ListSponsorYoutubers(  # noqa: N802 - the RPC's name
        self, request: pb.SponsorYoutubersRequest, context: Context
    ) -> pb.SponsorYoutuberPage:
        del context
        return await _answer(
            request,
            requests.SponsorYoutubersRequest,
            self._sponsors.youtubers,
            pb.SponsorYoutuberPage,
        )

    async def TopSponsors(  # noqa: N802 - the RPC's name
        self, request: pb.TopSponsorsRequest, context: Context
    ) -> pb.TopSponsorsReply:
        del context
        return await _answer(
            request, requests.TopSponsorsRequest, self._sponsors.top, pb.TopSponsorsReply
        )

    async def ListSimilarSponsors(  # noqa: N802 - the RPC's name
        self, request: pb.SimilarSponsorsRequest, context: Context
    ) -> pb.SimilarSponsorsReply:
        del context
        return await _answer(
            request,
            requests.SimilarSponsorsRequest,
            self._sponsors.similar,
            pb.SimilarSponsorsReply,
        )

    async def SearchYoutubers(  # noqa: N802 - the RPC's name
        self, request: pb.SearchYoutubersRequest, context: Context
    ) -> pb.YoutuberPage:
        del context
        return await _answer(
            request, requests.SearchYoutubersRequest, self._youtubers.search, pb.YoutuberPage
        )

    async def GetYoutuber(  # noqa: N802 - the RPC's name
        self, request: pb.YoutuberRequest, context: Context
    ) -> pb.Youtuber:
        del context
        return await _answer(request, requests.YoutuberRequest, self._youtubers.get, pb.Youtuber)

    async def ListYoutuberSponsors(  # noqa: N802 - the RPC's name
        self, request: pb.YoutuberSponsorsRequest, context: Context
    ) -> pb.YoutuberSponsorPage:
        del context
        return await _answer(
            request,
            requests.YoutuberSponsorsRequest,
            self._youtubers.sponsors,
            pb.YoutuberSponsorPage,
        )

    async def GetYoutuberStats(  # noqa: N802 - the RPC's name
        self, request: pb.YoutuberStatsRequest, context: Context
    ) -> pb.YoutuberStats:
        del context
        return await _answer(
            request, requests.YoutuberStatsRequest, self._youtubers.stats, pb.YoutuberStats
        )

    async def ListYoutuberVideos(  # noqa: N802 - the RPC's name
        self, request: pb.YoutuberVideosRequest, context: Context
    ) -> pb.YoutuberVideoPage:
        del context
        return await _answer(
            request, requests.YoutuberVideosRequest, self._youtubers.videos, pb.YoutuberVideoPage
        )

    async def ListProspects(  # noqa: N802 - the RPC's name
        self, request: pb.ProspectsRequest, context: Context
    ) -> pb.ProspectsReply:
        del context
        return await _answer(
            request, requests.ProspectsRequest, self._youtubers.prospects, pb.ProspectsReply
        )

    async def ListCategories(  # noqa: N802 - the RPC's name
        self, request: pb.CategoriesRequest, context: Context
    ) -> pb.CategoriesReply:
        del context
        return await _answer(
            request, requests.CategoriesRequest, self._categories.list_all, pb.CategoriesReply
        )

    async def Ingest(  # noqa: N802 - the RPC's name
        self, request_iterator: AsyncIterator[pb.IngestRequest], context: Context
    ) -> pb.IngestReply:
        del context
        batches = (_items(request) async for request in request_iterator)
        return encode(await self._ingest.take(batches), pb.IngestReply)

    async def ReportSponsorship(  # noqa: N802 - the RPC's name
        self, request: pb.ReportRequest, context: Context
    ) -> pb.Report:
        del context
        return await _answer(request, requests.ReportRequest, self._reports.report, pb.Report)


def _items(request: pb.IngestRequest) -> Sequence[Item]:
    return [_item(item) for item in request.items]


def _item(item: pb.IngestItem) -> Item:
    name = item.WhichOneof("fact")
    return None if name is None else decode(getattr(item, name), _FACTS[name])
