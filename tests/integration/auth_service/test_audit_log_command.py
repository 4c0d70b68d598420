"""`sponsorgraph audit-log` against a running auth service."""

from collections.abc import Awaitable, Callable

import pytest
from typer.testing import Result

from protos.auth.v1 import auth_pb2 as pb
from tests.integration.auth_service.conftest import TOKEN, Service
from tests.integration.auth_service.operator_command import OperatorCommand, json_of

Run = Callable[..., Awaitable[Result]]


@pytest.fixture
def run(service: Service) -> Run:
    async def invoke(*arguments: str, token: str = TOKEN) -> Result:
        return await OperatorCommand(service).run("audit-log", *arguments, token=token)

    return invoke


async def test_an_operator_lists_the_newest_events_of_an_account(
    run: Run, service: Service
) -> None:
    email = await service.account()
    request = pb.SetPlanRequest(email=email, plan="free")
    await service.operate(service.operations.SetPlan, request)

    events = json_of(await run("--email", email, "--json"))
    assert [event["event"] for event in events] == ["plan_changed", "account_created"]
    newest = json_of(await run("--email", email, "--json", "--limit", "1"))
    assert newest == events[:1]
    table = (await run("--email", email)).output
    assert "plan_changed" in table
    assert events[0]["account_id"] in table


async def test_an_operator_pages_back_to_the_oldest_event(run: Run, service: Service) -> None:
    email = await service.account()
    for _ in range(4):
        await service.operate(
            service.operations.SetPlan, pb.SetPlanRequest(email=email, plan="free")
        )
    whole = json_of(await run("--email", email, "--json"))
    assert len(whole) == 5

    pages = [json_of(await run("--email", email, "--json", "--limit", "2"))]
    while len(pages[-1]) == 2:
        before = str(pages[-1][-1]["id"])
        options = ("--email", email, "--json", "--limit", "2", "--before", before)
        pages.append(json_of(await run(*options)))
    assert [event for page in pages for event in page] == whole
    assert [event["id"] for event in whole] == sorted(
        (event["id"] for event in whole), reverse=True
    )


async def test_a_full_page_says_how_to_go_on_and_the_last_one_does_not(
    run: Run, service: Service
) -> None:
    email = await service.account()
    await service.operate(service.operations.SetPlan, pb.SetPlanRequest(email=email, plan="free"))
    newest, oldest = json_of(await run("--email", email, "--json"))
    full = (await run("--email", email, "--limit", "1")).output
    assert f"--before {newest['id']}" in full
    last = await run("--email", email, "--before", str(newest["id"]))
    assert str(oldest["id"]) in last.output
    assert "--before" not in last.output


@pytest.mark.parametrize("option", [("--limit", "0"), ("--limit", "101"), ("--before", "0")])
async def test_options_out_of_range_are_refused(run: Run, option: tuple[str, str]) -> None:
    refused = await run(*option)
    assert refused.exit_code == 2
    assert option[0] in refused.output


async def test_help_shows_how_to_page(run: Run) -> None:
    assert "--before 1204" in (await run("--help")).output


async def test_an_operator_lists_the_events_of_all_accounts(run: Run, service: Service) -> None:
    for _ in range(2):
        await service.account()
    events = json_of(await run("--json", "--limit", "2"))
    assert len({event["account_id"] for event in events}) == 2


async def test_others_are_refused_in_a_line(run: Run) -> None:
    refused = await run(token="wrong")
    assert refused.exit_code == 1
    assert "operators' token" in refused.output
