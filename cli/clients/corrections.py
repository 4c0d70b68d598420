"""Operators' calls to the catalog service: reports, merges and the correction log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from devstack.clients.operator_calls import OperatorCalls
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc as pb_grpc
from servicekit.grpc import codec as wire
from shapes.catalog.corrections import CorrectionLogEntry, MergedSponsors, ReviewedReport

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECONDS = 10.0
_MERGE_SECONDS = 300.0
_PAGE = 50


@dataclass(frozen=True, slots=True)
class CorrectionsClient(OperatorCalls):
    """Each method is one call."""

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
        return self.call(pb_grpc.CorrectionsStub, method, request, seconds)
