"""The categories that other tools filter by: `category.list`."""

from typing import Final, Literal

from pydantic import Field

from gateway.tools._params import KindsArgument, Text, ToolContext
from gateway.tools._parts import PartsArguments
from gateway.tools._tool import READS, Tool, tool
from shapes.catalog.categories import Categories


class ListCategories(KindsArgument, PartsArguments):
    scope: Literal["sponsor", "content"] | None = Field(
        None, description="sponsor: categories of brands; content: of channels and videos."
    )
    category: Text | None = Field(
        None,
        description="Only the category that an id, a name or a synonym such as vpn means.",
        examples=["security"],
    )


@tool(
    "category.list",
    title="List categories",
    hints=READS,
    third_party_text=False,
    brief="coverage kinds categories.id categories.name categories.scope",
)
async def list_categories(args: ListCategories, context: ToolContext) -> Categories:
    """List the categories of brands and of content with their counts.

    Videos and sponsorships are of all kinds unless `kinds` says otherwise. Brands of a category of brands and creators of a content
    category are all that are known. Ids are what the `category` and `content_category` arguments of other tools take.
    """
    return await context.catalog.query("ListCategories", args.provided(), Categories)


TOOLS: Final[tuple[Tool, ...]] = (list_categories,)
