"""The use cases of alerts that the site has."""

from collections.abc import Sequence
from dataclasses import dataclass

from auth_service.domain.alerts.channels import Channels
from auth_service.domain.alerts.ports import AlertTransactions, LoggedDelivery
from auth_service.domain.alerts.watches import Watches

_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Alerts:
    """Watches, channels, and the log of deliveries."""

    transactions: AlertTransactions
    watches: Watches
    channels: Channels

    async def log(self, account_id: str) -> Sequence[LoggedDelivery]:
        """Return the account's newest deliveries, newest first."""
        async with self.transactions() as store:
            return await store.deliveries(account_id, _SHOWN)

    async def check_plan(self, account_id: str) -> None:
        """Refuse an account whose plan has no alerts.

        Raises:
            AlertsNotInPlan: It has none.
        """
        async with self.transactions() as store:
            await self.watches.require_plan(store, account_id)
