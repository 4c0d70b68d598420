"""The servicer of operators' calls about imports: decodes, calls, encodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.grpc.codec import encode
from servicekit.grpc.operators import OperatorCheck
from shapes.imports import DetectorCoverage, FollowedChannels, ImportOverview, OperatedImport

if TYPE_CHECKING:
    from import_worker.domain.import_operations import ImportOperations, OperatedView


class ImportOperationsServicer(pb_grpc.ImportOperationsServicer):
    """Implements `sponsorgraph.imports.v1.ImportOperations`. Every call needs the operators' token."""

    def __init__(self, operations: ImportOperations, token: str) -> None:
        self._operations = operations
        self._operators = OperatorCheck(token)

    async def GetOverview(  # noqa: N802
        self, request: pb.ImportOverviewRequest, context: Any
    ) -> pb.ImportOverview:
        self._operators.authorize(context)
        overview = await self._operations.overview(request.limit)
        queue, units = overview.queue, overview.units
        found = ImportOverview(
            queued=queue.states.get("queued", 0),
            running=queue.states.get("running", 0),
            waiting=queue.states.get("waiting", 0),
            failed=queue.states.get("failed", 0),
            under_way=tuple(_shown(view) for view in queue.under_way),
            failures=tuple(_shown(view) for view in queue.failures),
            units_used=units.used if units else None,
            units_allowed=units.allowed if units else None,
            coverage=tuple(DetectorCoverage(*item) for item in queue.coverage),
            lists=queue.lists,
            listed_channels_left=queue.listed_channels_left,
            followed=FollowedChannels(
                channels=queue.followed.channels,
                due=queue.followed.due,
                unchecked=queue.followed.unchecked,
                due_since=queue.followed.due_since,
                refreshes_due=queue.followed.refreshes_due,
                begun=queue.followed.begun,
            ),
        )
        return encode(found, pb.ImportOverview)

    async def CancelAnyImport(  # noqa: N802
        self, request: pb.OperatedImportRequest, context: Any
    ) -> pb.OperatedImport:
        self._operators.authorize(context)
        return _message(await self._operations.cancel(_named(request)))

    async def RetryAnyImport(  # noqa: N802
        self, request: pb.OperatedImportRequest, context: Any
    ) -> pb.OperatedImport:
        self._operators.authorize(context)
        return _message(await self._operations.retry(_named(request)))


def _named(request: pb.OperatedImportRequest) -> str:
    return request.import_id.replace("\0", "")


def _message(view: OperatedView) -> pb.OperatedImport:
    return encode(_shown(view), pb.OperatedImport)


def _shown(view: OperatedView) -> OperatedImport:
    found = view.import_
    return OperatedImport(
        import_id=found.import_id,
        channel_id=found.channel_id,
        channel_title=found.title,
        state=found.state,
        message=found.message,
        videos_seen=found.checkpoint.videos_seen,
        videos_total=found.checkpoint.videos_total,
        account_id=view.account_id,
        accounts=view.accounts,
        created_at=found.created_at,
        finished_at=found.finished_at,
        failure=found.dead_reason,
    )
