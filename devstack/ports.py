"""TCP ports of loopback: those that are configured, and free ones."""

import errno
import random
import socket
from typing import Final

HOST: Final = "127.0.0.1"


class PortError(Exception):
    """A port cannot be had; the message says which, and what to do."""


_FREE: Final = range(10_000, 32_768)
"""Below the ports that Linux gives to outgoing connections: between the choice and the listening
none of those can take the port."""

_chosen: Final[set[int]] = set()


def free_port() -> int:
    """Return a port that nobody listens on now, each only once in a process: the listeners are not there yet."""
    choice = random.SystemRandom()
    while True:
        port = choice.choice(_FREE)
        if port in _chosen:
            continue
        with socket.socket() as probe:
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
        _chosen.add(port)
        return port


def claim(port: int, purpose: str, variable: str) -> int:
    """`port` itself when it is free, a free one for 0.

    Raises:
        PortError: Somebody else listens on it, or it is not ours to take.
    """
    if port == 0:
        return free_port()
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            why = "is taken" if error.errno == errno.EADDRINUSE else f"cannot be used ({error})"
            raise PortError(
                f"Port {port} for {purpose} {why}. Stop what listens there, or set {variable} to "
                "another port (0 for any free one)."
            ) from None
    return port


def reuse_or_choose(port: int | None) -> int:
    """Return a port that an earlier start used when it is still free, else another."""
    if port is not None:
        try:
            return claim(port, "an internal service", "")
        except PortError:
            pass
    return free_port()


def listens(port: int) -> bool:
    """Return whether a process accepts connections on `port`."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex((HOST, port)) == 0
