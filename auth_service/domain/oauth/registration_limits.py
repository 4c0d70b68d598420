"""Limits of dynamic client registration, per network and in total.

The total limits stored rows, so only registrations that add one count towards it. Once it is
reached, each network may still register a few clients, and the networks of one organisation
together a few more.
"""

from dataclasses import dataclass
from typing import Final

from auth_service.domain.ports import Throttle
from auth_service.domain.rate_limits import RateLimit, network_of, site_of

_REGISTRATIONS: Final = RateLimit("register", 200, 3_600)
_NEW_CLIENTS: Final = RateLimit("register-all", 2_000, 3_600)
_FEW_OF_A_NETWORK: Final = RateLimit("register-few", 5, 3_600)
_FEW_OF_A_SITE: Final = RateLimit("register-few-site", 20, 3_600)


@dataclass(frozen=True, slots=True)
class RegistrationLimits:
    """The registration limits, shared by all replicas."""

    throttle: Throttle

    async def check(self, address: str) -> None:
        """Count a registration request, valid or not, by its network.

        Raises:
            TooManyAttempts: The network has registered too often.
        """
        await _REGISTRATIONS.check(self.throttle, network_of(address))

    async def check_new(self, address: str) -> None:
        """Count a client that will be stored.

        Raises:
            TooManyAttempts: The total is reached, and so is the reserve of the network or
                organisation.
        """
        if await _NEW_CLIENTS.wait(self.throttle) is not None:
            await _FEW_OF_A_NETWORK.check(self.throttle, network_of(address))
            await _FEW_OF_A_SITE.check(self.throttle, site_of(address))
