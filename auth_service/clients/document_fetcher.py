"""Fetch a client's metadata document, protected against server-side request forgery.

Following OWASP and section 6 of the draft: https on port 443 only; the name is resolved once and
the connection made to that address; addresses that are not public are refused; no redirects, no
cookies, a bounded response size and a timeout.
"""

import asyncio
import json
import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2

from auth_service.clients.public_addresses import Resolve, is_public, public_authorities, resolve
from servicekit.errors import InvalidInput, Unavailable
from servicekit.http.responses import read_limited

_TIMEOUT_SECONDS: Final = 5.0
_OK: Final = 200
_DIGITS: Final = re.compile(r"[0-9]{1,10}")


class Forbidden(InvalidInput):
    """The URL leads to an address that is not public."""

    default_reason = "CLIENT_DOCUMENT_FORBIDDEN"


@dataclass(slots=True)
class DocumentFetcher:
    """Fetch documents of at most `max_bytes`.

    Tests replace `resolver`, `accepts`, `verify` and `port` to reach their own server. The caller
    limits the number of concurrent fetches.
    """

    max_bytes: int
    resolver: Resolve = resolve
    accepts: Callable[[str], bool] = is_public
    verify: ssl.SSLContext = field(default_factory=public_authorities)
    port: int = 443

    async def fetch(self, url: str) -> tuple[Mapping[str, Any], int]:
        """Fetch the JSON object at `url`; return it and the seconds for which it may be cached.

        Raises:
            Forbidden: The host's address is not public.
            InvalidInput: The response is not a JSON object of at most `max_bytes`.
            Unavailable: The site cannot be reached or does not respond in time.
        """
        try:
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                return await self._fetch(url)
        except (TimeoutError, OSError, httpx2.HTTPError) as error:
            raise Unavailable(
                f"The client's document at {url} cannot be read now.", "CLIENT_DOCUMENT_UNAVAILABLE"
            ) from error
        except (UnicodeError, httpx2.InvalidURL) as error:  # a DNS label of more than 63 characters
            raise InvalidInput(f"{url} names no host.") from error

    async def _fetch(self, url: str) -> tuple[Mapping[str, Any], int]:
        parts = urlsplit(url)
        host = parts.hostname or ""
        addresses = await self.resolver(host)
        if not addresses or not all(self.accepts(address) for address in addresses):
            raise Forbidden(f"The client's document at {url} is not on a public address.")
        address = addresses[0]
        literal = f"[{address}]" if ":" in address else address
        target = httpx2.URL(url).copy_with(host=literal.strip("[]"), port=self.port)
        async with (
            # Without the environment: its proxy would resolve the name again, to any address.
            httpx2.AsyncClient(
                verify=self.verify, follow_redirects=False, trust_env=False
            ) as client,
            client.stream(
                "GET",
                target,
                headers={"Host": host, "Accept": "application/json", "Accept-Encoding": "identity"},
                extensions={"sni_hostname": host},
            ) as response,
        ):
            if response.status_code != _OK:
                raise InvalidInput(f"{url} answers with status {response.status_code}, not 200.")
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                raise InvalidInput(f"{url} answers in an encoding that was not asked for.")
            # Raw: a decompressed chunk could exceed the limit before its size is checked.
            body = await read_limited(response.aiter_raw(), self.max_bytes)
        if not body.is_whole:
            raise InvalidInput(f"The document at {url} has more than {self.max_bytes} bytes.")
        return _parse(body.content, url), _lifetime(response.headers.get("cache-control", ""))


def _parse(body: bytes, url: str) -> Mapping[str, Any]:
    try:
        document: Any = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise InvalidInput(f"What {url} answers is not a JSON object.")
    return document  # pyright: ignore[reportUnknownVariableType]


def _lifetime(cache_control: str) -> int:
    """Return the seconds to cache a response: `max-age` from a minute to a day, else an hour."""
    for directive in cache_control.lower().split(","):
        name, _, value = directive.strip().partition("=")
        if name in ("no-store", "no-cache"):
            return 60
        if name == "max-age" and _DIGITS.fullmatch(value):
            return min(max(int(value), 60), 86_400)
    return 3_600
