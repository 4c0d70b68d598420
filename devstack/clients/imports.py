"""Start an import at the import worker and follow it."""

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
from shapes.imports import ImportStatus

OPERATOR: Final = "operator"
"""Account of the command line's imports: no real one, so that no plan limits them."""

_AT_ONCE: Final = 100
_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """The channel to import. `since` is a day, such as 2025-01-31."""

    channel: str
    since: str | None
    max_videos: int | None


def follow(
    target: str,
    wanted: Wanted,
    on_change: Callable[[ImportStatus], None],
    credentials: PeerCredentials,
) -> ImportStatus:
    """Import a channel, call `on_change` at each change, and return the import at its end.

    Raises:
        ServiceError: The channel is not known, or the import worker does not respond.
    """
    return asyncio.run(_follow(target, wanted, on_change, credentials))


async def _follow(
    target: str,
    wanted: Wanted,
    on_change: Callable[[ImportStatus], None],
    credentials: PeerCredentials,
) -> ImportStatus:
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
            found = wire.decode(await stub.StartImport(request, timeout=_SECONDS), ImportStatus)
            request_by_id = pb.ImportRequest(account_id=OPERATOR, import_id=found.import_id)
            async for now in stub.WatchImport(request_by_id):
                found = wire.decode(now, ImportStatus)
                on_change(found)
        except grpc.RpcError as error:
            raise from_rpc_error(error) from error
        return found
