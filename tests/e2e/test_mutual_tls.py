"""A whole stack whose services show each other certificates."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from local_stack.clients.health import grpc_is_serving
from local_stack.clients.operations import OperationsClient
from local_stack.home import Addresses, Home
from servicekit.errors import PermissionDenied
from tests.e2e.conftest import RunningStack, start


@pytest.fixture(scope="module")
def shut(tmp_path_factory: pytest.TempPathFactory) -> Generator[RunningStack]:
    running = start(tmp_path_factory.mktemp("tls") / "home", SPONSORGRAPH_MUTUAL_TLS="true")
    try:
        yield running
    finally:
        running.stop()


def addresses_of(stack: RunningStack) -> Addresses:
    addresses = Home(stack.home).addresses()
    assert addresses is not None
    return addresses


def test_calls_that_need_every_service_are_answered(shut: RunningStack) -> None:
    found = shut.answer("sponsor.search", {"search": "vpn", "limit": 1})
    assert found["sponsors"]
    assert shut.answer("channel.imports", {}) is not None
    key = shut.key(shut.account("creator"))
    assert shut.answer("account.usage", {}, key)["plan"]
    assert shut.command("doctor").returncode == 0


def test_nobody_is_answered_without_a_certificate(shut: RunningStack) -> None:
    addresses, keys = addresses_of(shut), Home(shut.home).secrets()
    for target in (addresses.catalog_grpc, addresses.auth_grpc, addresses.imports_grpc):
        assert grpc_is_serving(target, addresses.credentials("cli", keys))
        assert not grpc_is_serving(target)


def test_a_process_that_has_no_calls_to_make_is_refused(shut: RunningStack) -> None:
    addresses = addresses_of(shut)
    keys = Home(shut.home).secrets()

    def client(process: str) -> OperationsClient:
        credentials = addresses.credentials(process, keys)
        return OperationsClient(addresses.auth_grpc, keys.operator_token, credentials)

    with pytest.raises(PermissionDenied):
        client("imports-work").accounts()
    assert client("cli").accounts()
