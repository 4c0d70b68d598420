"""Webhooks while the sender, Postgres, the catalogue and the receiver are killed in turn."""

from __future__ import annotations

import asyncio
import json
import secrets
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from standardwebhooks.webhooks import Webhook

from devstack.ports import free_port
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc
from servicekit.errors import ServiceError
from servicekit.grpc import client as grpc_client
from tests.clients.person import PASSWORD, Person
from tests.fakes.webhook_receiver import read
from tests.faults.reliability import IS_WHOLE
from tests.faults.services import Running, until
from tests.integration.auth_service.alerts import add_channel, add_watch, ago
from tests.integration.catalog_service.example import claim, sponsor, video, youtuber

pytestmark = [pytest.mark.timeout(400)]

MORE = {"AUTH_ALERT_RETRY_SECONDS": json.dumps([0.5] * 50)}
ROUNDS = 2 if IS_WHOLE else 1
KILLED = ("auth_service", "receiver", "postgres", "catalog_service")
BRAND = "alerts-of-faults"


class Receiver:
    """A receiver in a process of its own, on the same port after each start."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = ["-m", "tests.fakes.webhook_receiver", str(self.port), str(self.path)]
        self.process = subprocess.Popen([sys.executable, *command])

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(30)

    def keys(self) -> list[str]:
        """Return the videos of the requests, in the order in which they came."""
        return [request.json["data"]["video"]["title"] for request in read(self.path)]


async def ingest(stack: Running, items: list[pb.IngestItem]) -> None:
    """Have the catalogue take facts, again and again until it answers; that changes nothing twice."""

    async def requests() -> AsyncIterator[pb.IngestRequest]:
        yield pb.IngestRequest(items=items)

    address, credentials = stack.addresses.catalog_grpc, stack.credentials
    while True:
        async with grpc_client.open_channel(address, credentials=credentials) as channel:
            stub = catalog_pb2_grpc.CatalogStub(channel)
            try:
                reply = await grpc_client.call(stub.Ingest, requests(), timeout=10)
            except ServiceError:
                await asyncio.sleep(0.2)
                continue
        assert not reply.rejected
        return


@asynccontextmanager
async def killed_in_turn(stack: Running, receiver: Receiver) -> AsyncGenerator[list[str]]:
    """Kill each in turn, so many rounds; the block ends when they are done."""
    kills: list[str] = []

    async def kill() -> None:
        for name in KILLED * ROUNDS:
            await asyncio.sleep(1.0)
            if name == "receiver":
                receiver.kill()
                await asyncio.sleep(1.0)
                receiver.start()
            else:
                before = stack.pid(name)
                async with stack.away(name):
                    await asyncio.sleep(0.5)
                await stack.come_back(name, before)
            kills.append(name)

    task = asyncio.create_task(kill())
    try:
        yield kills
        await task
    finally:
        task.cancel()


async def test_every_event_arrives_in_order_and_none_is_invented(
    stack: Running, tmp_path: Path
) -> None:
    receiver = Receiver(tmp_path / "received.jsonl")
    receiver.start()
    email = f"{secrets.token_hex(6)}@example.com"
    await asyncio.to_thread(stack.operations.create_account, email, "creator", PASSWORD)
    base = [sponsor(BRAND, "Alerts of Faults", "alerts.example", "vpn"), youtuber("f", "Faults")]
    await ingest(stack, base)
    async with Person(stack.site_url) as person:
        await person.log_in(email, PASSWORD)
        url = f"http://127.0.0.1:{receiver.port}/hook"
        secret = await add_channel(person, "webhook", target=url)
        await add_watch(person, BRAND)
    expected: list[str] = []
    paid = claim(BRAND, "paid_sponsorship", 0.9)
    async with killed_in_turn(stack, receiver) as kills:
        while len(kills) < len(KILLED) * ROUNDS:
            key = f"fault-{len(expected)}"
            await ingest(stack, [video(key, "f", ago(2), 10, paid, title=key)])
            expected.append(key)
            await asyncio.sleep(0.05)

    async def have_all_arrived() -> bool:
        return set(receiver.keys()) >= set(expected)

    try:
        await until(have_all_arrived, "not every event arrived")
    finally:
        receiver.kill()
    arrived = receiver.keys()
    assert list(dict.fromkeys(arrived)) == expected
    requests = read(receiver.path)
    ids = {request.headers["webhook-id"]: request.json["event_id"] for request in requests}
    assert len(ids) == len(set(ids.values())) == len(expected)
    for request in requests[-20:]:  # older ones are out of the time that receivers take
        Webhook(secret).verify(request.body, request.headers)
    repeated = len(arrived) - len(expected)
    print(f"{len(expected)} events, {repeated} repeated, {len(kills)} kills")  # noqa: T201 - a figure for people
