"""A whole stack whose services show each other certificates."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

from devstack.clients.health import grpc_is_serving
from devstack.clients.operations import OperationsClient
from devstack.home import Addresses, Home
from servicekit.errors import PermissionDenied
from tests.e2e.conftest import RunningStack, start
from tests.e2e.prepared_home import prepare_home


@pytest.fixture(scope="module")
def shut(tmp_path_factory: pytest.TempPathFactory) -> Generator[RunningStack]:
    home = prepare_home(tmp_path_factory, tmp_path_factory.mktemp("tls") / "home")
    running = start(home, SPONSORGRAPH_MUTUAL_TLS="true")
    try:
        yield running
    finally:
        running.end()


def addresses_of(stack: RunningStack) -> Addresses:
    addresses = Home(stack.home).addresses()
    assert addresses is not None
    return addresses


def test_calls_that_need_every_service_succeed(shut: RunningStack) -> None:
    found = shut.tool_result("sponsor.search", {"search": "vpn", "limit": 1})
    assert found["sponsors"]
    assert shut.tool_result("channel.imports", {}) is not None
    key = shut.key(shut.account("creator"))
    assert shut.tool_result("account.usage", {}, key)["plan"]
    assert shut.command("doctor").returncode == 0


def test_every_caller_without_a_certificate_is_refused(shut: RunningStack) -> None:
    addresses, keys = addresses_of(shut), Home(shut.home).secrets()
    for target in (addresses.catalog_grpc, addresses.auth_grpc, addresses.imports_grpc):
        assert grpc_is_serving(target, addresses.credentials("cli", keys))
        assert not grpc_is_serving(target)


@pytest.mark.parametrize("service", ["catalog_grpc", "auth_grpc", "imports_grpc"])
def test_a_client_that_trusts_the_service_is_refused_without_a_certificate(
    shut: RunningStack, service: str
) -> None:
    addresses = addresses_of(shut)
    folder = Path(addresses.credentials("cli", Home(shut.home).secrets()).tls_folder)
    context = ssl.create_default_context(cafile=folder / "ca.crt")
    context.check_hostname = False
    context.set_alpn_protocols(["h2"])
    assert not is_accepted(getattr(addresses, service), context)
    context.load_cert_chain(folder / "tls.crt", folder / "tls.key")
    assert is_accepted(getattr(addresses, service), context)


def is_accepted(address: str, context: ssl.SSLContext) -> bool:
    """Return whether a server of HTTP/2 sends its settings: with TLS 1.3, it may refuse as late as then."""
    host, _, port = address.rpartition(":")
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4" + b"\0" * 5
    with (
        suppress(ssl.SSLError, ConnectionError),
        socket.create_connection((host, int(port)), timeout=10) as plain,
        context.wrap_socket(plain) as connection,
    ):
        connection.sendall(preface)
        return bool(connection.recv(1))
    return False


def test_a_process_that_has_no_calls_to_make_is_refused(shut: RunningStack) -> None:
    addresses = addresses_of(shut)
    keys = Home(shut.home).secrets()

    def client(process: str) -> OperationsClient:
        credentials = addresses.credentials(process, keys)
        return OperationsClient(addresses.auth_grpc, keys.operator_token, credentials)

    with pytest.raises(PermissionDenied):
        client("imports-work").accounts()
    assert client("cli").accounts()
