"""The list of categories."""

from dataclasses import dataclass
from typing import Final, cast

from catalog_service.domain import arguments, kinds
from catalog_service.domain.categories import VOCABULARY, Scope
from catalog_service.domain.coverage import CoverageQueries
from catalog_service.domain.kinds import Kinds
from catalog_service.domain.ports import CategoryCounts, CategoryStore
from shapes.catalog.categories import Categories, CategoriesRequest, Category

_NONE: Final = CategoryCounts(0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class CategoryQueries:
    store: CategoryStore
    coverage: CoverageQueries

    async def list_all(self, request: CategoriesRequest) -> Categories:
        """Return all categories with counts, in the order of the vocabulary, or those that one word means.

        Raises:
            BadArgument: The word means none of them.
        """
        scope = arguments.optional_choice("scope", request.scope, VOCABULARY)
        of_kinds = arguments.selected_kinds(request.kinds, None, kinds.ALL)
        scopes = tuple(VOCABULARY) if scope is None else (cast("Scope", scope),)
        listed: list[Category] = []
        for item in scopes:
            listed += await self._of(item, of_kinds)
        if request.category is not None:
            meant = arguments.named_categories(
                "category", request.category, scopes, "leave `scope` out"
            )
            listed = [
                entry for entry in listed if meant.get(cast("Scope", entry.scope)) == entry.id
            ]
        return Categories(tuple(listed), of_kinds, (await self.coverage.of_period()).shown)

    async def _of(self, scope: Scope, of_kinds: Kinds) -> list[Category]:
        counts = await self.store.category_counts(scope, of_kinds)
        return [
            Category(
                id=entry.id,
                name=entry.name,
                scope=scope,
                parent=entry.parent,
                sponsors=counts.get(entry.id, _NONE).sponsors,
                youtubers=counts.get(entry.id, _NONE).youtubers,
                videos=counts.get(entry.id, _NONE).videos,
                sponsorships=counts.get(entry.id, _NONE).sponsorships,
                free_products=counts.get(entry.id, _NONE).free_products,
            )
            for entry in VOCABULARY[scope]
        ]
