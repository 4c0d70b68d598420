"""Rate limits of attempts, and the networks by which attempts are counted."""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

from auth_service.domain.ip_addresses import ipv4_of
from auth_service.domain.ports import Throttle
from servicekit.errors import ResourceExhausted

_IPV4_PREFIX: Final = 32
_IPV6_PREFIX: Final = 64
_IPV4_SITE_PREFIX: Final = 24
_IPV6_SITE_PREFIX: Final = 48


class TooManyAttempts(ResourceExhausted):
    default_reason = "TOO_MANY_ATTEMPTS"


@dataclass(frozen=True, slots=True)
class RateLimit:
    """A maximum of attempts per window, counted separately for each subject.

    Attributes:
        name: Name of the counter; limits of one name share their counts.
        attempts: Maximum of attempts per window.
        seconds: Length of the window.
    """

    name: str
    attempts: int
    seconds: int

    def key(self, *subjects: str) -> str:
        """Return the key under which attempts of these subjects together are counted."""
        return ":".join((self.name, *subjects))

    async def wait(self, throttle: Throttle, *subjects: str) -> float | None:
        """Count an attempt; return None, or the seconds to wait when there were too many."""
        return await throttle.admit(self.key(*subjects), self.attempts, self.seconds)

    async def check(self, throttle: Throttle, *subjects: str) -> None:
        """Count an attempt.

        Raises:
            TooManyAttempts: The window's maximum is reached.
        """
        wait = await self.wait(throttle, *subjects)
        if wait is not None:
            minutes = max(1, round(wait / 60))
            raise TooManyAttempts(
                f"Too many attempts. Try again in {minutes} minute{'s' * (minutes > 1)}.",
                retry_after=wait,
            )

    async def forget(self, throttle: Throttle, *subjects: str) -> None:
        """Reset the count of the subjects."""
        await throttle.forget(self.key(*subjects), self.seconds)


def is_address(host: str) -> bool:
    """Return whether a host is an IP address and no name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def network_of(address: str) -> str:
    """Return the network of one subscriber: an IPv4 address, or the /64 of an IPv6 one (RFC 6177)."""
    return _network(address, _IPV4_PREFIX, _IPV6_PREFIX)


def site_of(address: str) -> str:
    """Return the network of one organisation: the /24 of an IPv4 address, the /48 of an IPv6 one."""
    return _network(address, _IPV4_SITE_PREFIX, _IPV6_SITE_PREFIX)


def _network(address: str, ipv4_prefix: int, ipv6_prefix: int) -> str:
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(ip, IPv6Address):
        ip = ipv4_of(ip) or ip
    is_ipv4 = isinstance(ip, IPv4Address)
    network = ip_network((ip, ipv4_prefix if is_ipv4 else ipv6_prefix), strict=False)
    return str(network.network_address) if network.num_addresses == 1 else str(network)
