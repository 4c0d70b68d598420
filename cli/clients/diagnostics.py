"""Ask the auth service what it finds of what it depends on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

import grpc

from protos.auth.v1 import diagnostics_pb2 as pb
from protos.auth.v1 import diagnostics_pb2_grpc as pb_grpc
from servicekit.grpc import client as grpc_client
from servicekit.grpc import codec as wire
from servicekit.grpc.errors import from_rpc_error
from servicekit.grpc.operators import TOKEN_METADATA
from servicekit.peer_credentials import PeerCredentials
from shapes.auth.diagnostics import DiagnosisFinding

_SECONDS: Final = 15.0


def diagnosis(target: str, token: str, credentials: PeerCredentials) -> Sequence[DiagnosisFinding]:
    """Return what the auth service at `target` has found.

    Raises:
        ServiceError: It does not respond, does not accept the operators' token, or is of an older version.
    """
    return asyncio.run(_diagnosis(target, token, credentials))


async def _diagnosis(
    target: str, token: str, credentials: PeerCredentials
) -> Sequence[DiagnosisFinding]:
    async with grpc_client.open_channel(target, credentials=credentials) as channel:
        stub: Any = pb_grpc.DiagnosticsStub(channel)
        try:
            found = await stub.GetDiagnosis(
                pb.DiagnosisRequest(), timeout=_SECONDS, metadata=((TOKEN_METADATA, token),)
            )
        except grpc.RpcError as error:
            raise from_rpc_error(error) from error
        return [wire.decode(item, DiagnosisFinding) for item in found.findings]
