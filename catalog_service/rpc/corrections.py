"""The operators' RPCs. Every call needs the operators' token."""

import hmac
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import grpc.aio
from google.protobuf.message import Message

from catalog_service.domain.corrections import Corrections
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc
from servicekit.errors import PermissionDenied
from servicekit.grpc.codec import decode, encode
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

TOKEN_METADATA: Final = "x-operator-token"  # noqa: S105 - the name of a header
NAME_METADATA: Final = "x-operator-name"
_NAMELESS: Final = "operator"
_LONGEST_NAME: Final = 100


class CorrectionsServicer(catalog_pb2_grpc.CorrectionsServicer):
    """Implements `sponsorgraph.catalog.v1.Corrections`."""

    def __init__(self, corrections: Corrections, token: str) -> None:
        self._corrections = corrections
        self._token = token

    async def ListReports(  # noqa: N802 - the RPC's name
        self, request: pb.ListReportsRequest, context: Context
    ) -> pb.ReportPage:
        self._authorize(context)
        return await _answer(
            request, ListReportsRequest, self._corrections.list_reports, pb.ReportPage
        )

    async def GetReport(  # noqa: N802 - the RPC's name
        self, request: pb.ReportByIdRequest, context: Context
    ) -> pb.ReviewedReport:
        self._authorize(context)
        return await _answer(request, ReportByIdRequest, self._corrections.get, pb.ReviewedReport)

    async def DecideReport(  # noqa: N802 - the RPC's name
        self, request: pb.DecideReportRequest, context: Context
    ) -> pb.Decision:
        actor = self._authorize(context)
        told = decode(request, DecideReportRequest)
        return encode(await self._corrections.decide(told, actor), pb.Decision)

    async def MergeSponsors(  # noqa: N802 - the RPC's name
        self, request: pb.MergeSponsorsRequest, context: Context
    ) -> pb.MergedSponsors:
        actor = self._authorize(context)
        told = decode(request, MergeSponsorsRequest)
        return encode(await self._corrections.merge(told, actor), pb.MergedSponsors)

    async def ListCorrectionLog(  # noqa: N802 - the RPC's name
        self, request: pb.ListCorrectionLogRequest, context: Context
    ) -> pb.CorrectionLogPage:
        self._authorize(context)
        return await _answer(
            request,
            ListCorrectionLogRequest,
            self._corrections.log,
            pb.CorrectionLogPage,
        )

    def _authorize(self, context: Context) -> str:
        """Who acts, as the caller says.

        Raises:
            PermissionDenied: The token is missing or wrong, or none is set here.
        """
        metadata = {key: str(value) for key, value in context.invocation_metadata() or ()}
        given = metadata.get(TOKEN_METADATA, "")
        if not self._token or not hmac.compare_digest(given.encode(), self._token.encode()):
            raise PermissionDenied("Operators' calls need the operators' token.")
        name = metadata.get(NAME_METADATA, "").strip()[:_LONGEST_NAME]
        return name if name.isprintable() and name else _NAMELESS


async def _answer(
    request: Message,
    question: type[Q],
    ask: Callable[[Q], Awaitable[Any]],
    answer: type[Reply],
) -> Reply:
    return encode(await ask(decode(request, question)), answer)
