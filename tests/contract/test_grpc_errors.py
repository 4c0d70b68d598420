"""An error raised in one service arrives in another as the same error, over a real connection."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import grpc.aio
import pytest

from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc as pb_grpc
from servicekit import errors
from servicekit.grpc import client as grpc_client
from servicekit.grpc import server as grpc_server
from servicekit.observability import telemetry
from servicekit.settings import GrpcServerSettings
from tests.fakes.peers import CREDENTIALS, GRPC_TOKEN

SERVICE = "sponsorgraph.catalog.v1.Catalog"


class Failing(pb_grpc.CatalogServicer):
    """Fails as its tests tell it to."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.calls = 0
        self.trace_id = ""

    async def GetSponsor(self, request: pb.SponsorRequest, context: Any) -> pb.Sponsor:  # noqa: ARG002, N802
        self.calls += 1
        current = telemetry.current()
        self.trace_id = current.trace_id if current else ""
        if self.error is not None:
            raise self.error
        return pb.Sponsor(aliases=[request.sponsor])


@pytest.fixture
def servicer() -> Failing:
    return Failing()  # pyright: ignore[reportAbstractUsage] - one method is enough


@pytest.fixture
async def stub(servicer: Failing) -> AsyncGenerator[pb_grpc.CatalogAsyncStub]:
    def register(server: grpc.aio.Server) -> str:
        pb_grpc.add_CatalogServicer_to_server(servicer, server)
        return SERVICE

    async with (
        grpc_server.serve_grpc(
            GrpcServerSettings(grpc_port=0, grpc_token=GRPC_TOKEN), register
        ) as port,
        grpc_client.open_channel(
            f"127.0.0.1:{port}", [(SERVICE, "GetSponsor")], CREDENTIALS
        ) as channel,
    ):
        assert await grpc_client.is_serving(channel, within=5)
        yield pb_grpc.CatalogStub(channel)


async def get_sponsor(stub: pb_grpc.CatalogAsyncStub) -> pb.Sponsor:
    return await grpc_client.call(stub.GetSponsor, pb.SponsorRequest(sponsor="x"), timeout=5)


@pytest.mark.parametrize(
    "cls",
    [
        errors.InvalidInput,
        errors.NotFound,
        errors.Conflict,
        errors.Unauthenticated,
        errors.PermissionDenied,
        errors.ResourceExhausted,
    ],
)
async def test_class_reason_message_and_details_arrive(
    cls: type[errors.ServiceError], servicer: Failing, stub: pb_grpc.CatalogAsyncStub
) -> None:
    servicer.error = cls("Say it ä.", "A_REASON", retry_after=1.5, details={"field": "limit"})
    with pytest.raises(cls) as raised:
        await get_sponsor(stub)
    error = raised.value
    assert type(error) is cls
    assert (error.public_message, error.reason) == ("Say it ä.", "A_REASON")
    assert (error.retry_after, error.details) == (1.5, {"field": "limit"})
    assert servicer.calls == 1


async def test_a_call_to_an_unavailable_backend_is_retried(
    servicer: Failing, stub: pb_grpc.CatalogAsyncStub
) -> None:
    servicer.error = errors.Unavailable("Later.", retry_after=2)
    with pytest.raises(errors.Unavailable, match="Later"):
        await get_sponsor(stub)
    assert servicer.calls == 3


async def test_the_unexpected_is_named_by_an_id_alone(
    servicer: Failing, stub: pb_grpc.CatalogAsyncStub
) -> None:
    servicer.error = RuntimeError("a secret detail")
    with pytest.raises(errors.Internal) as raised:
        await get_sponsor(stub)
    assert "secret" not in raised.value.public_message
    assert "error " in raised.value.public_message


async def test_the_trace_crosses_the_call(
    servicer: Failing, stub: pb_grpc.CatalogAsyncStub
) -> None:
    with telemetry.bound(telemetry.new_context()) as context:
        await get_sponsor(stub)
    assert servicer.trace_id == context.trace_id


async def test_nobody_listening_is_unavailable_with_a_time_to_retry() -> None:
    async with grpc_client.open_channel("127.0.0.1:1") as channel:
        with pytest.raises(errors.Unavailable) as raised:
            await get_sponsor(pb_grpc.CatalogStub(channel))
    assert raised.value.retry_after
