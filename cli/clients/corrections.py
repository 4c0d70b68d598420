"""Operators' calls to the catalog service: reports, merges and the correction log."""

from __future__ import annotations

import asyncio
import getpass
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import grpc

from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc as pb_grpc
from servicekit.grpc import client as grpc_client
from servicekit.grpc import codec as wire
from servicekit.grpc.errors import from_rpc_error
from shapes.catalog.corrections import CorrectionLogEntry, MergedSponsors, ReviewedReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from servicekit.peer_credentials import PeerCredentials

_SECONDS = 10.0
_MERGE_SECONDS = 300.0
_PAGE = 50


@dataclass(frozen=True, slots=True)
class CorrectionsClient:
    """Each method is one call on a connection of its own; errors are `ServiceError`."""

    target: str
    token: str
    credentials: PeerCredentials

    def reports(self, state: str, limit: int) -> Sequence[ReviewedReport]:
        """Return reports in `state`, oldest first."""
        found: list[ReviewedReport] = []
        cursor: str | None = None
        while len(found) < limit:
            request = pb.ListReportsRequest(
                state=state, limit=min(_PAGE, limit - len(found)), cursor=cursor
            )
            page: pb.ReportPage = self._call("ListReports", request)
            found += [wire.decode(item, ReviewedReport) for item in page.reports]
            if not page.next_cursor:
                break
            cursor = page.next_cursor
        return found

    def report(self, report_id: str) -> ReviewedReport:
        return wire.decode(
            self._call("GetReport", pb.ReportByIdRequest(id=report_id)), ReviewedReport
        )

    def decide(
        self, report_id: str, decision: str, note: str | None, sponsor: str | None = None
    ) -> ReviewedReport:
        request = pb.DecideReportRequest(
            id=report_id, decision=decision, note=note, sponsor=sponsor
        )
        return wire.decode(self._call("DecideReport", request).report, ReviewedReport)

    def merge(self, from_sponsor: str, into_sponsor: str, note: str | None) -> MergedSponsors:
        request = pb.MergeSponsorsRequest(
            from_sponsor=from_sponsor, into_sponsor=into_sponsor, note=note
        )
        return wire.decode(self._call("MergeSponsors", request, _MERGE_SECONDS), MergedSponsors)

    def log(self, limit: int) -> Sequence[CorrectionLogEntry]:
        """Return entries of the correction log, newest first."""
        found: list[CorrectionLogEntry] = []
        cursor: str | None = None
        while len(found) < limit:
            request = pb.ListCorrectionLogRequest(
                limit=min(_PAGE, limit - len(found)), cursor=cursor
            )
            page: pb.CorrectionLogPage = self._call("ListCorrectionLog", request)
            found += [wire.decode(entry, CorrectionLogEntry) for entry in page.entries]
            if not page.next_cursor:
                break
            cursor = page.next_cursor
        return found

    def _call(self, method: str, request: object, seconds: float = _SECONDS) -> Any:
        return asyncio.run(self._send(method, request, seconds))

    async def _send(self, method: str, request: object, seconds: float) -> Any:
        metadata = (("x-operator-token", self.token), ("x-operator-name", _name()))
        async with grpc_client.open_channel(self.target, credentials=self.credentials) as channel:
            stub = cast("Any", pb_grpc.CorrectionsStub(channel))
            try:
                return await getattr(stub, method)(request, timeout=seconds, metadata=metadata)
            except grpc.RpcError as error:
                raise from_rpc_error(error) from error


def _name() -> str:
    """Return the operator's user name in ASCII, as metadata requires."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        return ""
    return name.encode("ascii", "replace").decode()
