"""Operators' calls to the catalog service: reports, merges and their trail."""

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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from servicekit.grpc.peer_credentials import PeerCredentials

_SECONDS = 10.0
_MERGE_SECONDS = 300.0
_PAGE = 50


@dataclass(frozen=True, slots=True)
class Video:
    """The video that a report is about."""

    id: str
    url: str | None
    title: str | None
    published_at: str


@dataclass(frozen=True, slots=True)
class Brand:
    """A sponsor in short."""

    id: str
    slug: str
    name: str


@dataclass(frozen=True, slots=True)
class Creator:
    """A youtuber in short."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words that tell of a sponsorship."""

    excerpt: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the catalogue about a sponsor in a video."""

    sponsor: Brand
    kind: str
    evidence: Evidence
    confidence: float
    detector_version: str


@dataclass(frozen=True, slots=True)
class Report:
    """A report by a caller."""

    id: str
    state: str
    kind: str
    video: Video
    sponsor: Brand | None
    brand: str | None
    proposed_kind: str | None
    note: str | None
    created_at: str


@dataclass(frozen=True, slots=True)
class ReviewedReport:
    """A report with what an operator needs beside it."""

    report: Report
    account_id: str
    youtuber: Creator
    sponsorships: tuple[Claim, ...]
    decided_at: str | None
    decided_by: str | None
    decision_note: str | None


@dataclass(frozen=True, slots=True)
class Merged:
    """The sponsor that is left, and how many videos came to it."""

    sponsor: Brand
    videos_moved: int


@dataclass(frozen=True, slots=True)
class CorrectionLogEntry:
    """One change; `detail` is a JSON object."""

    number: int
    at: str
    actor: str
    action: str
    report_id: str | None
    video_key: str | None
    sponsor_slug: str | None
    detail: str


@dataclass(frozen=True, slots=True)
class CorrectionsClient:
    """Each method is one call on a connection of its own; errors are `ServiceError`."""

    target: str
    token: str
    credentials: PeerCredentials

    def reports(self, state: str, limit: int) -> Sequence[ReviewedReport]:
        """The oldest first."""
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
        request = pb.DecideReportRequest(id=report_id, verdict=decision, note=note, sponsor=sponsor)
        return wire.decode(self._call("DecideReport", request).report, ReviewedReport)

    def merge(self, gone: str, target: str, note: str | None) -> Merged:
        request = pb.MergeSponsorsRequest(from_sponsor=gone, into_sponsor=target, note=note)
        return wire.decode(self._call("MergeSponsors", request, _MERGE_SECONDS), Merged)

    def log_entries(self, limit: int) -> Sequence[CorrectionLogEntry]:
        """The newest first."""
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
    """Return the user who runs the command, in the characters that metadata can carry."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        return ""
    return name.encode("ascii", "replace").decode()
