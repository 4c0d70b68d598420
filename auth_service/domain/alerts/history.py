"""Alerts of an account's watches for its connected clients, whichever channel they went to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from auth_service.domain.alerts.model import AlertId, Delivery, WatchNotFound
from auth_service.domain.alerts.ports import AlertTransactions
from auth_service.domain.alerts.watches import Watches
from servicekit.errors import InvalidInput

MAX_ALERTS: Final = 100
"""Alerts that are returned at most; the older ones are on the site."""


@dataclass(frozen=True, slots=True)
class AlertHistory:
    """The newest alerts of accounts whose plan has them."""

    transactions: AlertTransactions
    watches: Watches

    async def newest(self, account_id: str, watch_id: str | None, limit: int) -> Sequence[Delivery]:
        """Return the newest alerts of one watch, or of all with None; newest first.

        Raises:
            AlertsNotInPlan: The account's plan has no alerts.
            WatchNotFound: The account has no such watch.
            InvalidInput: The limit is not from 1 to `MAX_ALERTS`.
        """
        _check(limit)
        async with self.transactions() as store:
            await self.watches.require_plan(store, account_id)
            if watch_id is not None:
                watches = await store.watches(account_id)
                if watch_id not in {watch.watch_id for watch in watches}:
                    raise WatchNotFound
            return await store.alerts(account_id, watch_id, limit)

    async def newest_ids(self, account_id: str, limit: int) -> Sequence[AlertId]:
        """Return the ids of the newest alerts of all watches, newest first.

        Raises:
            AlertsNotInPlan: The account's plan has no alerts.
            InvalidInput: The limit is not from 1 to `MAX_ALERTS`.
        """
        _check(limit)
        async with self.transactions() as store:
            await self.watches.require_plan(store, account_id)
            return await store.alert_ids(account_id, limit)


def _check(limit: int) -> None:
    if not 1 <= limit <= MAX_ALERTS:
        raise InvalidInput(f"`limit` is from 1 to {MAX_ALERTS}.", details={"field": "limit"})
