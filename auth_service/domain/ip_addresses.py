"""IPv4 addresses that are written as IPv6 ones."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import Final

_NAT64: Final = IPv6Network("64:ff9b::/96")
"""The prefix of translated IPv4 addresses (RFC 6052), all of which share one /64."""


def ipv4_of(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address of a host that has no other, from a mapped or translated IPv6 address; else None."""
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped
