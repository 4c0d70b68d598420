"""Saved lists of brands or creators: `list.create`, `.add`, `.remove`, `.get`, `.all`, `.delete`."""

from typing import Annotated, Final, Literal

from pydantic import Field

from gateway.tools._params import REPEATED_CALL, PageArguments, Params, Text, ToolContext
from gateway.tools._tool import READS, Hints, Tool, tool
from shapes.catalog.lists import DeletedList, ListChange, SavedListPage, SavedLists

_ADDS: Final = Hints(read_only=False, destructive=False, idempotent=True, open_world=False)
_TAKES_AWAY: Final = Hints(read_only=False, destructive=True, idempotent=True, open_world=False)
_NAMES_PER_REQUEST: Final = 25

_Names = Annotated[list[Text], Field(max_length=100)]
_NAMES: Final = (
    "Ids, names, @handles, channel ids (UC…), web domains or URLs of the brands or creators."
)
_EXAMPLES: Final = [["nordvpn", "squarespace.com"]]


class ListArgument(Params):
    list: Text = Field(description="The list: its id or name.", examples=["l_3", "Competitors"])


class WrittenOnce(Params):
    idempotency_key: str | None = Field(
        None, min_length=1, max_length=100, description=REPEATED_CALL
    )


class CreateList(WrittenOnce):
    name: str = Field(
        min_length=1,
        max_length=60,
        description="Name of the list, once an account.",
        examples=["Competitors"],
    )
    type: Literal["sponsor", "youtuber"] = Field(
        description="sponsor: a list of brands; youtuber: of creators."
    )
    names: _Names = Field([], description=_NAMES, examples=_EXAMPLES)


class ChangeEntries(ListArgument, WrittenOnce):
    names: _Names = Field(min_length=1, description=_NAMES, examples=_EXAMPLES)


class GetList(ListArgument, PageArguments):
    pass


class ListLists(Params):
    pass


class DeleteList(ListArgument, WrittenOnce):
    pass


def _cost(args: CreateList | ChangeEntries) -> int:
    return max(1, -(-len(args.names) // _NAMES_PER_REQUEST))


def _said(args: Params) -> dict[str, object]:
    return {name: value for name, value in args.provided().items() if name != "idempotency_key"}


@tool(
    "list.create",
    title="Make a list",
    hints=_ADDS,
    scope="channels:import",
    feature="channel_import",
    cost_of=_cost,
    by_default=False,
)
async def create(args: CreateList, context: ToolContext) -> ListChange:
    """Make a saved list of brands or of creators, empty or with what is named.

    It belongs to the account, or to the organisation that the connection acts for and all of its members. Searches and
    rankings take it as `in_list` and `not_in_list`. A name that a list has adds to that list, and `note` says so. An account has at most 50
    lists, each with at most 1,000 entries. Counts as one request for every 25 names or part of them.
    """
    account_id = context.principal.entitlements.account_id
    return await context.catalog.call_for(account_id, "CreateList", _said(args), ListChange)


@tool(
    "list.add",
    title="Add to a list",
    hints=_ADDS,
    scope="channels:import",
    feature="channel_import",
    cost_of=_cost,
    by_default=False,
)
async def add(args: ChangeEntries, context: ToolContext) -> ListChange:
    """Add brands or creators to a saved list; what is in it already stays.

    Names that are unknown or fit several come back as `unclear` with candidates: add one of these by its id. Counts as
    one request for every 25 names or part of them.
    """
    account_id = context.principal.entitlements.account_id
    return await context.catalog.call_for(account_id, "AddToList", _said(args), ListChange)


@tool(
    "list.remove",
    title="Remove from a list",
    hints=_TAKES_AWAY,
    scope="channels:import",
    feature="channel_import",
    cost_of=_cost,
    by_default=False,
)
async def remove(args: ChangeEntries, context: ToolContext) -> ListChange:
    """Remove brands or creators from a saved list; the list itself stays.

    `note` has the names that were not in it. Counts as one request for every 25 names or part of them.
    """
    account_id = context.principal.entitlements.account_id
    return await context.catalog.call_for(account_id, "RemoveFromList", _said(args), ListChange)


@tool("list.get", title="Get a list", hints=READS, cost=0, by_default=False, rows="entries")
async def get(args: GetList, context: ToolContext) -> SavedListPage:
    """Get the entries of one saved list, in the order in which they were added. Free of charge."""
    account_id = context.principal.entitlements.account_id
    return await context.catalog.call_for(account_id, "GetList", args.provided(), SavedListPage)


@tool("list.all", title="My lists", hints=READS, cost=0, by_default=False)
async def list_all(_args: ListLists, context: ToolContext) -> SavedLists:
    """List the saved lists of the account, or of the organisation that the connection acts for. Free of charge."""
    account_id = context.principal.entitlements.account_id
    return await context.catalog.call_for(account_id, "ListSavedLists", {}, SavedLists)


@tool(
    "list.delete",
    title="Delete a list",
    hints=_TAKES_AWAY,
    scope="channels:import",
    feature="channel_import",
    by_default=False,
)
async def delete(args: DeleteList, context: ToolContext) -> DeletedList:
    """Delete one saved list with its entries, for good; brands and creators themselves stay."""
    account_id = context.principal.entitlements.account_id
    return await context.catalog.call_for(account_id, "DeleteList", _said(args), DeletedList)


TOOLS: Final[tuple[Tool, ...]] = (create, add, remove, get, list_all, delete)
