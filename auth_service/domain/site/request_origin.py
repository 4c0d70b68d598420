"""The origin of a request to the site."""

from dataclasses import dataclass

from auth_service.domain.rate_limits import network_of
from auth_service.domain.site.login_attempts import KnownDevice


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """IP address, User-Agent, browser secret and known device of a request."""

    address: str
    user_agent: str
    browser: str
    device: KnownDevice

    @property
    def network(self) -> str:
        """The network that limits count by."""
        return network_of(self.address)
