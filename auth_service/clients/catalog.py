"""The catalog service: its events, and the brands, creators and categories that a watch may be about."""

import contextlib
import json
from datetime import datetime
from typing import Any, Final

import grpc.aio

from auth_service.domain.alerts.model import Event
from auth_service.domain.alerts.ports import EventBatch, Subject
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc, events_pb2, events_pb2_grpc
from servicekit.errors import InvalidInput, NotFound
from servicekit.grpc.client import call

_SECONDS: Final = 10.0
_PAGE: Final = 200


class GrpcCatalogEvents:
    """The catalogue's events as an `EventSource`."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub: Any = events_pb2_grpc.EventsStub(channel)

    async def read(self, position: int | None) -> EventBatch:
        request = events_pb2.EventsRequest(after=position, limit=_PAGE)
        page: events_pb2.EventPage = await call(self._stub.ListEvents, request, timeout=_SECONDS)
        if page.events:
            return EventBatch([_event(event) for event in page.events], page.events[-1].position)
        # At the beginning, and when an older catalogue was restored: its positions come again.
        is_elsewhere = position is None or page.newest < position
        return EventBatch((), page.newest if is_elsewhere else position or 0)


def _event(event: events_pb2.Event) -> Event:
    subjects = {("sponsor", event.sponsor_id), ("youtuber", event.youtuber_id)}
    subjects |= {("category", category) for category in event.categories}
    at = datetime.fromisoformat(event.at)
    return Event(event.id, event.kind, at, frozenset(subjects), json.loads(event.data_json))


class GrpcCatalogSubjects:
    """Find brands, creators and categories by the references that the catalogue takes."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub: Any = catalog_pb2_grpc.CatalogStub(channel)

    async def sponsor(self, reference: str) -> Subject:
        request = pb.SponsorRequest(sponsor=reference)
        found: pb.Sponsor = await call(self._stub.GetSponsor, request, timeout=_SECONDS)
        return Subject(found.sponsor.id, found.sponsor.name)

    async def youtuber(self, reference: str) -> Subject:
        request = pb.YoutuberRequest(youtuber=reference)
        found: pb.Youtuber = await call(self._stub.GetYoutuber, request, timeout=_SECONDS)
        return Subject(found.youtuber.id, found.youtuber.name)

    async def category(self, reference: str) -> Subject:
        found = await self._category("sponsor", reference)
        if found is not None:
            return found
        content = await self._category("content", reference)
        if content is not None:
            raise NotFound(
                f"{content.name} ({content.subject_id}) is a content category, and only categories of brands can be watched. "
                "`category.list` with `scope` sponsor has them.",
                details={"field": "subject"},
            )
        raise NotFound(
            f"There is no category of brands called {reference[:80]!r}. The page Explore and `category.list` have them all.",
            details={"field": "subject"},
        )

    async def _category(self, scope: str, reference: str) -> Subject | None:
        """Return the category of a vocabulary that a word means; None if none is meant."""
        request = pb.CategoriesRequest(scope=scope, category=reference)
        found = pb.Categories()
        # A catalogue of an older release returns none where this one refuses the word.
        with contextlib.suppress(InvalidInput):
            found = await call(self._stub.ListCategories, request, timeout=_SECONDS)
        for category in found.categories:
            # One that is older still returns all of them, and knows no synonyms here.
            is_named = reference.lower() in (category.id.lower(), category.name.lower())
            if is_named or len(found.categories) == 1:
                return Subject(category.id, category.name)
        return None

    async def sponsor_slug(self, reference: str) -> str:
        request = pb.SponsorRequest(sponsor=reference)
        found: pb.Sponsor = await call(self._stub.GetSponsor, request, timeout=_SECONDS)
        return found.sponsor.slug

    async def youtuber_reference(self, reference: str) -> str:
        request = pb.YoutuberRequest(youtuber=reference)
        found: pb.Youtuber = await call(self._stub.GetYoutuber, request, timeout=_SECONDS)
        return found.youtuber.handle or found.youtuber.channel_id or found.youtuber.id

    async def category_id(self, reference: str) -> str:
        return (await self.category(reference)).subject_id
