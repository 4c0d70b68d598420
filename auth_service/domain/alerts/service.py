"""The use cases of alerts that the site has."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from auth_service.domain.alerts.channels import Channels
from auth_service.domain.alerts.ports import AlertTransactions, LoggedDelivery
from auth_service.domain.alerts.watches import Watches

_PAGE_SIZE: Final = 20


@dataclass(frozen=True, slots=True)
class Alerts:
    """Watches, channels, and the log of deliveries."""

    transactions: AlertTransactions
    watches: Watches
    channels: Channels

    async def logged_deliveries(
        self, account_id: str, page: int
    ) -> tuple[Sequence[LoggedDelivery], bool]:
        """Return a page of the account's deliveries and whether there are older ones; `page` counts from 0, the newest."""
        async with self.transactions() as store:
            found = await store.deliveries(account_id, _PAGE_SIZE + 1, page * _PAGE_SIZE)
        return found[:_PAGE_SIZE], len(found) > _PAGE_SIZE

    async def check_plan(self, account_id: str) -> None:
        """Refuse an account whose plan has no alerts.

        Raises:
            AlertsNotInPlan: The plan has no alerts.
        """
        async with self.transactions() as store:
            await self.watches.require_plan(store, account_id)
