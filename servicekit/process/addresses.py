"""Addresses to listen on."""

import socket


def family_of(host: str) -> socket.AddressFamily:
    """IPv6 where the host is written with colons."""
    return socket.AF_INET6 if ":" in host else socket.AF_INET
