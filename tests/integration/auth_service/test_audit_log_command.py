"""`sponsorgraph audit-log` against a running auth service."""

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest
from typer.testing import CliRunner, Result

from cli.__main__ import cli
from protos.auth.v1 import auth_pb2 as pb
from tests.fakes.peers import TOKEN as GRPC_TOKEN
from tests.integration.auth_service.conftest import TOKEN, Service

Run = Callable[..., Awaitable[Result]]


@pytest.fixture
def run(service: Service) -> Run:
    async def invoke(*arguments: str, token: str = TOKEN) -> Result:
        environment = {
            "SPONSORGRAPH_AUTH_GRPC": service.target,
            "SPONSORGRAPH_OPERATOR_TOKEN": token,
            "SPONSORGRAPH_GRPC_TOKEN": GRPC_TOKEN,
            "COLUMNS": "200",
        }
        command = ["audit-log", *arguments]
        return await asyncio.to_thread(CliRunner().invoke, cli, command, env=environment)

    return invoke


async def test_an_operator_lists_the_newest_events_of_an_account(
    run: Run, service: Service
) -> None:
    email = await service.account()
    request = pb.SetPlanRequest(email=email, plan="free")
    await service.operate(service.operations.SetPlan, request)

    events = json.loads((await run("--email", email, "--json")).output)
    assert [event["event"] for event in events] == ["plan_changed", "account_created"]
    newest = json.loads((await run("--email", email, "--json", "--limit", "1")).output)
    assert newest == events[:1]
    table = (await run("--email", email)).output
    assert "plan_changed" in table
    assert events[0]["account_id"] in table


async def test_an_operator_lists_the_events_of_all_accounts(run: Run, service: Service) -> None:
    for _ in range(2):
        await service.account()
    events = json.loads((await run("--json", "--limit", "2")).output)
    assert len({event["account_id"] for event in events}) == 2


async def test_others_are_refused_in_a_line(run: Run) -> None:
    refused = await run(token="wrong")
    assert refused.exit_code == 1
    assert "operators' token" in refused.output
