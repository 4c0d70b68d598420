"""How many clients may be registered: first by whom, then by all.

The limit of all is for the rows that are kept, so nothing counts towards it that adds none. Beyond
it nobody is shut out: each network may still register a few, and the networks of one site a few more.
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
    """The limits of registrations over all replicas."""

    throttle: Throttle

    async def check(self, address: str) -> None:
        """Count a registration request, valid or not, by its network.

        Raises:
            TooManyAttempts: Too many from there.
        """
        await _REGISTRATIONS.check(self.throttle, network_of(address))

    async def check_new(self, address: str) -> None:
        """Count a client that will be stored.

        Raises:
            TooManyAttempts: There are too many at present, and too many of them from there.
        """
        if await _NEW_CLIENTS.wait(self.throttle) is not None:
            await _FEW_OF_A_NETWORK.check(self.throttle, network_of(address))
            await _FEW_OF_A_SITE.check(self.throttle, site_of(address))
