"""An import worker over gRPC that records its requests; an account sees only what is its own."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Final, cast

import grpc.aio

from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.errors import NotFound
from servicekit.grpc import server as grpc_server
from servicekit.settings import GrpcServerSettings
from tests.fakes.peers import GRPC_TOKEN

SERVICES: Final = ("Imports", "Follows", "FollowLimits")


@dataclass(slots=True)
class Worker:
    """Imports, and channels that accounts follow; `limits` are those that it was told, None of removed accounts."""

    imports: list[tuple[str, pb.ImportStatus]] = field(
        default_factory=list[tuple[str, pb.ImportStatus]]
    )
    requests: list[Any] = field(default_factory=list[Any])
    follows: dict[str, list[pb.Follow]] = field(default_factory=dict[str, list[pb.Follow]])
    limits: list[tuple[str, int | None]] = field(default_factory=list[tuple[str, int | None]])
    refusal: Exception | None = None
    away: Exception | None = None
    """Raised by every request about limits."""

    async def StartImport(self, request: pb.StartImportRequest, _context: Any) -> pb.ImportStatus:  # noqa: N802
        self._record(request)
        made = pb.ImportStatus(
            import_id=secrets.token_hex(4),
            channel_id="UC" + "x" * 22,
            channel_title="<b>Example</b>",
            state="running",
            message="Reading videos.",
            videos_seen=50,
            videos_total=200,
            sponsorships=3,
            brands=[pb.FoundBrand(slug="nordvpn", name="NordVPN", videos=2)],
            created_at="2026-11-21T12:00:00Z",
        )
        self.imports.append((request.account_id, made))
        return made

    async def ListImports(self, request: pb.ListImportsRequest, _context: Any) -> pb.ImportPage:  # noqa: N802
        return pb.ImportPage(imports=[o for a, o in self.imports if a == request.account_id])

    async def CancelImport(self, request: pb.ImportRequest, _context: Any) -> pb.ImportStatus:  # noqa: N802
        for account_id, channel_import in self.imports:
            if (account_id, channel_import.import_id) == (request.account_id, request.import_id):
                channel_import.state = "cancelled"
                return channel_import
        raise NotFound("There is no such import.")

    async def FollowChannel(self, request: pb.FollowChannelRequest, _context: Any) -> pb.Follow:  # noqa: N802
        self._record(request)
        own = self.follows.setdefault(request.account_id, [])
        made = pb.Follow(
            channel_id=f"UC{len(own):022}",
            channel_title=f"<i>{request.channel}</i>",
            state="importing" if request.channel == "@new" else "active",
            followed_at="2026-11-21T12:00:00Z",
            last_check_at="2026-11-22T12:00:00Z",
            next_check_at="2026-11-22T18:00:00Z",
        )
        if made.state == "active":
            own.insert(0, made)
        return made

    async def UnfollowChannel(self, request: pb.UnfollowChannelRequest, _context: Any) -> pb.Follow:  # noqa: N802
        self._record(request)
        own = self.follows.get(request.account_id, [])
        for follow in own:
            if follow.channel_id == request.channel:
                own.remove(follow)
                return follow
        raise NotFound("You do not follow it.")

    async def ListFollows(self, request: pb.ListFollowsRequest, _context: Any) -> pb.FollowPage:  # noqa: N802
        own = self.follows.get(request.account_id, [])
        first = int(request.cursor or 0)
        last = first + request.limit
        return pb.FollowPage(
            channels=own[first:last],
            total=len(own),
            paused=sum(follow.state == "paused" for follow in own),
            next_cursor=str(last) if last < len(own) else None,
        )

    async def ListFollowers(  # noqa: N802
        self, request: pb.ListFollowersRequest, _context: Any
    ) -> pb.FollowerList:
        self._check()
        found = [
            self._follower(account_id)
            for account_id, own in sorted(self.follows.items())
            if own and account_id > request.after
        ]
        return pb.FollowerList(followers=found[: request.limit])

    async def SetFollowLimit(self, request: pb.SetFollowLimitRequest, _context: Any) -> pb.Follower:  # noqa: N802
        self._check()
        self.limits.append((request.account_id, request.max_followed))
        oldest_first = reversed(self.follows.get(request.account_id, []))
        for rank, follow in enumerate(oldest_first, start=1):
            follow.state = "paused" if rank > request.max_followed else "active"
        return self._follower(request.account_id)

    async def RemoveFollows(self, request: pb.RemoveFollowsRequest, _context: Any) -> pb.Follower:  # noqa: N802
        self._check()
        self.limits.append((request.account_id, None))
        self.follows.pop(request.account_id, None)
        return self._follower(request.account_id)

    def _follower(self, account_id: str) -> pb.Follower:
        own = self.follows.get(account_id, [])
        paused = sum(follow.state == "paused" for follow in own)
        return pb.Follower(account_id=account_id, total=len(own), paused=paused)

    def _record(self, request: Any) -> None:
        self.requests.append(request)
        if self.refusal is not None:
            raise self.refusal

    def _check(self) -> None:
        if self.away is not None:
            raise self.away


@asynccontextmanager
async def serving(worker: Worker) -> AsyncGenerator[str]:
    """Serve a worker until the block ends; yield its address."""

    def register(server: grpc.aio.Server) -> str:
        for service in SERVICES:
            methods = pb.DESCRIPTOR.services_by_name[service].methods_by_name
            known = {name: getattr(worker, name, None) for name in methods}
            add = getattr(pb_grpc, f"add_{service}Servicer_to_server")
            add(cast("Any", SimpleNamespace(**known)), server)
        return "sponsorgraph.imports.v1.Imports"

    settings = GrpcServerSettings(grpc_port=0, grpc_token=GRPC_TOKEN, shutdown_grace_seconds=0)
    async with grpc_server.serve_grpc(settings, register) as port:
        yield f"127.0.0.1:{port}"
