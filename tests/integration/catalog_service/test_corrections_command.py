"""`sponsorgraph corrections` against a running catalog service."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from cli.commands.corrections import app
from cli.commands.review import review
from tests.fakes.peers import TOKEN
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import OPERATOR_TOKEN, Catalog
from tests.integration.catalog_service.test_reports import (
    claims,
    report,
)

Run = Callable[..., Awaitable[Result]]
review_app = typer.Typer()
review_app.command()(review)


@pytest.fixture
async def run(empty_catalog: Catalog) -> Run:
    await empty_catalog.ingest(example.FACTS)

    async def invoke(
        *arguments: str, token: str = OPERATOR_TOKEN, command: Any = app, typed: str = ""
    ) -> Result:
        environment = {
            "SPONSORGRAPH_CATALOG_GRPC": empty_catalog.target,
            "SPONSORGRAPH_OPERATOR_TOKEN": token,
            "SPONSORGRAPH_GRPC_TOKEN": TOKEN,
            "COLUMNS": "200",
        }
        return await asyncio.to_thread(
            CliRunner().invoke, command, arguments, env=environment, input=typed
        )

    return invoke


async def test_an_operator_reviews_reports(run: Run, empty_catalog: Catalog) -> None:
    await report(empty_catalog, note="[red]No[/red] sponsor.")
    await report(empty_catalog, "missing", video="b3", brand="Phoenix")
    listed = await run("list", "--json")
    assert [load["report"]["id"] for load in json.loads(listed.output)] == ["r_1", "r_2"]
    assert "Phoenix" in (await run("list")).output
    shown = await run("show", "r_1")
    assert "[red]No[/red] sponsor." in shown.output
    assert "azura-vpn" in shown.output
    accepted = await run("accept", "r_1", "--note", "Right.", "--json")
    decided = json.loads(accepted.output)
    assert (decided["report"]["state"], decided["decision_note"]) == ("applied", "Right.")
    assert set(await claims(empty_catalog)) == {"brightmeal"}
    assert (await run("accept", "r_2", "--sponsor", "dexter-games")).exit_code == 0
    assert set(await claims(empty_catalog, "b3")) == {"dexter-games"}
    again = await run("reject", "r_1", "--note", "No.")
    assert (again.exit_code, again.output.count("was accepted by")) == (1, 1)
    entries = json.loads((await run("log", "--json", "--limit", "3")).output)
    assert [item["action"] for item in entries] == ["accepted", "added", "accepted"]


async def test_a_list_and_a_report_name_the_later_report_that_decided_otherwise(
    run: Run, empty_catalog: Catalog
) -> None:
    await report(empty_catalog)
    await run("accept", "r_1")
    await report(empty_catalog, "missing", brand="azura-vpn")
    await run("accept", "r_2")
    listed = (await run("list", "--state", "applied")).output
    (older,) = [line for line in listed.splitlines() if "r_1" in line]
    assert "r_2" in older
    assert "wrong, applied, replaced by r_2" in (await run("show", "r_1")).output
    newer = (await run("show", "r_2")).output
    assert "r_1 wrong, Azura VPN: applied, replaced by r_2" in newer
    assert "missing, applied\n" in newer


async def test_an_operator_merges_sponsors(run: Run, empty_catalog: Catalog) -> None:
    merged = await run("merge", "azura-vpn", "brightmeal", "--yes")
    assert "3 videos moved" in merged.output
    assert (
        await empty_catalog.call("GetSponsor", sponsor="azura-vpn")
    ).sponsor.slug == "brightmeal"
    again = await run("merge", "azura-vpn", "brightmeal", "--yes")
    assert (again.exit_code, "was merged into" in again.output) == (1, True)
    log = (await run("log")).output
    assert "merged" in log
    assert (await run("trail")).output == log  # the name of before


async def test_a_wrong_token_is_said_in_a_line(run: Run) -> None:
    refused = await run("list", token="wrong")
    assert refused.exit_code == 1
    assert "operators' token" in refused.output


async def test_reports_are_decided_in_one_round(run: Run, empty_catalog: Catalog) -> None:
    await report(empty_catalog)
    await report(empty_catalog, "missing", video="b3", brand="Phoenix")
    await report(empty_catalog, sponsor="brightmeal")
    await report(empty_catalog, "wrong_kind", proposed_kind="affiliate", video="a1")
    letters = "r\nIt is paid: see 0:40.\nx\na\n\ndexter-games\ns\nq\n"
    round_ = await run("--limit", "10", command=review_app, typed=letters)
    assert round_.exit_code == 0, round_.output
    assert "1 accepted, 1 rejected, 1 skipped; 1 of this round left" in round_.output
    assert set(await claims(empty_catalog, "b3")) == {"dexter-games"}
    own = await empty_catalog.call("ListOwnReports", account_id="acc-1")
    assert [(item.report.id, item.report.state, item.decision_note) for item in own.reports] == [
        ("r_4", "received", ""),
        ("r_3", "received", ""),
        ("r_2", "applied", ""),
        ("r_1", "rejected", "It is paid: see 0:40."),
    ]


async def test_a_decision_that_is_refused_stops_no_round_and_a_rejection_has_a_reason(
    run: Run, empty_catalog: Catalog
) -> None:
    await report(empty_catalog, "missing", video="b3", brand="Phoenix")
    await report(empty_catalog)
    letters = "a\n\nno such sponsor\nr\n\nIt is paid.\n"
    ended = await run(command=review_app, typed=letters)
    assert ended.exit_code == 0, ended.output
    assert "1 refused, 1 rejected; 0 of this round left" in ended.output
    assert "knows no brand 'no such sponsor'" in ended.output
