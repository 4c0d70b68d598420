"""Calls between services over real connections with certificates on both sides."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc.aio
import pytest
from pydantic import ValidationError
from pydantic_settings import SettingsError

from devstack import certificates
from devstack.ports import free_port
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc as pb_grpc
from servicekit import errors
from servicekit.grpc import client as grpc_client
from servicekit.grpc import server as grpc_server
from servicekit.grpc.reloading_channel import ReloadingChannel
from servicekit.grpc.tls import AUTHORITY, IdentityFolder
from servicekit.peer_credentials import PeerCredentials
from servicekit.settings import GrpcServerSettings
from tests import health

SERVICE = "sponsorgraph.catalog.v1.Catalog"
PROCESSES = {"catalog": (), "gateway": (), "stranger": ()}


class StreamServer(pb_grpc.CatalogServicer):
    """Implements one method."""

    async def GetSponsor(self, request: pb.SponsorRequest, context: Any) -> pb.Sponsor:  # noqa: ARG002, N802
        return pb.Sponsor(aliases=[request.sponsor])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Certificates of one authority, good for loopback."""
    certificates.make(tmp_path / "tls", PROCESSES, addresses=["127.0.0.1"])
    return tmp_path / "tls"


@asynccontextmanager
async def serving(folder: Path, **settings: Any) -> AsyncGenerator[str]:
    """A catalog that shows the certificate of `folder`; yields its target."""

    def register(server: grpc.aio.Server) -> str:
        pb_grpc.add_CatalogServicer_to_server(StreamServer(), server)  # pyright: ignore[reportAbstractUsage] - one method is enough
        return SERVICE

    server_settings = GrpcServerSettings(grpc_port=0, grpc_tls_folder=str(folder), **settings)
    async with grpc_server.serve_grpc(server_settings, register) as port:
        yield f"127.0.0.1:{port}"


async def alias_over(channel: grpc.aio.Channel) -> str:
    """The alias that the catalog behind the channel returns."""
    stub: pb_grpc.CatalogAsyncStub = pb_grpc.CatalogStub(channel)
    request = pb.SponsorRequest(sponsor="nordvpn")
    reply = await grpc_client.call(stub.GetSponsor, request, timeout=5)
    return reply.aliases[0]


async def alias_from(target: str, folder: Path | str) -> str:
    """The alias that the catalog at `target` returns to a caller with the certificate of `folder`."""
    async with grpc_client.open_channel(
        target, credentials=PeerCredentials(tls_folder=str(folder))
    ) as channel:
        return await alias_over(channel)


async def test_a_caller_with_a_certificate_is_admitted(folder: Path) -> None:
    async with serving(folder / "catalog") as target:
        assert await alias_from(target, folder / "gateway") == "nordvpn"


async def test_a_caller_without_tls_is_refused(folder: Path) -> None:
    async with serving(folder / "catalog") as target:
        with pytest.raises(errors.Unavailable):
            await alias_from(target, "")


async def test_a_caller_without_a_certificate_is_refused(folder: Path) -> None:
    believed = grpc.ssl_channel_credentials((folder / "gateway" / AUTHORITY).read_bytes())
    async with (
        serving(folder / "catalog") as target,
        grpc.aio.secure_channel(target, believed) as channel,
    ):
        with pytest.raises(errors.Unavailable):
            await alias_over(channel)


