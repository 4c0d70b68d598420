"""Notifications of new events of the account's watches, for `resourceSubscriptions` of a `subscriptions/listen`.

What there is to tell is in the auth service's tables, so any gateway serves any stream. A stream
stores which events it has seen, and compares: an event that is committed late is new all the same.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from gateway.authentication.principal import Principal
from gateway.domain.ports import Alerts
from gateway.mcp.errors import tool_failure
from gateway.mcp.jsonrpc import INVALID_PARAMS, ProtocolError
from gateway.mcp.results import Incoming
from gateway.quota.limiter import Quota
from gateway.resources import ALERTS, alerts_address
from gateway.tools import watches
from servicekit.errors import ServiceError, Unavailable
from shapes.alerts import AlertId, AlertIdList, WatchList

SendUpdate = Callable[[str], None]
"""Called with the address of a resource that has changed."""

_MAX_ADDRESSES: Final = 250
"""Addresses in a filter: more than a plan has watches."""

_WINDOW: Final = 100
"""The newest events that are compared."""


@dataclass(slots=True)
class AlertSubscription:
    """What a stream follows.

    Attributes:
        watches: The watches whose events are followed, by the address of the resource; None for all.
        seen: The ids of the newest events, as they were last read.
    """

    watches: dict[str, str | None]
    seen: frozenset[str] = field(default=frozenset())


class AlertNotifications:
    """Send notifications of new events.

    Args:
        alerts: The source of the events.
        quota: Limits the bursts in which streams are opened.
        poll_seconds: Time between two reads.
    """

    def __init__(self, alerts: Alerts, quota: Quota, poll_seconds: float) -> None:
        self._alerts = alerts
        self._quota = quota
        self._poll_seconds = poll_seconds

    async def agreed(self, incoming: Incoming, requested: object) -> AlertSubscription | None:
        """Return what is followed of the requested addresses, from now on; None if it is nothing.

        That is alerts of the caller's own watches, while its plan and its credential reach them.

        Raises:
            ProtocolError: It is no list of addresses, the caller requests too often, or the auth
                service does not respond.
        """
        addresses = _addresses(requested)
        principal = incoming.principal
        if not may_follow(principal) or not addresses:
            return None
        try:
            await self._quota.admit(principal, watches.list_all.name, 0)
            followed = await self._followed(principal, addresses)
            if not followed:
                return None
            return AlertSubscription(followed, _message_ids(await self._newest(principal)))
        except ServiceError as error:
            failure = tool_failure(error, "")
            raise failure.protocol_error(incoming.caller, incoming.naming) from None

    async def send(
        self, principal: Principal, subscription: AlertSubscription, send: SendUpdate
    ) -> None:
        """Send the address of each resource with new events, until cancelled or refused."""
        while True:
            await asyncio.sleep(self._poll_seconds)
            try:
                newest = await self._newest(principal)
            except Unavailable:
                continue
            except ServiceError:
                return  # The stream ends with the next verification of the caller.
            for address in _changed(subscription, newest):
                send(address)
            subscription.seen = _message_ids(newest)

    async def _followed(
        self, principal: Principal, addresses: Iterable[str]
    ) -> dict[str, str | None]:
        """Return the requested watches that are the account's."""
        arguments = {"account_id": principal.entitlements.account_id}
        own = (await self._alerts.call("ListWatches", arguments, WatchList)).watches
        known: dict[str, str | None] = {
            alerts_address(watch.watch_id): watch.watch_id for watch in own
        }
        known[ALERTS] = None
        return {address: known[address] for address in addresses if address in known}

    async def _newest(self, principal: Principal) -> Sequence[AlertId]:
        arguments = {"account_id": principal.entitlements.account_id, "limit": _WINDOW}
        return (await self._alerts.call("ListAlertIds", arguments, AlertIdList)).ids


def may_follow(principal: Principal) -> bool:
    """Return whether the plan has alerts, and the credential reaches them."""
    tool = watches.list_all
    return tool.feature in principal.entitlements.features and tool.scope in principal.scopes


def _addresses(requested: object) -> list[str]:
    """Return the addresses of a filter, each once.

    Raises:
        ProtocolError: It is no list of addresses, or too long.
    """
    if requested is None:
        return []
    items = cast("list[object]", requested) if isinstance(requested, list) else [None]
    addresses = list(dict.fromkeys(item for item in items if isinstance(item, str)))
    if not all(isinstance(item, str) for item in items):
        text = "`params.notifications.resourceSubscriptions` must be a list of addresses."
        raise ProtocolError(INVALID_PARAMS, text)
    if len(addresses) > _MAX_ADDRESSES:
        text = f"A stream follows at most {_MAX_ADDRESSES} resources."
        raise ProtocolError(INVALID_PARAMS, text)
    return addresses


def _changed(subscription: AlertSubscription, newest: Sequence[AlertId]) -> list[str]:
    """Return the addresses of the resources that have events which were not seen before."""
    new = [alert for alert in newest if alert.message_id not in subscription.seen]
    if not new:
        return []
    # A full window that is new for the most part may have pushed others out unseen.
    is_overrun = len(newest) == _WINDOW and len(new) * 2 > _WINDOW
    changed = {alert.watch_id for alert in new}
    return [
        address
        for address, watch_id in subscription.watches.items()
        if is_overrun or watch_id is None or watch_id in changed
    ]


def _message_ids(alerts: Iterable[AlertId]) -> frozenset[str]:
    return frozenset(alert.message_id for alert in alerts)
