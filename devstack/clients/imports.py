"""Starts an import at the import worker and follows it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, cast

import grpc

from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.grpc import client as grpc_client
from servicekit.grpc import codec as wire
from servicekit.grpc.errors import from_rpc_error
from servicekit.grpc.peer_credentials import PeerCredentials

OPERATOR: Final = "operator"
"""Whose imports those of the command line are: of no account, so that no limit of one counts."""

_AT_ONCE: Final = 100
_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """The channel to import. `since` is a day, such as 2025-01-31."""

    channel: str
    since: str | None
    max_videos: int | None


@dataclass(frozen=True, slots=True)
class FoundBrand:
    """A brand that an import found, and in how many videos."""

    name: str
    videos: int


@dataclass(frozen=True, slots=True)
class Followed:
    """An import as it is now."""

    import_id: str
    channel_title: str
    state: str
    message: str
    videos_seen: int
    videos_total: int | None
    sponsorships: int
    brands: tuple[FoundBrand, ...]


def follow(
    target: str,
    wanted: Wanted,
    on_progress: Callable[[Followed], None],
    credentials: PeerCredentials,
) -> Followed:
    """Imports a channel to its end, telling each change; the import as it ended.

    Raises:
        ServiceError: The channel is not known, or the import worker does not respond.
    """
    return asyncio.run(_follow(target, wanted, on_progress, credentials))


async def _follow(
    target: str,
    wanted: Wanted,
    on_progress: Callable[[Followed], None],
    credentials: PeerCredentials,
) -> Followed:
    async with grpc_client.open_channel(target, credentials=credentials) as channel:
        stub = cast("Any", pb_grpc.ImportsStub(channel))
        request = pb.StartImportRequest(
            account_id=OPERATOR,
            channel=wanted.channel,
            since=wanted.since,
            max_videos=wanted.max_videos,
            max_concurrent=_AT_ONCE,
        )
        try:
            found = wire.decode(await stub.StartImport(request, timeout=_SECONDS), Followed)
            request = pb.ImportRequest(account_id=OPERATOR, import_id=found.import_id)
            async for now in stub.WatchImport(request):
                found = wire.decode(now, Followed)
                on_progress(found)
        except grpc.RpcError as error:
            raise from_rpc_error(error) from error
        return found
