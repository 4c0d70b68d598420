"""How many channels accounts follow, which the import worker is told when accounts change."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from auth_service import app
from auth_service.clients.follows import GrpcFollowLimitWorker
from auth_service.domain.follow_limits import ChangedAccounts, ChangePublisher, FollowLimits
from auth_service.domain.plans import DEFAULT_PLANS
from auth_service.settings import AuthSettings
from auth_service.storage.site.store import PostgresSiteStore
from auth_service.storage.store import transactions
from devstack.ports import free_port
from protos.auth.v1 import auth_pb2, auth_pb2_grpc
from protos.imports.v1 import imports_pb2 as pb
from servicekit.errors import Unavailable
from servicekit.grpc import client as grpc_client
from tests.fakes.peers import CREDENTIALS
from tests.integration.auth_service.conftest import Service, running
from tests.integration.auth_service.fake_import_worker import Worker, serving

PLANS = {plan.plan_id: plan for plan in DEFAULT_PLANS}
SMALL = {**PLANS, "creator": replace(PLANS["creator"], followed_channels=2)}


@pytest.fixture
async def worker() -> AsyncGenerator[tuple[Worker, str]]:
    made = Worker()
    async with serving(made) as address:
        yield made, address


@pytest.fixture
async def limits(
    auth_settings: AuthSettings, worker: tuple[Worker, str]
) -> AsyncGenerator[FollowLimits]:
    """Limits on the database of the service, which itself has no import worker."""
    engine = create_async_engine(auth_settings.database_url)
    opened = transactions(engine, PostgresSiteStore)
    failures: list[str] = []
    async with grpc_client.open_channel(worker[1], credentials=CREDENTIALS) as channel:
        port = GrpcFollowLimitWorker(channel)
        yield FollowLimits(opened, port, SMALL, app.now, ChangedAccounts(), failures.append)
    assert failures == []
    await engine.dispose()


def follows(count: int, state: str = "active") -> list[pb.Follow]:
    return [pb.Follow(channel_id=f"UC{number:022}", state=state) for number in range(count)]


def account_id(service: Service, email: str) -> str:
    with psycopg.connect(service.settings.database_url) as connection:
        row = connection.execute("SELECT id FROM accounts WHERE email = %s", [email]).fetchone()
    assert row is not None
    return row[0]


async def accounts(service: Service, plan: str, count: int = 1) -> list[str]:
    return [account_id(service, await service.account(plan)) for _ in range(count)]


async def disable(service: Service, email: str) -> None:
    request = auth_pb2.SetDisabledRequest(email=email, disabled=True)
    await service.operate(service.operations.SetDisabled, request)


async def delete(service: Service, email: str) -> None:
    async with grpc_client.open_channel(service.target, credentials=CREDENTIALS) as channel:
        operations: Any = auth_pb2_grpc.AccountOperationsStub(channel)
        request = auth_pb2.AccountByEmailRequest(email=email)
        await service.operate(operations.DeleteAccount, request)


async def test_a_comparison_pauses_resumes_and_removes_what_was_missed(
    service: Service, limits: FollowLimits, worker: tuple[Worker, str]
) -> None:
    (creator,) = await accounts(service, "creator")
    (free,) = await accounts(service, "free")
    email = await service.account("creator")
    disabled = account_id(service, email)
    await disable(service, email)
    (back,) = await accounts(service, "creator")
    gone = f"acc_{secrets.token_hex(8)}"
    worker[0].follows = {
        creator: follows(3),
        free: follows(1),
        disabled: follows(1),
        back: follows(1, "paused"),
        gone: follows(2),
        "operator": follows(9),
    }
    assert await limits.reconcile() == 5
    assert dict(worker[0].limits) == {creator: 2, free: 0, disabled: 0, back: 2, gone: None}
    worker[0].limits.clear()
    assert await limits.reconcile() == 0
    assert worker[0].limits == []
    assert len(worker[0].follows["operator"]) == 9


async def test_a_comparison_goes_through_more_accounts_than_a_batch_has(
    limits: FollowLimits, worker: tuple[Worker, str]
) -> None:
    worker[0].follows = {f"gone_{number:04}": follows(1) for number in range(1_001)}
    assert await limits.reconcile() == 1_001
    assert worker[0].follows == {}


async def test_accounts_that_changed_are_sent_until_the_worker_responds(
    service: Service, limits: FollowLimits, worker: tuple[Worker, str]
) -> None:
    (creator,) = await accounts(service, "creator")
    limits.changed.add(creator, "gone")
    worker[0].away = Unavailable("It does not respond.")
    with pytest.raises(Unavailable):
        await limits.send_changed()
    worker[0].away = None
    await limits.send_changed()
    assert dict(worker[0].limits) == {creator: 2, "gone": None}
    worker[0].limits.clear()
    await limits.send_changed()
    assert worker[0].limits == []


async def test_an_announcement_of_an_account_is_a_change_and_of_a_credential_is_not() -> None:
    class Published:
        def __init__(self) -> None:
            self.reasons: list[str] = []

        async def announce(
            self, account_id: str, reason: str, *, credential_id: str | None = None
        ) -> None:
            self.reasons.append(f"{account_id} {reason} {credential_id}")

    published, changed = Published(), ChangedAccounts()
    publisher = ChangePublisher(published, changed)
    await publisher.announce("ann", "plan_changed")
    await publisher.announce("bob", "key_revoked", credential_id="key_1")
    await publisher.announce("org", "account_disabled", credential_id="grant_1")
    assert len(published.reasons) == 3
    assert changed.take() == ["ann"]
    assert changed.take() == []


async def changed_to(worker: Worker, account_id: str, limit: int | None) -> None:
    """Wait until the worker was told of a limit."""
    async with asyncio.timeout(10):
        while (account_id, limit) not in worker.limits:  # noqa: ASYNC110 - of the service's job
            await asyncio.sleep(0.02)


async def test_an_account_that_leaves_comes_back_and_is_deleted_has_its_limit_sent(
    auth_settings: AuthSettings,
    worker: tuple[Worker, str],
) -> None:
    port = free_port()
    changes = {
        "http_port": port,
        "site_url": f"http://127.0.0.1:{port}",
        "imports_target": worker[1],
    }
    async with running(auth_settings.model_copy(update=changes)) as service:
        email = await service.account("creator")
        account = account_id(service, email)
        worker[0].follows[account] = follows(1)
        await service.set_plan(email, "free")
        await changed_to(worker[0], account, 0)
        await service.set_plan(email, "creator_agent")
        await changed_to(worker[0], account, 2_000)
        await disable(service, email)
        worker[0].limits.clear()
        await service.operate(
            service.operations.SetDisabled,
            auth_pb2.SetDisabledRequest(email=email, disabled=False),
        )
        await changed_to(worker[0], account, 2_000)
        await delete(service, email)
        await changed_to(worker[0], account, None)
