"""Clients known by their metadata documents: fetched when needed, kept as long as they allow."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from auth_service.domain.oauth import client_documents as rules
from auth_service.domain.oauth.model import Client
from auth_service.domain.oauth.registration import ClientMetadata
from servicekit import logs
from servicekit.errors import ServiceError

_KEPT: Final = 500
_WAIT_SECONDS: Final = 6.0
_PINNED_WAIT_SECONDS: Final = 1.0
_PINNED_PAUSE_SECONDS: Final = 60.0

log = logs.get(__name__)


class Fetcher(Protocol):
    """Fetches JSON objects; see `DocumentFetcher`."""

    async def fetch(self, url: str) -> tuple[Mapping[str, Any], int]: ...


@dataclass(slots=True)
class ClientDocuments:
    """Finds clients by the URL of their document, from any thread.

    `loop` is where the fetching is done; `find` is called from the threads that Authlib runs in.
    Failures are never kept, except that a client with a copy here is not waited for twice a minute.
    Without a `fetcher` only those are known.
    """

    fetcher: Fetcher | None
    loop: asyncio.AbstractEventLoop
    _known: OrderedDict[str, tuple[ClientMetadata, float]] = field(
        default_factory=OrderedDict[str, tuple[ClientMetadata, float]]
    )

    def find(self, client_id: str) -> Client | None:
        """The client, or None when `client_id` is no such URL or what is there is not fit."""
        if not rules.is_document_url(client_id):
            return None
        pinned = rules.pinned(client_id)
        metadata = self._recall(client_id) or self._fetched(client_id, pinned)
        return None if metadata is None else Client(client_id, "document", metadata)

    def _recall(self, client_id: str) -> ClientMetadata | None:
        metadata, until = self._known.get(client_id, (None, 0.0))
        return metadata if until > time.monotonic() else None

    def _fetched(self, client_id: str, pinned: ClientMetadata | None) -> ClientMetadata | None:
        if self.fetcher is None:
            return pinned
        fetching = asyncio.run_coroutine_threadsafe(self.fetcher.fetch(client_id), self.loop)
        try:
            document, seconds = fetching.result(_PINNED_WAIT_SECONDS if pinned else _WAIT_SECONDS)
            metadata = rules.parsed(client_id, document)
        except (ServiceError, TimeoutError) as error:
            fetching.cancel()
            log.warning("client_document_refused", client_id=client_id, error=str(error))
            if pinned is None:
                return None
            metadata, seconds = pinned, _PINNED_PAUSE_SECONDS
        self._known[client_id] = (metadata, time.monotonic() + seconds)
        if len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return metadata
