"""Result of `account.usage`."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated


@dataclass(frozen=True, slots=True)
class AccountUsage:
    """The account's plan and what is left of its month."""

    plan: Annotated[str, "Id of the plan."]
    plan_name: Annotated[str, "Name of the plan."]
    requests_per_month: Annotated[int, "Requests that a month includes."]
    requests_used: Annotated[int, "Requests used this month."]
    requests_remaining: Annotated[int, "Requests left this month."]
    resets_at: Annotated[datetime, "When the count starts again at 0 (UTC)."]
    features: Annotated[tuple[str, ...], "What the plan unlocks."]
