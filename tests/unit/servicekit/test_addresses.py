"""Hosts that are this machine."""

import pytest

from servicekit.process.addresses import is_loopback


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.0.9", "::1"])
def test_a_loopback_address_is_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", [None, "", "192.0.2.1", "::", "localhost.example", "127.0.0.1.example", "2130706433"]
)
def test_every_other_host_is_elsewhere(host: str | None) -> None:
    assert not is_loopback(host)
