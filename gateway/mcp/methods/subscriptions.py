"""`subscriptions/listen`: a stream of notifications of a client's list of tools, its tasks and its alerts.

That is all that changes while a gateway runs: an account's plan, and with it the tools that it has,
the work that it has started, and the events of its watches. Prompts, other resources and all lists of
them change with a release only, so subscriptions to them are not agreed to. The stream verifies the
caller every few seconds; so nothing is stored between requests, and the stream of a revoked
credential ends.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import msgspec

from gateway.authentication.principal import Principal
from gateway.mcp.jsonrpc import INVALID_PARAMS, INVALID_REQUEST, Id, ProtocolError
from gateway.mcp.methods.alert_notifications import (
    AlertNotifications,
    AlertSubscription,
    may_follow,
)
from gateway.mcp.methods.task_notifications import TaskNotifications
from gateway.mcp.progress import Notify
from gateway.mcp.results import Incoming, Result
from gateway.mcp.transport.http import Request
from servicekit.errors import Unauthenticated, Unavailable

META_SUBSCRIPTION: Final = "io.modelcontextprotocol/subscriptionId"
_FILTERS: Final = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")
_TOO_MANY: Final = 429


@dataclass(frozen=True, slots=True)
class SubscriptionPolicy:
    """Bounds of the streams.

    Attributes:
        poll_seconds: Time between two verifications of the caller.
        per_account: Streams that an account without a limit of its own may have at one gateway.
    """

    poll_seconds: float
    per_account: int


@dataclass(frozen=True, slots=True)
class _Agreement:
    """What a stream follows: changes of the list of tools, tasks, and alerts."""

    tools: bool
    task_ids: tuple[str, ...]
    alerts: AlertSubscription | None

    @property
    def filter(self) -> dict[str, object]:
        """The filter that is acknowledged."""
        found: dict[str, object] = {"toolsListChanged": True} if self.tools else {}
        if self.task_ids:
            found["taskIds"] = self.task_ids
        if self.alerts is not None:
            found["resourceSubscriptions"] = list(self.alerts.watches)
        return found


class Subscriptions:
    """Notify clients until they disconnect, their credential ends, or the gateway stops."""

    def __init__(
        self,
        verify: Callable[[Request], Awaitable[Principal]],
        policy: SubscriptionPolicy,
        notifications: TaskNotifications,
        alerts: AlertNotifications,
    ) -> None:
        self._verify = verify
        self._policy = policy
        self._notifications = notifications
        self._alerts = alerts
        self._streams = Counter[str]()
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """End all streams as the protocol requires, and every one that is opened later."""
        self._stopping.set()

    async def listen(self, incoming: Incoming) -> Result:
        """Return the result of `subscriptions/listen` at the end of the stream.

        Raises:
            ProtocolError: The filter is malformed, names tasks without their extension, no
                stream is accepted, or there are too many.
        """
        requested = _filter(incoming.message.params.get("notifications"))
        agreed = await self._agreed(incoming, requested)
        notify = incoming.notify
        if notify is None:
            raise ProtocolError(
                INVALID_REQUEST,
                "subscriptions/listen answers with a stream: send the header "
                "`Accept: application/json, text/event-stream`.",
            )
        entitlements = incoming.principal.entitlements
        account = entitlements.account_id
        if self._streams[account] >= (entitlements.concurrent_streams or self._policy.per_account):
            text = f"This account has {self._streams[account]} streams open. Close one of them."
            raise ProtocolError(_TOO_MANY, text, status=200)
        self._streams[account] += 1
        try:
            await self._follow(incoming, notify, agreed)
        finally:
            self._streams[account] -= 1
            if not self._streams[account]:
                del self._streams[account]
        return Result({"_meta": _tag(cast("Id", incoming.message.id))})

    async def _agreed(self, incoming: Incoming, requested: Mapping[str, Any]) -> _Agreement:
        """Return what the stream follows of a filter."""
        return _Agreement(
            tools=requested.get(_FILTERS[0], False),
            task_ids=await self._notifications.agreed(incoming, requested.get("taskIds")),
            alerts=await self._alerts.agreed(incoming, requested.get("resourceSubscriptions")),
        )

    async def _follow(self, incoming: Incoming, notify: Notify, agreed: _Agreement) -> None:
        tag = _tag(cast("Id", incoming.message.id))
        accepted = {"_meta": tag, "notifications": agreed.filter}
        notify(_notification("subscriptions/acknowledged", accepted))

        def send_task(task: Mapping[str, object]) -> None:
            notify(_notification("tasks", {"_meta": tag, **task}))

        def send_update(uri: str) -> None:
            notify(_notification("resources/updated", {"_meta": tag, "uri": uri}))

        principal = incoming.principal
        while True:
            async with asyncio.TaskGroup() as group:
                sending = [
                    group.create_task(
                        self._notifications.send(principal, agreed.task_ids, send_task)
                    )
                ]
                if agreed.alerts is not None:
                    following = self._alerts.send(principal, agreed.alerts, send_update)
                    sending.append(group.create_task(following))
                changed = await self._changed(principal, incoming.request)
                for task in sending:
                    task.cancel()
            if changed is None:
                return
            principal = changed
            if agreed.tools:
                notify(_notification("tools/list_changed", {"_meta": tag}))
            if agreed.alerts is not None and not may_follow(principal):
                return

    async def _changed(self, principal: Principal, request: Request) -> Principal | None:
        """Return the caller once the plan has other features; None when the stream has to end."""
        while not await self._waits_for_stop():
            try:
                current = await self._verify(request)
            except Unauthenticated:
                return None
            except Unavailable:
                continue
            if current.entitlements.features != principal.entitlements.features:
                return current
        return None

    async def _waits_for_stop(self) -> bool:
        """Wait until the next poll; return whether the gateway stops before it."""
        try:
            await asyncio.wait_for(self._stopping.wait(), self._policy.poll_seconds)
        except TimeoutError:
            return False
        return True


def _filter(requested: object) -> dict[str, Any]:
    """Return the filter that a client requests.

    Raises:
        ProtocolError: It is no filter.
    """
    if not isinstance(requested, dict):
        raise ProtocolError(INVALID_PARAMS, "`params.notifications` must be an object.")
    filters = cast("dict[str, Any]", requested)
    for name in _FILTERS:
        if not isinstance(filters.get(name, False), bool):
            raise ProtocolError(INVALID_PARAMS, f"`params.notifications.{name}` must be a boolean.")
    return filters


def _tag(request_id: Id) -> dict[str, object]:
    return {META_SUBSCRIPTION: request_id}


def _notification(method: str, params: Mapping[str, object]) -> bytes:
    return msgspec.json.encode(
        {"jsonrpc": "2.0", "method": f"notifications/{method}", "params": params}
    )
