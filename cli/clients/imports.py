"""Start an import at the import worker and follow it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import grpc

from cli.clients.following import changes, started
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.errors import NoResponse, ServiceError, Unavailable
from servicekit.grpc import client as grpc_client
from servicekit.grpc import codec as wire
from servicekit.grpc.errors import from_rpc_error
from servicekit.peer_credentials import PeerCredentials
from shapes.imports import ImportStatus

OPERATOR: Final = "operator"
"""Account of the command line's imports: no real one, so that no plan limits them."""

_AT_ONCE: Final = 100
_MAX_FOLLOWED: Final = 1_000_000
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
            max_followed=_MAX_FOLLOWED,
            # Sent again after a lost response, it must not import the channel twice.
            idempotency_key=secrets.token_urlsafe(),
        )
        found: ImportStatus | None = None
        try:
            first = await started(lambda: stub.StartImport(request, timeout=_SECONDS))
            found = wire.decode(first, ImportStatus)
            on_change(found)
            request_by_id = pb.ImportRequest(account_id=OPERATOR, import_id=found.import_id)
            async for now in changes(lambda: stub.WatchImport(request_by_id)):
                found = wire.decode(now, ImportStatus)
                on_change(found)
        except grpc.RpcError as error:
            failure = from_rpc_error(error)
            if isinstance(failure, NoResponse) or (found and isinstance(failure, Unavailable)):
                raise _lost(found) from error
            raise failure from error
        return found


def _lost(found: ImportStatus | None) -> ServiceError:
    """Return the error of an import that sends no more changes, or did not begin."""
    if found is None:
        return Unavailable(
            "The import worker does not answer now; no import is known to have begun. Try again in a few seconds: "
            "one that did is joined."
        )
    return Unavailable(
        f"The import worker does not respond. Import {found.import_id} is not lost by that: it goes on when the worker is back. "
        "See `sponsorgraph imports list`."
    )


def newest(
    target: str, account_id: str, limit: int, credentials: PeerCredentials
) -> Sequence[ImportStatus]:
    """Return an account's newest imports, the newest first.

    Raises:
        ServiceError: The import worker does not respond.
    """
    request = pb.ListImportsRequest(account_id=account_id, limit=limit)
    page: pb.ImportPage = asyncio.run(_respond(target, "ListImports", request, credentials))
    return [wire.decode(item, ImportStatus) for item in page.imports]


def cancel(
    target: str, account_id: str, import_id: str, credentials: PeerCredentials
) -> ImportStatus:
    """Have an account's import stop within one batch; return it as it is then.

    Raises:
        ServiceError: The account has no such import, or the import worker does not respond.
    """
    request = pb.ImportRequest(account_id=account_id, import_id=import_id)
    found = asyncio.run(_respond(target, "CancelImport", request, credentials))
    return wire.decode(found, ImportStatus)


def retry(
    target: str, account_id: str, import_id: str, credentials: PeerCredentials
) -> ImportStatus:
    """Put an account's import that failed or was cancelled into the queue again; return it.

    Raises:
        ServiceError: The account has no such import, it is done, its channel is under way otherwise, or
            the import worker does not respond.
    """
    request = pb.ImportRequest(account_id=account_id, import_id=import_id)
    found = asyncio.run(_respond(target, "RetryImport", request, credentials))
    return wire.decode(found, ImportStatus)


async def _respond(target: str, method: str, request: Any, credentials: PeerCredentials) -> Any:
    async with grpc_client.open_channel(target, credentials=credentials) as channel:
        stub = cast("Any", pb_grpc.ImportsStub(channel))
        try:
            return await getattr(stub, method)(request, timeout=_SECONDS)
        except grpc.RpcError as error:
            raise from_rpc_error(error) from error
