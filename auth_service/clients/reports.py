"""The catalog's reports over gRPC, as the site's `ReportCatalog`."""

from typing import Any

import grpc.aio

from auth_service.clients.deadlines import PART_SECONDS
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc as pb_grpc
from servicekit.grpc.client import call
from servicekit.grpc.codec import decode
from shapes.catalog.corrections import OwnReportPage


class GrpcReports:
    """Call the catalog over one gRPC channel."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub: Any = pb_grpc.CatalogStub(channel)

    async def own_reports(self, account_id: str, limit: int, cursor: str | None) -> OwnReportPage:
        request = pb.OwnReportsRequest(account_id=account_id, limit=limit, cursor=cursor)
        return decode(
            await call(self._stub.ListOwnReports, request, timeout=PART_SECONDS), OwnReportPage
        )
