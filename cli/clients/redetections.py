"""Start, follow, look up and cancel runs of the detector over stored videos."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

import grpc

from cli.clients.following import changes, started
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.grpc import client as grpc_client
from servicekit.grpc import codec as wire
from servicekit.grpc.errors import from_rpc_error
from servicekit.grpc.operators import TOKEN_METADATA
from shapes.imports import Redetection, StoredText, StoredTexts

if TYPE_CHECKING:
    from servicekit.peer_credentials import PeerCredentials

_SECONDS: Final = 30.0
_TEXTS: Final = 50
"""Videos whose texts are read in one call."""
_NEWEST: Final = pb.RedetectionRequest()


@dataclass(frozen=True, slots=True)
class RedetectionClient:
    """The import worker at a target, called with the operators' token. All methods raise `ServiceError`."""

    target: str
    token: str
    credentials: PeerCredentials

    def follow(
        self, *, dry_run: bool, only_outdated: bool, on_change: Callable[[Redetection], None]
    ) -> Redetection:
        """Start a run or join the one under way, call `on_change` at each change, return its end."""
        request = pb.StartRedetectionRequest(dry_run=dry_run, only_outdated=only_outdated)
        return asyncio.run(self._follow(request, on_change))

    def newest(self) -> Redetection:
        """Return the newest run."""
        return asyncio.run(self._newest(lambda stub: stub.GetRedetection))

    def cancel(self) -> Redetection:
        """Stop the run that is under way; return the newest one."""
        return asyncio.run(self._newest(lambda stub: stub.CancelRedetection))

    def texts(self, video_ids: Sequence[str]) -> list[StoredText]:
        """Return the stored texts of these videos, in the order of the ids; those of others are left out."""
        return asyncio.run(self._texts(sorted(set(video_ids))))

    @property
    def _metadata(self) -> tuple[tuple[str, str]]:
        return ((TOKEN_METADATA, self.token),)

    async def _follow(
        self, request: pb.StartRedetectionRequest, on_change: Callable[[Redetection], None]
    ) -> Redetection:
        async with grpc_client.open_channel(self.target, credentials=self.credentials) as channel:
            stub = cast("Any", pb_grpc.RedetectionsStub(channel))
            try:
                start = partial(
                    stub.StartRedetection, request, timeout=_SECONDS, metadata=self._metadata
                )
                run = wire.decode(await started(start), Redetection)
                on_change(run)
                by_id = pb.RedetectionRequest(run_id=run.run_id)
                watch = partial(stub.WatchRedetection, by_id, metadata=self._metadata)
                async for now in changes(watch):
                    run = wire.decode(now, Redetection)
                    on_change(run)
            except grpc.RpcError as error:
                raise from_rpc_error(error) from error
            return run

    async def _texts(self, video_ids: Sequence[str]) -> list[StoredText]:
        found: list[StoredText] = []
        async with grpc_client.open_channel(self.target, credentials=self.credentials) as channel:
            stub = cast("Any", pb_grpc.RedetectionsStub(channel))
            try:
                for first in range(0, len(video_ids), _TEXTS):
                    request = pb.StoredTextsRequest(video_ids=video_ids[first : first + _TEXTS])
                    reply = await stub.ReadStoredTexts(
                        request, timeout=_SECONDS, metadata=self._metadata
                    )
                    found += wire.decode(reply, StoredTexts).texts
            except grpc.RpcError as error:
                raise from_rpc_error(error) from error
        return found

    async def _newest(self, method: Callable[[Any], Any]) -> Redetection:
        async with grpc_client.open_channel(self.target, credentials=self.credentials) as channel:
            call = method(pb_grpc.RedetectionsStub(channel))
            try:
                return wire.decode(
                    await call(_NEWEST, timeout=_SECONDS, metadata=self._metadata), Redetection
                )
            except grpc.RpcError as error:
                raise from_rpc_error(error) from error
