"""The service Catalog: its methods by name, and the servicer that calls them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import grpc.aio
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from catalog_service.domain.category_list import CategoryQueries
from catalog_service.domain.comparisons import ComparisonQueries
from catalog_service.domain.conflicts import ConflictQueries
from catalog_service.domain.corrections import Corrections
from catalog_service.domain.events.queries import EventQueries
from catalog_service.domain.ingest import Ingest, Item
from catalog_service.domain.lists.service import ListService
from catalog_service.domain.outlook.queries import OutlookQueries
from catalog_service.domain.reports import Reports
from catalog_service.domain.resolutions import ResolutionQueries
from catalog_service.domain.sponsors import SponsorQueries
from catalog_service.domain.sql.queries import SqlQueries
from catalog_service.domain.topics.queries import TopicQueries
from catalog_service.domain.videos import VideoQueries
from catalog_service.domain.youtubers import YoutuberQueries
from catalog_service.prefetch import collect_cooperatively
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc
from servicekit.grpc.codec import decode, encode
from servicekit.grpc.metadata import CATALOG_VERSION
from shapes.catalog.categories import CategoriesRequest
from shapes.catalog.comparisons import (
    CompareSponsorsRequest,
    SharedSponsorsRequest,
    TrendsRequest,
)
from shapes.catalog.corrections import OwnReportsRequest, ReportRequest
from shapes.catalog.dataset import DatasetRequest, SqlRequest
from shapes.catalog.ingest import SponsorFact, VideoFact, VideoRemoval, YoutuberFact
from shapes.catalog.lists import (
    AccountListsRequest,
    CreateListRequest,
    ListNamesRequest,
    RenameListRequest,
    SavedListPageRequest,
    SavedListRequest,
)
from shapes.catalog.outlook import OutlookRequest
from shapes.catalog.records import ConflictsRequest
from shapes.catalog.resolution import ResolveRequest
from shapes.catalog.sponsors import (
    SearchSponsorsRequest,
    SimilarSponsorsRequest,
    SponsorRequest,
    SponsorStatsRequest,
    SponsorVideosRequest,
    SponsorYoutubersRequest,
    TopSponsorsRequest,
)
from shapes.catalog.topics import SearchVideosRequest, YoutubersAboutRequest
from shapes.catalog.videos import SearchCodesRequest, VideoRequest
from shapes.catalog.youtubers import (
    ProspectsRequest,
    SearchYoutubersRequest,
    YoutuberRequest,
    YoutuberSponsorsRequest,
    YoutuberStatsRequest,
    YoutuberVideosRequest,
)

Context = grpc.aio.ServicerContext[Any, Any]

UNARY_METHODS: Final[Sequence[MethodDescriptor]] = [
    method
    for method in pb.DESCRIPTOR.services_by_name["Catalog"].methods
    if not method.client_streaming
]
_FACTS: Final = {
    "sponsor": SponsorFact,
    "youtuber": YoutuberFact,
    "video": VideoFact,
    "removal": VideoRemoval,
}

UNKNOWN_VERSION: Final = "-"


class Source(Protocol):
    """The database that is read: its version of the catalogue, and how often the server or that version has changed."""

    version: str
    changes: int


def version_since(source: Source, version: str, changes: int) -> str:
    """Return `version`, or `UNKNOWN_VERSION` if the server or the version has changed since the request began."""
    return version if version and source.changes == changes else UNKNOWN_VERSION


CatalogCall = Callable[[str, Message], Awaitable[Any]]
"""Takes a method's name and its request; returns the domain's result, a dataclass."""


@dataclass(frozen=True, slots=True)
class CatalogApi:
    """The catalogue's queries, its ingest and its corrections."""

    sponsors: SponsorQueries
    youtubers: YoutuberQueries
    outlook: OutlookQueries
    conflicts: ConflictQueries
    videos: VideoQueries
    topics: TopicQueries
    comparisons: ComparisonQueries
    categories: CategoryQueries
    resolutions: ResolutionQueries
    sql: SqlQueries
    ingest: Ingest
    reports: Reports
    corrections: Corrections
    lists: ListService
    events: EventQueries


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
        "ListConflicts": (ConflictsRequest, api.conflicts.find),
        "ListProspects": (ProspectsRequest, youtubers.prospects),
        "GetYoutuberOutlook": (OutlookRequest, api.outlook.get),
        "GetVideo": (VideoRequest, videos.get),
        "SearchCodes": (SearchCodesRequest, videos.codes),
        "SearchVideos": (SearchVideosRequest, api.topics.search_videos),
        "ListYoutubersAbout": (YoutubersAboutRequest, api.topics.youtubers_about),
        "CompareSponsors": (CompareSponsorsRequest, comparisons.compare),
        "ListTrends": (TrendsRequest, comparisons.trends),
        "ListSharedSponsors": (SharedSponsorsRequest, comparisons.shared_sponsors),
        "ListCategories": (CategoriesRequest, categories.list_all),
        "Resolve": (ResolveRequest, api.resolutions.resolve),
        "RunSql": (SqlRequest, api.sql.run),
        "DescribeDataset": (DatasetRequest, api.sql.describe),
        "ReportSponsorship": (ReportRequest, reports.report),
        "ListOwnReports": (OwnReportsRequest, reports.list_own),
        **_of_lists(api.lists),
    }


def _of_lists(
    lists: ListService,
) -> Mapping[str, tuple[type, Callable[[Any], Awaitable[Any]]]]:
    return {
        "CreateList": (CreateListRequest, lists.create),
        "AddToList": (ListNamesRequest, lists.add),
        "RemoveFromList": (ListNamesRequest, lists.remove),
        "RenameList": (RenameListRequest, lists.rename),
        "DeleteList": (SavedListRequest, lists.delete),
        "GetList": (SavedListPageRequest, lists.get),
        "ListSavedLists": (AccountListsRequest, lists.list_all),
        "EraseLists": (AccountListsRequest, lists.erase),
    }


class CatalogServicer(catalog_pb2_grpc.CatalogServicer):
    """Implements `sponsorgraph.catalog.v1.Catalog`: a unary RPC calls the method of its name."""

    def __init__(self, call: CatalogCall, ingest: Ingest, source: Source) -> None:
        self._ingest = ingest
        for method in UNARY_METHODS:
            setattr(self, method.name, _unary(method, call, source))

    async def Ingest(  # noqa: N802 - the RPC's name
        self, request_iterator: AsyncIterator[pb.IngestRequest], context: Context
    ) -> pb.IngestReply:
        del context
        return encode(await self._ingest.take(_batches(request_iterator)), pb.IngestReply)


def _unary(
    method: MethodDescriptor, call: CatalogCall, source: Source
) -> Callable[[Message, Context], Awaitable[Message]]:
    response_type = GetMessageClass(method.output_type)

    async def respond(request: Message, context: Context) -> Message:
        version, changes = source.version, source.changes
        response = encode(await call(method.name, request), response_type)
        context.set_trailing_metadata(((CATALOG_VERSION, version_since(source, version, changes)),))
        return response

    return respond


async def _batches(requests: AsyncIterator[pb.IngestRequest]) -> AsyncIterator[Sequence[Item]]:
    async for request in requests:
        yield await collect_cooperatively(map(_item, request.items))


def _item(item: pb.IngestItem) -> Item:
    name = item.WhichOneof("fact")
    return None if name is None else decode(getattr(item, name), _FACTS[name])
