"""The categories of the catalogue for pages: their names, and which of them another word means."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from auth_service.domain.explore.calls import ToolCall
from auth_service.domain.explore.columns import category_path
from auth_service.domain.explore.hourly import HourlyResult
from auth_service.domain.explore.labels import Labels
from auth_service.domain.explore.ports import SiteTokens, ToolGateway
from auth_service.domain.explore.references import own_name
from auth_service.domain.ports import Clock

PAID_CATEGORIES: Final = ToolCall(
    "category.list", {"kinds": ["paid_sponsorship", "promo_code", "affiliate"]}
)
"""With the counts of what rankings count."""


@dataclass(frozen=True, slots=True)
class Category:
    """A category of brands ("sponsor") or of content; `parent` is the id of its group.

    `videos` are the sponsored ones of all time, `sponsors` the brands that are known.
    """

    category_id: str
    name: str
    scope: str
    parent: str | None
    videos: int
    sponsors: int


@dataclass(frozen=True, slots=True)
class CategoryLink:
    """A category's name, the address of its page, and how many videos and brands it has."""

    name: str
    href: str
    videos: int
    sponsors: int


@dataclass(frozen=True, slots=True)
class CategoryGroup:
    """A group of categories of brands, and those in it."""

    group: CategoryLink
    members: Sequence[CategoryLink]


def category_groups(known: Sequence[Category]) -> Sequence[CategoryGroup]:
    """Return the categories of brands by their groups, in the order of the catalogue."""
    return [
        CategoryGroup(
            _link(group), [_link(item) for item in known if item.parent == group.category_id]
        )
        for group in known
        if group.scope == "sponsor" and group.parent is None
    ]


def _link(category: Category) -> CategoryLink:
    return CategoryLink(
        category.name, category_path(category.category_id), category.videos, category.sponsors
    )


class CategoryResolver(Protocol):
    """The catalogue's side, which knows synonyms."""

    async def category_id(self, reference: str) -> str:
        """Return the id of the category of brands that an id, a name or a synonym means.

        Raises:
            ServiceError: It means none, or the catalogue does not respond.
        """
        ...


class Categories:
    """The categories; one for the process, which reads their names for everybody."""

    def __init__(
        self,
        gateway: ToolGateway,
        tokens: SiteTokens,
        clock: Clock,
        resolver: CategoryResolver | None,
    ) -> None:
        self._gateway = gateway
        self._tokens = tokens
        self._resolver = resolver
        self._listed = HourlyResult[Sequence[Category]](self._read, (), clock)

    async def all(self) -> Sequence[Category]:
        """Return the categories in the order of the catalogue; none while the gateway does not respond."""
        return await self._listed.get()

    async def labels(self) -> Labels:
        """Return the names of categories for pages."""
        return Labels({item.category_id: item.name for item in await self.all()})

    async def id_of(self, reference: str) -> str:
        """Return the id of the category of brands that is meant, or what was given if that is not known."""
        known = [item for item in await self.all() if item.scope == "sponsor"]
        if self._resolver is None or any(item.category_id == reference for item in known):
            return reference
        return await own_name(self._resolver.category_id(reference), reference)

    async def _read(self) -> Sequence[Category]:
        result = await self._gateway.call(self._tokens("", None, included=True), PAID_CATEGORIES)
        return [
            Category(
                item["id"],
                item["name"],
                item["scope"],
                item["parent"],
                item["videos"],
                item["sponsors"],
            )
            for item in result.content["categories"]
        ]
