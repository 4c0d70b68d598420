"""The operator's page: the state of the deployment, part by part."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from types import SimpleNamespace
from typing import Any, cast

import grpc.aio
import psycopg
import pytest
import redis.asyncio as redis

from auth_service import app
from auth_service.domain.operator_overview.model import FailureCount, Process, TopAccount
from auth_service.domain.operator_overview.service import OperatorOverview
from auth_service.settings import AuthSettings
from devstack.ports import free_port
from import_worker.domain.imports import ChannelUnderWay
from protos.auth.v1 import auth_pb2 as auth_pb
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.grpc import server as grpc_server
from servicekit.grpc.operators import OperatorCheck
from servicekit.observability import process_reports
from servicekit.observability.failure_reports import FailureReporter
from servicekit.settings import GrpcServerSettings
from tests.clients.person import Person
from tests.fakes.peers import GRPC_TOKEN
from tests.integration.auth_service.conftest import TOKEN, Service, running

OPENING: Any = redis.Redis
CREATED = "2026-11-21T12:00:00Z"


@dataclass(slots=True)
class Worker:
    """An import worker with one import under way and a failed one."""

    changes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    is_away: bool = False
    check: OperatorCheck = field(default_factory=lambda: OperatorCheck(TOKEN))

    async def GetOverview(self, _request: Any, context: Any) -> pb.ImportOverview:  # noqa: N802
        self.check.authorize(context)
        if self.is_away:
            await asyncio.sleep(30)
        return pb.ImportOverview(
            queued=1,
            running=2,
            waiting=3,
            failed=1_204,
            under_way=[self._import("imp_a", "running")],
            failures=[self._import("imp_b", "failed")],
            units_used=7_500,
            units_allowed=10_000,
            coverage=[pb.DetectorCoverage(version="2.2.0", videos=3)],
            followed=pb.FollowedChannels(
                channels=2_345, due=17, unchecked=4, refreshes_due=3, begun=61
            ),
        )

    async def CancelAnyImport(self, request: Any, context: Any) -> pb.OperatedImport:  # noqa: N802
        self.check.authorize(context)
        self.changes.append(("cancel", request.import_id))
        return self._import(request.import_id, "cancelled")

    async def RetryAnyImport(self, request: Any, context: Any) -> pb.OperatedImport:  # noqa: N802
        self.check.authorize(context)
        if request.import_id == "imp_a":
            raise ChannelUnderWay("imp_c")
        self.changes.append(("retry", request.import_id))
        return self._import(request.import_id, "queued")

    def _import(self, import_id: str, state: str) -> pb.OperatedImport:
        return pb.OperatedImport(
            import_id=import_id,
            channel_id="UCx",
            channel_title="<b>A lake</b>",
            state=state,
            message="Reading.",
            videos_seen=50,
            account_id="acc_7",
            accounts=2,
            created_at=CREATED,
        )

    def register(self, server: grpc.aio.Server) -> str:
        names = ("GetOverview", "CancelAnyImport", "RetryAnyImport")
        methods = {name: getattr(self, name) for name in names}
        pb_grpc.add_ImportOperationsServicer_to_server(
            cast("Any", SimpleNamespace(**methods)), server
        )
        return "sponsorgraph.imports.v1.ImportOperations"


@pytest.fixture
async def worker() -> AsyncGenerator[tuple[Worker, str]]:
    made, port = Worker(), free_port()
    settings = GrpcServerSettings(grpc_port=port, grpc_token=GRPC_TOKEN)
    async with grpc_server.serve_grpc(settings, made.register):
        yield made, f"127.0.0.1:{port}"


@pytest.fixture
async def site(
    auth_settings: AuthSettings, worker: tuple[Worker, str]
) -> AsyncGenerator[tuple[Service, Worker]]:
    port = free_port()
    changed = {
        "imports_target": worker[1],
        "http_port": port,
        "site_url": f"http://127.0.0.1:{port}",
    }
    async with running(auth_settings.model_copy(update=changed)) as opened:
        yield opened, worker[0]


async def operator_of(service: Service) -> Person:
    person = await service.person()
    request = auth_pb.SetOperatorRequest(email=person.email, operator=True)
    await service.operate(service.operations.SetOperator, request)
    return person


async def test_the_queue_the_units_and_the_coverage_are_shown(
    site: tuple[Service, Worker],
) -> None:
    person = await operator_of(site[0])
    page = (await person.visit("/operator")).text
    for text in (
        "1,204",
        "2,345",
        "7,500",
        "2,500",
        "imp_a",
        "acc_7",
        "and 1 more",
        "2.2.0",
        "(100 %)",
    ):
        assert text in page, text
    assert "&lt;b&gt;A lake&lt;/b&gt;" in page


async def test_an_import_is_cancelled_and_retried_by_button(site: tuple[Service, Worker]) -> None:
    service, worker = site
    person = await operator_of(service)
    await person.visit("/operator")
    await person.submit("/operator/imports/cancel")
    await person.visit("/operator")
    response = await person.submit("/operator/imports/retry")
    assert response.url.path == "/operator"
    assert worker.changes == [("cancel", "imp_a"), ("retry", "imp_b")]
    await person.visit("/operator")
    refused = await person.submit("/operator/imports/retry", import_id="imp_a")
    assert refused.status_code == 409
    assert "Another import of the same channel is under way: imp_c" in refused.text


@pytest.mark.parametrize("path", ["/operator/imports/cancel", "/operator/imports/retry"])
async def test_imports_of_others_are_changed_by_operators_with_a_form_of_theirs_alone(
    site: tuple[Service, Worker], path: str
) -> None:
    service, worker = site
    person = await operator_of(service)
    forged = await person.client.post(path, data={"import_id": "imp_a", "csrf": "x"})
    assert forged.status_code == 403
    other = await service.person()
    await other.visit("/account/settings")
    csrf = dict(other.form("/account/settings/password").fields)["csrf"]
    unknown = await other.client.post(path, data={"import_id": "imp_a", "csrf": csrf})
    assert unknown.status_code == 404
    assert worker.changes == []


async def test_a_worker_that_does_not_respond_costs_its_own_part_alone(
    site: tuple[Service, Worker],
) -> None:
    service, worker = site
    person = await operator_of(service)
    worker.is_away = True
    begun = time.monotonic()
    page = await person.visit("/operator")
    assert time.monotonic() - begun < 5
    assert page.status_code == 200
    assert page.text.count("This part cannot be shown.") == 1
    assert person.email in page.text


async def reporting_services(valkey: Any) -> set[str]:
    reports = (await valkey.hgetall(process_reports.KEY)).values()
    return {json.loads(report)["service"] for report in reports}


async def test_processes_show_life_or_are_missed(service: Service) -> None:
    valkey = OPENING.from_url(service.settings.valkey_url)
    silent: dict[str, Any] = {
        "service": "gateway",
        "instance": "host:1",
        "version": "0.0.9",
        "started_at": time.time() - 900,
        "seen_at": time.time() - 300,
        "facts": {},
    }
    forgotten: dict[str, Any] = {**silent, "instance": "host:2", "seen_at": time.time() - 9_000}
    for report in (silent, forgotten):
        await valkey.hset(process_reports.KEY, report["instance"], json.dumps(report))
    person = await operator_of(service)
    async with process_reports.reporting(valkey, "import_jobs", {"detector": "2.2.0"}):
        async with asyncio.timeout(10):
            while not {"auth_service", "import_jobs"} <= await reporting_services(valkey):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        page = (await person.visit("/operator")).text
    assert "No process of <code>gateway</code> shows life." in page
    assert "No process of <code>auth_service</code>" not in page
    assert "No process of <code>import_jobs</code>" not in page
    assert "detector 2.2.0" in page
    assert "host:1" in page
    assert "host:2" not in page
    assert "import_jobs" not in str(await valkey.hgetall(process_reports.KEY))
    await valkey.hdel(process_reports.KEY, "host:1")
    await valkey.aclose()


async def test_failed_calls_of_the_day_and_top_accounts_are_shown(service: Service) -> None:
    person = await operator_of(service)
    valkey = OPENING.from_url(service.settings.valkey_url)
    counts = {("sponsor.search", "invalid_input"): 41}
    reporter = FailureReporter(valkey, lambda: counts)
    await reporter.report()
    counts = {("sponsor.search", "invalid_input"): 1_041, ("", "-32700"): 2}
    await reporter.report()
    await reporter.report()
    with psycopg.connect(service.settings.database_url) as connection:
        connection.execute(
            "INSERT INTO usage_daily (account_id, day, tool, credential_id, requests) "
            "SELECT id, (now() AT TIME ZONE 'UTC')::date, 'sponsor.top', 'key_x', 98765432 "
            "FROM accounts WHERE email = %s",
            (person.email,),
        )
    page = (await person.visit("/operator")).text
    for text in ("1,041", "invalid_input", "-32700", "no tool", "98,765,432"):
        assert text in page, text
    await valkey.aclose()


class Broken:
    """Nothing of it works, or in time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    async def _fail(self) -> Any:
        await asyncio.sleep(self.seconds)
        raise ConnectionError

    async def processes(self, now: datetime) -> Sequence[Process]:
        del now
        return await self._fail()

    async def failures(self) -> Sequence[FailureCount]:
        return await self._fail()

    async def last_backup(self) -> datetime | None:
        return await self._fail()

    async def top(self, first: date, limit: int) -> Sequence[TopAccount]:
        del first, limit
        return await self._fail()


@pytest.mark.parametrize(("seconds", "words"), [(0, "cannot be read now"), (30, "within 0.05 s")])
async def test_each_part_says_why_it_is_not_there(seconds: float, words: str) -> None:
    reported: list[str] = []
    broken = Broken(seconds)
    overview = await OperatorOverview(
        broken, None, broken, app.now, lambda part, _: reported.append(part), 0.05
    ).overview()
    parts = (overview.processes, overview.backup, overview.top_accounts, overview.failures)
    assert all(part.value is None and words in part.problem for part in parts)
    assert "AUTH_IMPORTS_TARGET" in overview.imports.problem
    assert len(reported) == 5
