"""The token of the deployment: who does not bring it is refused, whatever the call is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, cast

import grpc.aio
import pytest
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from prometheus_client import REGISTRY
from pydantic import SecretStr, ValidationError
from pydantic_settings import SettingsError

from protos.catalog.v1 import batch_pb2 as pb
from protos.catalog.v1 import batch_pb2_grpc as pb_grpc
from servicekit.errors import Unavailable
from servicekit.grpc import client as grpc_client
from servicekit.grpc import server as grpc_server
from servicekit.grpc.stream_client import StreamClient
from servicekit.grpc.stream_server import StreamServer
from servicekit.peer_credentials import PeerCredentials
from servicekit.settings import GrpcServerSettings
from tests import health
from tests.fakes.peers import CREDENTIALS, METADATA, TOKEN

SERVICE: Final = "sponsorgraph.catalog.v1.BatchCatalog"
METHOD: Final = f"/{SERVICE}/Execute"
OTHER: Final = "another-token-of-a-deployment-of-tests"
KINDS: Final = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")


class Echoing(pb_grpc.BatchCatalogServicer):
    """Returns the names of the requested methods, and counts the messages that it read."""

    def __init__(self) -> None:
        self.messages = 0
        self._stream = StreamServer(METHOD, self._echo)

    async def Execute(self, request_iterator: Any, context: Any) -> None:  # noqa: ARG002, N802 # pyright: ignore[reportIncompatibleMethodOverride]
        await self._stream.serve(context)

    async def _echo(self, batch: pb.BatchRequest) -> pb.BatchResponse:
        self.messages += 1
        return pb.BatchResponse(
            responses=[
                pb.BatchedResponse(json=request.method.encode()) for request in batch.requests
            ]
        )


@asynccontextmanager
async def serving(tokens: str = TOKEN, **options: Any) -> AsyncGenerator[tuple[Echoing, str]]:
    made: list[Echoing] = []

    def register(server: grpc.aio.Server) -> str:
        made.append(Echoing())
        pb_grpc.add_BatchCatalogServicer_to_server(made[0], server)
        return SERVICE

    settings = GrpcServerSettings(grpc_port=0, grpc_token=SecretStr(tokens), **options)
    async with grpc_server.serve_grpc(settings, register) as port:
        yield made[0], f"127.0.0.1:{port}"


async def send_two(target: str, credentials: PeerCredentials) -> Sequence[str]:
    """Send two requests over a stream that stays open."""
    async with grpc_client.open_channel(target, credentials=credentials) as channel:
        stub: Any = pb_grpc.BatchCatalogStub(channel)
        client = StreamClient[Any, Any](METHOD, stub.Execute)
        responses = [
            await client.call(
                pb.BatchRequest(requests=[pb.BatchedRequest(method=method)]), within=10
            )
            for method in ("a", "b")
        ]
        client.close()
        return [response.responses[0].json.decode() for response in responses]


async def refusal(target: str, kind: str, path: str, metadata: Any = None) -> grpc.StatusCode:
    """Return the status of a call without messages of ours.

    INTERNAL is grpc.aio's own word for a message that it was about to write to a call that had ended.
    """
    status = grpc.StatusCode.INTERNAL
    for _ in range(10):
        status = await refusal_once(target, kind, path, metadata)
        if status is not grpc.StatusCode.INTERNAL:
            break
    return status


async def refusal_once(target: str, kind: str, path: str, metadata: Any) -> grpc.StatusCode:
    async with grpc.aio.insecure_channel(target) as channel:
        call = getattr(channel, kind)(path)
        body = iter([b"x" * 1_000]) if kind.startswith("stream") else b"x" * 1_000
        call_under_way = call(body, metadata=metadata, timeout=10)
        try:
            if kind.endswith("stream"):
                await call_under_way.read()
            else:
                await call_under_way
        except grpc.aio.AioRpcError as error:
            return error.code()
        return await call_under_way.code()


def refusals() -> float:
    return REGISTRY.get_sample_value("sponsorgraph_rpc_calls_without_token_total") or 0


async def test_a_stream_that_brings_the_token_gets_responses() -> None:
    async with serving() as (servicer, target):
        assert await send_two(target, CREDENTIALS) == ["a", "b"]
        assert servicer.messages == 2


@pytest.mark.parametrize("tokens", [(), (OTHER,), (TOKEN[:-1],), (TOKEN + "x",)])
async def test_a_stream_without_the_token_is_refused_before_it_is_read(
    tokens: tuple[str, ...],
) -> None:
    async with serving() as (servicer, target):
        with pytest.raises(Unavailable) as refused:
            await send_two(target, PeerCredentials(tokens))
        assert refused.value.reason == "CALLER_UNKNOWN"
        assert servicer.messages == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("path", [METHOD, f"/{SERVICE}/None", "/None/None", "/x"])
async def test_a_call_of_any_kind_to_any_method_is_refused(kind: str, path: str) -> None:
    before = refusals()
    async with serving() as (_, target):
        for metadata in (
            None,
            (("authorization", f"Bearer {OTHER}"),),
            (("authorization", TOKEN),),
        ):
            assert await refusal(target, kind, path, metadata) == grpc.StatusCode.UNAUTHENTICATED
    assert (
        refusals() >= before + 3
    )  # a call that ended before its message was written is made again


@pytest.mark.parametrize("kind", KINDS)
async def test_a_request_that_is_too_large_is_refused_without_being_read(kind: str) -> None:
    sizes = [("grpc.max_send_message_length", -1)]
    async with (
        serving() as (_, target),
        grpc.aio.insecure_channel(target, options=sizes) as channel,
    ):
        large = b"x" * 17 * 1024 * 1024
        body = iter([large]) if kind.startswith("stream") else large
        call = getattr(channel, kind)(METHOD)(body, timeout=20)
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await (call.read() if kind.endswith("stream") else call)
        assert ended.value.code() == grpc.StatusCode.UNAUTHENTICATED


async def test_health_is_reported_without_a_token_and_the_list_of_methods_is_not() -> None:
    async with serving(grpc_reflection=True) as (_, target):
        assert await asyncio.to_thread(health.failure, f"grpc://{target}") is None
        async with grpc.aio.insecure_channel(target) as channel:
            stub: Any = reflection_pb2_grpc.ServerReflectionStub(cast("Any", channel))
            request = reflection_pb2.ServerReflectionRequest(list_services="")
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stub.ServerReflectionInfo(iter([request]), timeout=10).read()
            assert refused.value.code() == grpc.StatusCode.UNAUTHENTICATED
            listed = stub.ServerReflectionInfo(iter([request]), timeout=10, metadata=METADATA)
            assert SERVICE in str(await listed.read())


async def test_another_token_is_brought_in_without_a_gap() -> None:
    async with serving(f"{OTHER}, {TOKEN}") as (_, target):
        for tokens in ((TOKEN,), (OTHER,), (OTHER, TOKEN)):
            assert await send_two(target, PeerCredentials(tokens)) == ["a", "b"]


async def test_no_server_starts_that_would_admit_everybody() -> None:
    with pytest.raises(SettingsError, match="GRPC_TOKEN"):
        async with grpc_server.serve_grpc(GrpcServerSettings(grpc_port=0), lambda _: SERVICE):
            raise AssertionError


@pytest.mark.parametrize("token", ["short", "x" * 31, f"{TOKEN},short", "ü" * 40, "a b" * 20])
def test_a_token_that_could_be_guessed_or_not_be_sent_is_refused(token: str) -> None:
    with pytest.raises(ValidationError, match="at least 32 characters"):
        GrpcServerSettings(grpc_port=0, grpc_token=SecretStr(token))


def test_a_token_is_in_no_text_of_the_settings() -> None:
    settings = GrpcServerSettings(grpc_port=0, grpc_token=SecretStr(TOKEN))
    assert TOKEN not in f"{settings!r} {settings.peer_credentials()!r}"