async def test_a_certificate_of_another_authority_is_refused(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    certificates.make(other, PROCESSES, addresses=["127.0.0.1"])
    # It believes the server, so that it is the server who refuses.
    shutil.copy(folder / "gateway" / AUTHORITY, other / "gateway" / AUTHORITY)
    async with serving(folder / "catalog") as target:
        with pytest.raises(errors.Unavailable):
            await alias_from(target, other / "gateway")


async def test_a_server_of_another_authority_is_not_believed(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    certificates.make(other, PROCESSES, addresses=["127.0.0.1"])
    shutil.copy(folder / "gateway" / AUTHORITY, other / "catalog" / AUTHORITY)
    async with serving(other / "catalog") as target:
        with pytest.raises(errors.Unavailable):
            await alias_from(target, folder / "gateway")


async def test_a_server_by_another_name_is_not_believed(folder: Path) -> None:
    certificates.make(folder, {"elsewhere": ()})  # without the address that it is called by
    async with serving(folder / "elsewhere") as target:
        with pytest.raises(errors.Unavailable):
            await alias_from(target, folder / "gateway")


async def test_only_callers_on_the_list_are_admitted(folder: Path) -> None:
    async with serving(folder / "catalog", grpc_allowed_peers="gateway, cli") as target:
        assert await alias_from(target, folder / "gateway") == "nordvpn"
        with pytest.raises(errors.PermissionDenied) as refused:
            await alias_from(target, folder / "stranger")
        assert refused.value.reason == "CALLER_NOT_LISTED"


async def test_probes_get_health_alone_and_without_a_certificate(folder: Path) -> None:
    health_port = free_port()
    async with serving(folder / "catalog", grpc_health_port=health_port) as target:
        plain = f"127.0.0.1:{health_port}"
        assert await asyncio.to_thread(health.failure, f"grpc://{plain}") is None
        assert await asyncio.to_thread(health.failure, f"grpc://{target}") is not None
        with pytest.raises(errors.ServiceError):
            await alias_from(plain, "")


async def test_a_renewed_certificate_is_shown_and_believed_without_a_restart(
    folder: Path, tmp_path: Path
) -> None:
    """The authority is another one too, so that certificates of before would be refused."""
    other = tmp_path / "other"
    certificates.make(other, PROCESSES, addresses=["127.0.0.1"])
    async with serving(folder / "catalog") as target:
        held = ReloadingChannel(opener(target), IdentityFolder(str(folder / "gateway")), 0)
        async with held as channel:
            assert await alias_over(channel) == "nordvpn"
            for name in ("catalog", "gateway"):
                for file in (other / name).iterdir():
                    file.replace(folder / name / file.name)
            assert await alias_over(channel) == "nordvpn"
        assert await alias_from(target, folder / "gateway") == "nordvpn"
        certificates.make(tmp_path / "third", PROCESSES, addresses=["127.0.0.1"])
        with pytest.raises(errors.Unavailable):
            await alias_from(target, tmp_path / "third" / "gateway")


def opener(target: str) -> Callable[[grpc.ChannelCredentials], grpc.aio.Channel]:
    return lambda credentials: grpc.aio.secure_channel(target, credentials)


def test_half_replaced_files_count_as_those_of_before(folder: Path) -> None:
    watched = IdentityFolder(str(folder / "gateway"))
    key = folder / "gateway" / "tls.key"
    original = key.read_bytes()
    key.write_bytes((folder / "catalog" / "tls.key").read_bytes())
    assert watched.renewed() is None
    key.unlink()
    assert watched.renewed() is None
    key.write_bytes(original)
    renewed = watched.renewed()
    assert renewed is not None
    assert renewed == watched.identity
    assert watched.renewed() is None


def test_files_that_are_missing_or_do_not_fit_are_named_at_the_start(folder: Path) -> None:
    with pytest.raises(SettingsError, match="nowhere"):
        IdentityFolder(str(folder / "nowhere"))
    shutil.copy(folder / "catalog" / "tls.key", folder / "gateway" / "tls.key")
    with pytest.raises(SettingsError, match="gateway"):
        grpc_client.open_channel(
            "127.0.0.1:1", credentials=PeerCredentials(tls_folder=str(folder / "gateway"))
        )


def test_a_list_of_callers_without_certificates_is_refused() -> None:
    with pytest.raises(ValidationError, match="certificates"):
        GrpcServerSettings(grpc_port=0, grpc_allowed_peers="gateway")
