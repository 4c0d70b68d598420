"""Calls of a local process that is not one of the services but reaches their ports."""

from __future__ import annotations

import secrets
from typing import Any, Final

import grpc.aio
import pytest

from devstack.home import Addresses, Home
from protos.auth.v1 import auth_pb2
from protos.catalog.v1 import batch_pb2, catalog_pb2
from protos.imports.v1 import imports_pb2
from servicekit.grpc.client import TokenChannel
from tests.e2e.conftest import RunningStack

pytestmark = [pytest.mark.timeout(300)]

FILES: Final[tuple[Any, ...]] = (auth_pb2, catalog_pb2, batch_pb2, imports_pb2)
METHODS: Final = [
    (service.full_name, method.name)
    for file in FILES
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
]
REFUSED: Final = grpc.StatusCode.UNAUTHENTICATED


def address(addresses: Addresses, service: str) -> str:
    if ".auth." in service:
        return addresses.auth_grpc
    return addresses.imports_grpc if ".imports." in service else addresses.catalog_grpc


async def sent(target: str, path: str, message: bytes, token: str | None) -> grpc.StatusCode:
    """Return the status code of a call with `token`.

    INTERNAL is grpc.aio's own word for a message that it was about to write to a call that had ended.
    """
    status = grpc.StatusCode.INTERNAL
    for _ in range(10):
        status = await sent_once(target, path, message, token)
        if status is not grpc.StatusCode.INTERNAL:
            break
    return status


async def sent_once(target: str, path: str, message: bytes, token: str | None) -> grpc.StatusCode:
    channel = grpc.aio.insecure_channel(target)
    if token is not None:
        channel = TokenChannel(channel, token)
    async with channel:
        # Whatever the method is: on the wire all kinds of calls are streams of messages.
        method: Any = channel.stream_stream  # its types are partial
        call = method(path)(iter([message]), timeout=10)
        try:
            await call.read()
        except grpc.aio.AioRpcError as error:
            return error.code()
        return await call.code()


@pytest.fixture
def addresses(stack: RunningStack) -> Addresses:
    found = Home(stack.home).addresses()
    assert found is not None
    return found


@pytest.mark.parametrize(("service", "method"), METHODS)
async def test_no_method_of_any_service_serves_strangers(
    addresses: Addresses, service: str, method: str
) -> None:
    target = address(addresses, service)
    for token in (None, "", secrets.token_urlsafe(32)):
        assert await sent(target, f"/{service}/{method}", b"", token) == REFUSED


async def test_a_stranger_at_a_port_forges_no_usage(
    stack: RunningStack, addresses: Addresses
) -> None:
    token = Home(stack.home).secrets().grpc_token
    path = "/sponsorgraph.auth.v1.Access"
    forged = auth_pb2.UsageEntry(
        entry_id=secrets.token_hex(8),
        account_id="acc_x",
        credential_id="key_x",
        tool="sponsor.search",
        admitted_at="2026-11-21T10:00:00Z",
        cost=-500,
    )
    record = auth_pb2.RecordUsageRequest(entries=[forged]).SerializeToString()
    epoch = auth_pb2.LeaseReport(gateway_id="forged").SerializeToString()
    counting = auth_pb2.LeaseReport(gateway_id="x", has_stopped=True).SerializeToString()
    assert await sent(addresses.auth_grpc, f"{path}/RecordUsage", record, None) == REFUSED
    assert await sent(addresses.auth_grpc, f"{path}/RenewLease", epoch, None) == REFUSED
    assert await sent(addresses.auth_grpc, f"{path}/RenewLease", counting, token) == (
        grpc.StatusCode.OK
    )
    # A service of ours that went astray does not get such an entry in either.
    assert await sent(addresses.auth_grpc, f"{path}/RecordUsage", record, token) == (
        grpc.StatusCode.INVALID_ARGUMENT
    )


async def test_a_stranger_at_a_port_lists_no_imports(
    stack: RunningStack, addresses: Addresses
) -> None:
    path = "/sponsorgraph.imports.v1.Imports/ListImports"
    request = imports_pb2.ListImportsRequest(account_id="operator", limit=5).SerializeToString()
    assert await sent(addresses.imports_grpc, path, request, None) == REFUSED
    token = Home(stack.home).secrets().grpc_token
    assert await sent(addresses.imports_grpc, path, request, token) == grpc.StatusCode.OK
