"""OAuth clients identified by metadata documents, which are fetched on demand and cached.

Callers choose the URL, and the site behind it may respond slowly or never. So a fetch holds no
transaction, concurrent requests for one URL share it, and fetches are limited in total, per host
and per network of callers.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from auth_service.domain.oauth import client_documents as rules
from auth_service.domain.oauth.model import Client
from auth_service.domain.oauth.registration import ClientMetadata
from auth_service.domain.ports import Throttle
from auth_service.domain.rate_limits import RateLimit
from servicekit.concurrency.bulkhead import Bulkhead
from servicekit.concurrency.single_flight import SingleFlight
from servicekit.errors import InvalidInput, ResourceExhausted, Unavailable
from servicekit.observability import logs

_MAX_CACHED: Final = 500
_MAX_FETCHES: Final = 16
_MAX_FETCHES_PER_HOST: Final = 3
_MAX_FETCHES_PER_NETWORK: Final = 4
_BY_NETWORK: Final = RateLimit("document", 30, 60)
_BY_HOST: Final = RateLimit("document-host", 120, 60)
_WAIT_SECONDS: Final = 6.0
_PINNED_WAIT_SECONDS: Final = 1.0
_STALE_SECONDS: Final = 86_400.0
_RETRY_SECONDS: Final = 60.0

log = logs.get(__name__)


class Fetcher(Protocol):
    """Fetch JSON objects; see `DocumentFetcher`."""

    async def fetch(self, url: str) -> tuple[Mapping[str, Any], int]: ...


@dataclass(frozen=True, slots=True)
class _Entry:
    metadata: ClientMetadata
    fresh_until: float
    usable_until: float


@dataclass(frozen=True, slots=True)
class _Request:
    """A fetch under way: the host that is asked, and the network whose caller began it."""

    host: str
    network: str


@dataclass(slots=True)
class ClientDocuments:
    """Implement `DocumentClients` with a fetcher; without one, only bundled copies are available.

    A document that cannot be fetched now is replaced by its version of the last day, or by the
    bundled copy. An invalid document is never cached.
    """

    fetcher: Fetcher | None
    throttle: Throttle
    monotonic: Callable[[], float] = time.monotonic
    _cache: OrderedDict[str, _Entry] = field(default_factory=OrderedDict[str, _Entry])
    _requests: dict[str, _Request] = field(default_factory=dict[str, _Request])
    _fetches: SingleFlight[str, ClientMetadata] = field(
        default_factory=SingleFlight[str, ClientMetadata]
    )
    _bulkhead: Bulkhead = field(default_factory=lambda: Bulkhead("client documents", _MAX_FETCHES))

    async def find(self, client_id: str, network: str) -> Client | None:
        if not rules.is_document_url(client_id):
            return None
        metadata = self._fresh_metadata(client_id) or await self._refresh(client_id, network)
        return None if metadata is None else Client(client_id, "document", metadata)

    async def aclose(self) -> None:
        """Cancel the running fetches and wait for them to end."""
        await self._fetches.aclose()

    def _fresh_metadata(self, client_id: str) -> ClientMetadata | None:
        entry = self._cache.get(client_id)
        return entry.metadata if entry and entry.fresh_until > self.monotonic() else None

    async def _refresh(self, client_id: str, network: str) -> ClientMetadata | None:
        pinned = rules.pinned_metadata(client_id)
        if self.fetcher is None:
            return pinned
        try:
            return await self._join_fetch(self.fetcher, client_id, network, pinned)
        except InvalidInput as error:
            log.warning("client_document_refused", client_id=client_id, error=str(error))
            self._cache.pop(client_id, None)
            return self._cache_substitute(client_id, pinned)
        except (Unavailable, ResourceExhausted) as error:
            log.warning("client_document_unavailable", client_id=client_id, error=str(error))
            entry = self._cache.get(client_id)
            usable = entry is not None and entry.usable_until > self.monotonic()
            substitute = entry.metadata if entry and usable else pinned
            if substitute is None:
                raise
            return self._cache_substitute(client_id, substitute)

    async def _join_fetch(
        self, fetcher: Fetcher, client_id: str, network: str, pinned: ClientMetadata | None
    ) -> ClientMetadata:
        if client_id not in self._requests:
            await _BY_NETWORK.check(self.throttle, network)
        fetch = partial(self._fetch, fetcher, client_id, network)
        try:
            async with asyncio.timeout(_PINNED_WAIT_SECONDS if pinned else _WAIT_SECONDS):
                # It goes on after a caller's timeout: its result is cached for later ones.
                return await self._fetches.do(client_id, fetch)
        except TimeoutError as error:
            raise Unavailable(f"The client's document at {client_id} takes too long.") from error

    async def _fetch(self, fetcher: Fetcher, client_id: str, network: str) -> ClientMetadata:
        host = urlsplit(client_id).hostname or ""
        others = self._requests.values()
        if (
            sum(other.host == host for other in others) >= _MAX_FETCHES_PER_HOST
            or sum(other.network == network for other in others) >= _MAX_FETCHES_PER_NETWORK
        ):
            raise Unavailable("Too many documents are being fetched. Try again.", retry_after=1.0)
        self._requests[client_id] = _Request(host, network)
        try:
            with self._bulkhead:
                await _BY_HOST.check(self.throttle, host)
                document, seconds = await fetcher.fetch(client_id)
                metadata = rules.parse_document(client_id, document)
                self._store(client_id, metadata, seconds, _STALE_SECONDS)
                return metadata
        finally:
            del self._requests[client_id]

    def _cache_substitute(
        self, client_id: str, metadata: ClientMetadata | None
    ) -> ClientMetadata | None:
        """Cache a substitute for a minute, so that the next callers get it without a fetch."""
        entry = self._cache.get(client_id)
        if metadata is not None and (entry is None or entry.fresh_until <= self.monotonic()):
            remaining = entry.usable_until - self.monotonic() if entry else 0.0
            self._store(client_id, metadata, _RETRY_SECONDS, remaining)
        return metadata

    def _store(self, client_id: str, metadata: ClientMetadata, fresh: float, usable: float) -> None:
        now = self.monotonic()
        self._cache[client_id] = _Entry(metadata, now + fresh, now + max(fresh, usable))
        self._cache.move_to_end(client_id)
        if len(self._cache) > _MAX_CACHED:
            self._cache.popitem(last=False)
