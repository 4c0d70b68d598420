"""The use cases of alerts that the site has."""

from collections.abc import Sequence
from dataclasses import dataclass

from auth_service.domain.alerts.channels import Channels
from auth_service.domain.alerts.ports import AlertTransactions, LoggedDelivery
from auth_service.domain.alerts.watches import Watches

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Alerts:
    """Watches, channels, and the log of deliveries."""

    transactions: AlertTransactions
    watches: Watches
    channels: Channels

    async def log(self, account_id: str, page: int) -> tuple[Sequence[LoggedDelivery], bool]:
        """Return a page of the account's deliveries, the newest first, and whether there are older ones."""
        async with self.transactions() as store:
            found = await store.deliveries(account_id, _SHOWN + 1, page * _SHOWN)
        return found[:_SHOWN], len(found) > _SHOWN

    async def check_plan(self, account_id: str) -> None:
        """Refuse an account whose plan has no alerts.

        Raises:
            AlertsNotInPlan: It has none.
        """
        async with self.transactions() as store:
            await self.watches.require_plan(store, account_id)
