"""The caller's own account as a resource."""

from typing import cast

from gateway.domain.account_usage import AccountUsage
from gateway.resources._resource import resource
from gateway.tools import ToolContext, account


@resource(
    "sponsorgraph://account/usage",
    name="account_usage",
    title="Requests left",
    priced_as=account.usage,
    fresh_ms=0,
)
async def usage(args: account.GetUsage, context: ToolContext) -> AccountUsage:
    """The account's plan, and the requests used and left this month.

    It is what account.usage answers. Free of charge.
    """
    return cast("AccountUsage", await account.usage.run(args, context))
