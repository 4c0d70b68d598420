"""What connected clients are told of: the newest events of an account's watches, whichever channel they go to."""

from __future__ import annotations

import asyncio
import json

import pytest

from protos.alerts.v1 import alerts_pb2 as pb
from servicekit.errors import InvalidInput, NotFound, PermissionDenied
from servicekit.grpc import client as grpc_client
from tests.integration.auth_service.alerts import Alerts
from tests.integration.auth_service.test_alerts import alerts
from tests.integration.auth_service.test_alerts_access import account_id, create

__all__ = ["alerts"]


async def ids(alerts: Alerts, account: str, limit: int = 100) -> list[pb.AlertId]:
    request = pb.ListAlertIdsRequest(account_id=account, limit=limit)
    return list((await grpc_client.call(alerts.stub.ListAlertIds, request, timeout=10)).ids)


async def history(
    alerts: Alerts, account: str, watch_id: str = "", limit: int = 100
) -> list[pb.Alert]:
    request = pb.ListAlertsRequest(account_id=account, watch_id=watch_id, limit=limit)
    return list((await grpc_client.call(alerts.stub.ListAlerts, request, timeout=10)).alerts)


async def until_there_are(alerts: Alerts, account: str, count: int) -> list[pb.AlertId]:
    async with asyncio.timeout(20):
        while True:
            found = await ids(alerts, account)
            if len(found) >= count:
                return found
            await asyncio.sleep(0.05)


async def test_events_are_listed_newest_first_though_their_digest_is_not_due(
    alerts: Alerts,
) -> None:
    account = await account_id(alerts.service, await alerts.service.account())
    brand = await create(alerts, account)
    other = await create(alerts, account, subject="brightmeal")
    await alerts.sponsored()
    await alerts.sponsored("brightmeal")
    found = await until_there_are(alerts, account, 2)
    assert [item.watch_id for item in found] == [other.watch_id, brand.watch_id]
    listed = await history(alerts, account)
    assert [item.message_id for item in listed] == [item.message_id for item in found]
    newest, oldest = listed
    assert newest.text.startswith("BrightMeal sponsors Ada")
    assert json.loads(oldest.data_json)["video"]["title"] == "v0"
    assert await history(alerts, account, brand.watch_id) == [oldest]
    assert await history(alerts, account, limit=1) == [newest]


async def test_nobody_reads_anothers_events(alerts: Alerts) -> None:
    owner = await account_id(alerts.service, await alerts.service.account())
    other = await account_id(alerts.service, await alerts.service.account())
    watch = await create(alerts, owner)
    await alerts.sponsored()
    await until_there_are(alerts, owner, 1)
    assert await ids(alerts, other) == []
    assert await history(alerts, other) == []
    with pytest.raises(NotFound):
        await history(alerts, other, watch.watch_id)


async def test_a_plan_without_alerts_reads_none(alerts: Alerts) -> None:
    account = await account_id(alerts.service, await alerts.service.account(plan="free"))
    for read in (ids, history):
        with pytest.raises(PermissionDenied, match="has no alerts"):
            await read(alerts, account)


@pytest.mark.parametrize("limit", [0, 101])
async def test_a_limit_out_of_bounds_is_refused(alerts: Alerts, limit: int) -> None:
    account = await account_id(alerts.service, await alerts.service.account())
    for refused in (ids(alerts, account, limit), history(alerts, account, limit=limit)):
        with pytest.raises(InvalidInput, match="limit"):
            await refused
