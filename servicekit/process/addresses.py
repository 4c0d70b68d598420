"""Addresses to listen on, and those of this machine."""

import ipaddress
import socket


def family_of(host: str) -> socket.AddressFamily:
    """Return IPv6 where the host is written with colons, else IPv4."""
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def is_loopback(host: str | None) -> bool:
    """Return whether a host is this machine: "localhost" or a literal loopback address."""
    try:
        return host == "localhost" or (host is not None and ipaddress.ip_address(host).is_loopback)
    except ValueError:
        return False
