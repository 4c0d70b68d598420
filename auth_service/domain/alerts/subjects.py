"""Finds what a person names as the subject of a watch, at the service that knows it."""

from dataclasses import dataclass
from typing import Protocol

from auth_service.domain.alerts.ports import Subject
from auth_service.domain.site.imports import ImportWorker
from servicekit.errors import NotFound, ServiceError, Unavailable

_LISTED = 100
_MAX_REFERENCE = 300
_NOUNS = {"sponsor": "a brand", "youtuber": "a creator"}


class CatalogSubjects(Protocol):
    """The catalogue's side."""

    async def sponsor(self, reference: str) -> Subject: ...

    async def youtuber(self, reference: str) -> Subject: ...

    async def category(self, reference: str) -> Subject: ...


@dataclass(frozen=True, slots=True)
class ServiceSubjects:
    """The `Subjects` of the catalogue and the import worker; None where the installation has none."""

    catalog: CatalogSubjects | None
    worker: ImportWorker | None

    async def find(self, account_id: str, about: str, reference: str) -> Subject:
        reference = reference.strip()[:_MAX_REFERENCE]
        if about == "import":
            return await self._import(account_id, reference)
        if self.catalog is None:
            raise Unavailable("This installation has no alerts of the catalogue.")
        try:
            return await self._in_catalog(self.catalog, about, reference)
        except ServiceError as error:
            field = error.details.get("field")
            if field is not None:  # the catalogue's own field is another
                error.details["field"] = "subject"
                error.public_message = error.public_message.replace(f"`{field}`", "`subject`")
            other = error.details.get("other_type")
            if other in _NOUNS:
                raise NotFound(
                    f"{reference[:80]!r} is {_NOUNS[other]}: watch it with `about` {other}.",
                    details=error.details,
                ) from None
            raise

    async def _in_catalog(self, catalog: CatalogSubjects, about: str, reference: str) -> Subject:
        if about == "sponsor":
            return await catalog.sponsor(reference)
        if about == "youtuber":
            return await catalog.youtuber(reference)
        return await catalog.category(reference)

    async def _import(self, account_id: str, import_id: str) -> Subject:
        imports = (await self.worker.list(account_id, _LISTED)).imports if self.worker else ()
        for channel_import in imports:
            if channel_import.import_id == import_id:
                title = channel_import.channel_title or channel_import.channel_id
                return Subject(import_id, f"Import of {title}")
        raise NotFound(
            f"This account has no import {import_id[:80]!r} among its newest {_LISTED}. `channel.imports` lists "
            "their ids; an empty `subject` watches all.",
            details={"field": "subject"},
        )
