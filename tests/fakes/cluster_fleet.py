"""Two gateways that count in a Valkey cluster, and an account on each primary."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2

from tests.fakes.gateway_ports import principal
from tests.fakes.valkey_cluster import PRIMARIES, Cluster, account_on
from tests.integration.gateway.conftest import OpenGateway, Service, until


@dataclass
class Fleet:
    """The gateways, and the accounts with their keys in the order of primaries."""

    gateways: tuple[Service, Service]
    accounts: Mapping[str, str]

    @property
    def access(self) -> Any:
        return self.gateways[0].backends.access

    async def call(self, number: int, account_id: str) -> httpx2.Response:
        """Call a tool at a gateway, by turns."""
        return await self._call(number, "category.list", account_id)

    def recorded(self, account_id: str) -> int:
        """Return the calls of an account that the ledger has."""
        entries = list(self.access.ledger.values())
        return sum(entry.cost for entry in entries if entry.account_id == account_id)

    def give(self, account_id: str, requests: int) -> None:
        """Give an account a plan of so many requests a month."""
        key = self.accounts[account_id]
        self.access.give(key, principal(account_id=account_id, monthly_requests=requests))

    async def change_plan(self, account_id: str, requests: int) -> None:
        """Give an account another plan, and wait until both gateways know it."""
        self.give(account_id, requests)

        async def is_known() -> bool:
            replies = [
                await self._call(number, "account.usage", account_id)
                for number in range(len(self.gateways))
            ]
            found = [reply.json()["result"]["structuredContent"] for reply in replies]
            return all(usage["requests_per_month"] == requests for usage in found)

        await until(is_known, 30)

    async def _call(self, number: int, tool: str, account_id: str) -> httpx2.Response:
        gateway = self.gateways[number % len(self.gateways)]
        return await gateway.call(tool, authorization=f"Bearer {self.accounts[account_id]}")


@asynccontextmanager
async def open_fleet(
    open_gateway: OpenGateway, cluster: Cluster, plan: int, **changes: Any
) -> AsyncGenerator[Fleet]:
    """Open the gateways, and wait until they count in the cluster."""
    accounts = {account_on(index): "mcp_" + str(index) * 36 for index in range(PRIMARIES)}
    async with AsyncExitStack() as stack:
        first, second = [
            await stack.enter_async_context(
                open_gateway(instance=name, valkey_url=cluster.url(), **changes)
            )
            for name in ("first", "second")
        ]
        fleet = Fleet((first, second), accounts)
        for account_id in accounts:
            fleet.give(account_id, plan)
        for service in fleet.gateways:
            await until(lambda service=service: is_ready(service), 30)
        yield fleet


async def is_ready(service: Service) -> bool:
    """Return whether a gateway counts in Valkey."""
    reply = await service.http.get("/readyz")
    return (reply.status_code, reply.json()["parts"]["valkey"]) == (200, "ok")
