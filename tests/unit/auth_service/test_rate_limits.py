"""Limits count by network, and other spellings of an address count as the same one."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auth_service.domain.rate_limits import network_of, site_of


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_every_address_of_a_subscriber_is_one_network(first: int, second: int) -> None:
    prefix = 0x2001_0DB8_0000_0001 << 64
    networks = {network_of(str(IPv6Address(prefix | host))) for host in (first, second)}
    assert networks == {"2001:db8:0:1::/64"}


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_is_one_network_however_it_is_written(address: IPv4Address) -> None:
    mapped = IPv6Address((0xFFFF << 32) | int(address))
    translated = IPv6Address((0x64_FF9B << 96) | int(address))
    assert {network_of(str(item)) for item in (address, mapped, translated)} == {str(address)}


@pytest.mark.parametrize(
    ("address", "network", "site"),
    [
        ("192.0.2.77", "192.0.2.77", "192.0.2.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"),
        ("2001:DB8:1:2::", "2001:db8:1:2::/64", "2001:db8:1::/48"),
        ("fe80::1%eth0", "fe80::/64", "fe80::/48"),
        ("", "unknown", "unknown"),
        ("not an address", "unknown", "unknown"),
        ("192.0.2.077", "unknown", "unknown"),
    ],
)
def test_networks_and_sites(address: str, network: str, site: str) -> None:
    assert (network_of(address), site_of(address)) == (network, site)


def test_neighbours_are_counted_apart() -> None:
    assert network_of("2001:db8:0:1::1") != network_of("2001:db8:0:2::1")
    assert network_of("192.0.2.1") != network_of("192.0.2.2")
