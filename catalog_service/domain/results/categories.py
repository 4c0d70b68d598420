"""Answer about categories."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Category:
    """A category or group with counts; `scope` is sponsor or content."""

    id: str
    name: str
    scope: str
    parent: str | None
    sponsors: int
    youtubers: int
    videos: int


@dataclass(frozen=True, slots=True)
class CategoriesReply:
    categories: tuple[Category, ...]
