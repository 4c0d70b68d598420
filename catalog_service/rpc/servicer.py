"""The catalogue's RPCs: each calls its method and encodes the result."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

import grpc.aio

from catalog_service.domain.ingest import Ingest, Item
from catalog_service.rpc.methods import CatalogCall
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc
from servicekit.concurrency.prefetch import collect_cooperatively
from servicekit.grpc.codec import decode, encode
from shapes.catalog.ingest import SponsorFact, VideoFact, YoutuberFact

Context = grpc.aio.ServicerContext[Any, Any]

_FACTS: Final = {"sponsor": SponsorFact, "youtuber": YoutuberFact, "video": VideoFact}


class CatalogServicer(catalog_pb2_grpc.CatalogServicer):
    """Implements `sponsorgraph.catalog.v1.Catalog`."""

    def __init__(self, call: CatalogCall, ingest: Ingest) -> None:
        self._call = call
        self._ingest = ingest

    async def SearchSponsors(  # noqa: N802 - the RPC's name
        self, request: pb.SearchSponsorsRequest, context: Context
    ) -> pb.SponsorPage:
        del context
        return encode(await self._call("SearchSponsors", request), pb.SponsorPage)

    async def GetSponsor(  # noqa: N802 - the RPC's name
        self, request: pb.SponsorRequest, context: Context
    ) -> pb.Sponsor:
        del context
        return encode(await self._call("GetSponsor", request), pb.Sponsor)

    async def GetSponsorStats(  # noqa: N802 - the RPC's name
        self, request: pb.SponsorStatsRequest, context: Context
    ) -> pb.SponsorStats:
        del context
        return encode(await self._call("GetSponsorStats", request), pb.SponsorStats)

    async def ListSponsorVideos(  # noqa: N802 - the RPC's name
        self, request: pb.SponsorVideosRequest, context: Context
    ) -> pb.SponsorVideoPage:
        del context
        return encode(await self._call("ListSponsorVideos", request), pb.SponsorVideoPage)

    async def ListSponsorYoutubers(  # noqa: N802 - the RPC's name
        self, request: pb.SponsorYoutubersRequest, context: Context
    ) -> pb.SponsorYoutuberPage:
        del context
        return encode(await self._call("ListSponsorYoutubers", request), pb.SponsorYoutuberPage)

    async def TopSponsors(  # noqa: N802 - the RPC's name
        self, request: pb.TopSponsorsRequest, context: Context
    ) -> pb.TopSponsors:
        del context
        return encode(await self._call("TopSponsors", request), pb.TopSponsors)

    async def ListSimilarSponsors(  # noqa: N802 - the RPC's name
        self, request: pb.SimilarSponsorsRequest, context: Context
    ) -> pb.SimilarSponsors:
        del context
        return encode(await self._call("ListSimilarSponsors", request), pb.SimilarSponsors)

    async def SearchYoutubers(  # noqa: N802 - the RPC's name
        self, request: pb.SearchYoutubersRequest, context: Context
    ) -> pb.YoutuberPage:
        del context
        return encode(await self._call("SearchYoutubers", request), pb.YoutuberPage)

    async def GetYoutuber(  # noqa: N802 - the RPC's name
        self, request: pb.YoutuberRequest, context: Context
    ) -> pb.Youtuber:
        del context
        return encode(await self._call("GetYoutuber", request), pb.Youtuber)

    async def ListYoutuberSponsors(  # noqa: N802 - the RPC's name
        self, request: pb.YoutuberSponsorsRequest, context: Context
    ) -> pb.YoutuberSponsorPage:
        del context
        return encode(await self._call("ListYoutuberSponsors", request), pb.YoutuberSponsorPage)

    async def GetYoutuberStats(  # noqa: N802 - the RPC's name
        self, request: pb.YoutuberStatsRequest, context: Context
    ) -> pb.YoutuberStats:
        del context
        return encode(await self._call("GetYoutuberStats", request), pb.YoutuberStats)

    async def ListYoutuberVideos(  # noqa: N802 - the RPC's name
        self, request: pb.YoutuberVideosRequest, context: Context
    ) -> pb.YoutuberVideoPage:
        del context
        return encode(await self._call("ListYoutuberVideos", request), pb.YoutuberVideoPage)

    async def ListProspects(  # noqa: N802 - the RPC's name
        self, request: pb.ProspectsRequest, context: Context
    ) -> pb.Prospects:
        del context
        return encode(await self._call("ListProspects", request), pb.Prospects)

    async def GetVideo(  # noqa: N802 - the RPC's name
        self, request: pb.VideoRequest, context: Context
    ) -> pb.VideoDetails:
        del context
        return encode(await self._call("GetVideo", request), pb.VideoDetails)

    async def SearchCodes(  # noqa: N802 - the RPC's name
        self, request: pb.SearchCodesRequest, context: Context
    ) -> pb.CodePage:
        del context
        return encode(await self._call("SearchCodes", request), pb.CodePage)

    async def CompareSponsors(  # noqa: N802 - the RPC's name
        self, request: pb.CompareSponsorsRequest, context: Context
    ) -> pb.SponsorComparison:
        del context
        return encode(await self._call("CompareSponsors", request), pb.SponsorComparison)

    async def ListTrends(  # noqa: N802 - the RPC's name
        self, request: pb.TrendsRequest, context: Context
    ) -> pb.Trends:
        del context
        return encode(await self._call("ListTrends", request), pb.Trends)

    async def ListSharedSponsors(  # noqa: N802 - the RPC's name
        self, request: pb.SharedSponsorsRequest, context: Context
    ) -> pb.SharedSponsors:
        del context
        return encode(await self._call("ListSharedSponsors", request), pb.SharedSponsors)

    async def ListCategories(  # noqa: N802 - the RPC's name
        self, request: pb.CategoriesRequest, context: Context
    ) -> pb.Categories:
        del context
        return encode(await self._call("ListCategories", request), pb.Categories)

    async def Ingest(  # noqa: N802 - the RPC's name
        self, request_iterator: AsyncIterator[pb.IngestRequest], context: Context
    ) -> pb.IngestReply:
        del context
        return encode(await self._ingest.take(_batches(request_iterator)), pb.IngestReply)

    async def ReportSponsorship(  # noqa: N802 - the RPC's name
        self, request: pb.ReportRequest, context: Context
    ) -> pb.Report:
        del context
        return encode(await self._call("ReportSponsorship", request), pb.Report)


async def _batches(requests: AsyncIterator[pb.IngestRequest]) -> AsyncIterator[Sequence[Item]]:
    async for request in requests:
        yield await collect_cooperatively(map(_item, request.items))


def _item(item: pb.IngestItem) -> Item:
    name = item.WhichOneof("fact")
    return None if name is None else decode(getattr(item, name), _FACTS[name])
