"""Answer of `category.list`."""

from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True, slots=True)
class Category:
    """A category of brands or of content."""

    id: Annotated[str, "Id to give as `category` or `content_category`."]
    name: Annotated[str, "Name for people."]
    scope: Annotated[str, "sponsor: of brands; content: of channels and videos."]
    parent: Annotated[str | None, "Id of the group that it is in, usable wherever a category is."]
    sponsors: Annotated[int, "Brands in it."]
    youtubers: Annotated[int, "Creators in it."]
    videos: Annotated[int, "Sponsored videos in it."]


@dataclass(frozen=True, slots=True)
class Categories:
    """All categories with counts."""

    categories: Annotated[tuple[Category, ...], "The categories."]
