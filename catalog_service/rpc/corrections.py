"""The operators' RPCs. Every call needs the operators' token."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import grpc.aio
from google.protobuf.message import Message

from catalog_service.domain.corrections import Corrections
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc
from servicekit.grpc.codec import decode, encode
from servicekit.grpc.operators import OperatorCheck
from shapes.catalog.corrections import (
    DecideReportRequest,
    ListCorrectionLogRequest,
    ListReportsRequest,
    MergeSponsorsRequest,
    ReportByIdRequest,
)

Q = TypeVar("Q")
Reply = TypeVar("Reply", bound=Message)
Context = grpc.aio.ServicerContext[Any, Any]


class CorrectionsServicer(catalog_pb2_grpc.CorrectionsServicer):
    """Implements `sponsorgraph.catalog.v1.Corrections`."""

    def __init__(self, corrections: Corrections, token: str) -> None:
        self._corrections = corrections
        self._operators = OperatorCheck(token)

    async def ListReports(  # noqa: N802 - the RPC's name
        self, request: pb.ListReportsRequest, context: Context
    ) -> pb.ReportPage:
        self._operators.authorize(context)
        return await _respond(
            request, ListReportsRequest, self._corrections.list_reports, pb.ReportPage
        )

    async def GetReport(  # noqa: N802 - the RPC's name
        self, request: pb.ReportByIdRequest, context: Context
    ) -> pb.ReviewedReport:
        self._operators.authorize(context)
        return await _respond(request, ReportByIdRequest, self._corrections.get, pb.ReviewedReport)

    async def DecideReport(  # noqa: N802 - the RPC's name
        self, request: pb.DecideReportRequest, context: Context
    ) -> pb.Decision:
        actor = self._operators.authorize(context)
        decision_request = decode(request, DecideReportRequest)
        return encode(await self._corrections.decide(decision_request, actor), pb.Decision)

    async def MergeSponsors(  # noqa: N802 - the RPC's name
        self, request: pb.MergeSponsorsRequest, context: Context
    ) -> pb.MergedSponsors:
        actor = self._operators.authorize(context)
        merge_request = decode(request, MergeSponsorsRequest)
        return encode(await self._corrections.merge(merge_request, actor), pb.MergedSponsors)

    async def ListCorrectionLog(  # noqa: N802 - the RPC's name
        self, request: pb.ListCorrectionLogRequest, context: Context
    ) -> pb.CorrectionLogPage:
        self._operators.authorize(context)
        return await _respond(
            request,
            ListCorrectionLogRequest,
            self._corrections.log,
            pb.CorrectionLogPage,
        )


async def _respond(
    request: Message,
    request_type: type[Q],
    method: Callable[[Q], Awaitable[Any]],
    response_type: type[Reply],
) -> Reply:
    return encode(await method(decode(request, request_type)), response_type)
