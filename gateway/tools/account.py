"""The caller's own account: `account.usage`."""

from typing import Final

from gateway.domain.account_usage import AccountUsage
from gateway.tools._params import Params, ToolContext
from gateway.tools._tool import READS, Tool, tool


class GetUsage(Params):
    pass


@tool("account.usage", title="Requests left", hints=READS, cost=0, third_party_text=False)
async def usage(_args: GetUsage, context: ToolContext) -> AccountUsage:
    """Tell the account's plan, the requests used and left this month, and when they are renewed.

    Free of charge: it never counts as a request.
    """
    entitlements, quota = context.principal.entitlements, context.quota
    return AccountUsage(
        plan=entitlements.plan,
        plan_name=entitlements.plan_name,
        requests_per_month=quota.limit,
        requests_used=quota.limit - quota.remaining,
        requests_remaining=quota.remaining,
        resets_at=quota.resets_at,
        features=entitlements.features,
    )


TOOLS: Final[tuple[Tool, ...]] = (usage,)
