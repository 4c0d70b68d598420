"""Post messages to receivers' URLs, protected against server-side request forgery.

As for clients' documents: https on port 443, the name is resolved once and the connection made to that
address, addresses that are not public are refused, no redirects, bounded time and size. Networks that
the operator allows are reached over http, too, and on every port.
"""

import asyncio
import ipaddress
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final
from urllib.parse import SplitResult, urlsplit

import httpx2

from auth_service.clients.public_addresses import Resolve, is_public, public_authorities, resolve
from auth_service.domain.alerts.model import Attempt
from servicekit.errors import InvalidInput
from servicekit.http.responses import read_limited

_TIMEOUT_SECONDS: Final = 15.0
_MAX_RESPONSE: Final = 1_000
_MAX_URL: Final = 2_000
_HTTPS_PORT: Final = 443


class WebhookForbidden(InvalidInput):
    """The URL leads to an address that no message may be posted to."""

    default_reason = "WEBHOOK_FORBIDDEN"


@dataclass(slots=True)
class WebhookReceiver:
    """The `Receiver` over HTTP.

    Args:
        networks: What the operator allows besides public addresses.
        resolver: Resolves names; tests have their own.
        verify: Authorities of receivers' certificates.
    """

    networks: tuple[str, ...] = ()
    resolver: Resolve = resolve
    accepts: Callable[[str], bool] = is_public
    verify: ssl.SSLContext = field(default_factory=public_authorities)

    async def check(self, url: str) -> None:
        try:
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                await self._address_of(urlsplit(url))
        except (TimeoutError, OSError) as error:
            raise InvalidInput("The host of this URL is not found.") from error
        except ValueError as error:
            raise InvalidInput("This is no URL.") from error

    async def post(self, url: str, headers: dict[str, str], body: bytes) -> Attempt:
        at, started = datetime.now(UTC), time.monotonic()
        status, text, error = None, "", ""
        try:
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                status, text = await self._post(url, headers, body)
        except TimeoutError:
            error = f"No answer within {_TIMEOUT_SECONDS:.0f} seconds."
        except InvalidInput as refusal:
            error = refusal.public_message
        except (OSError, httpx2.HTTPError, httpx2.InvalidURL, ValueError) as failure:
            error = (str(failure) or type(failure).__name__)[:_MAX_RESPONSE]
        return Attempt(at, status, text, error, round((time.monotonic() - started) * 1000))

    async def _post(self, url: str, headers: dict[str, str], body: bytes) -> tuple[int, str]:
        parts = urlsplit(url)
        address = await self._address_of(parts)
        target = httpx2.URL(url).copy_with(host=address)
        async with (
            # Without the environment: its proxy would resolve the name again, to any address.
            httpx2.AsyncClient(
                verify=self.verify,
                follow_redirects=False,
                trust_env=False,
                timeout=_TIMEOUT_SECONDS,
            ) as client,
            client.stream(
                "POST",
                target,
                content=body,
                headers={"Host": parts.netloc, "Accept-Encoding": "identity", **headers},
                extensions={"sni_hostname": parts.hostname or ""},
            ) as response,
        ):
            received = await read_limited(response.aiter_raw(), _MAX_RESPONSE)
        text = received.content.decode(errors="replace").replace("\0", "")
        return response.status_code, text

    async def _address_of(self, parts: SplitResult) -> str:
        """Return the address to connect to.

        Raises:
            InvalidInput: The URL is not of the form that is allowed.
            WebhookForbidden: It leads to no allowed address.
        """
        addresses = await self.resolver(_host_of(parts))
        if addresses and all(self._is_allowed(address) for address in addresses):
            return addresses[0]
        if parts.scheme != "https" or parts.port not in (None, _HTTPS_PORT):
            raise InvalidInput("A webhook has an https URL on port 443.")
        if not addresses or not all(self.accepts(address) for address in addresses):
            raise WebhookForbidden("This URL leads to no public address.")
        return addresses[0]

    def _is_allowed(self, address: str) -> bool:
        ip = ipaddress.ip_address(address.partition("%")[0])
        return any(ip in ipaddress.ip_network(network) for network in self.networks)


def _host_of(parts: SplitResult) -> str:
    """Return the host of a URL of the form that webhooks have.

    Raises:
        InvalidInput: It is of another form.
    """
    host = parts.hostname
    is_short = len(parts.geturl()) <= _MAX_URL
    if parts.scheme in ("http", "https") and host and parts.username is None and is_short:
        return host
    raise InvalidInput("A webhook has an https URL, without a user.")
