"""`sponsorgraph corrections` against a running catalog service."""

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest
from typer.testing import CliRunner, Result

from cli.commands.corrections import app
from tests.fakes.peers import TOKEN
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import OPERATOR_TOKEN, Catalog
from tests.integration.catalog_service.test_reports import claims, report

Run = Callable[..., Awaitable[Result]]


@pytest.fixture
async def run(empty_catalog: Catalog) -> Run:
    await empty_catalog.ingest(example.FACTS)

    async def invoke(*arguments: str, token: str = OPERATOR_TOKEN) -> Result:
        environment = {
            "SPONSORGRAPH_CATALOG_GRPC": empty_catalog.target,
            "SPONSORGRAPH_OPERATOR_TOKEN": token,
            "SPONSORGRAPH_GRPC_TOKEN": TOKEN,
            "COLUMNS": "200",
        }
        return await asyncio.to_thread(CliRunner().invoke, app, arguments, env=environment)

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
    assert (decided["report"]["state"], decided["decision_note"]) == ("accepted", "Right.")
    assert set(await claims(empty_catalog)) == {"brightmeal"}
    assert (await run("accept", "r_2", "--sponsor", "dexter-games")).exit_code == 0
    assert set(await claims(empty_catalog, "b3")) == {"dexter-games"}
    again = await run("reject", "r_1")
    assert (again.exit_code, again.output.count("was accepted by")) == (1, 1)
    trail = json.loads((await run("trail", "--json", "--limit", "3")).output)
    assert [item["action"] for item in trail] == ["accepted", "added", "accepted"]


async def test_an_operator_merges_sponsors(run: Run, empty_catalog: Catalog) -> None:
    merged = await run("merge", "azura-vpn", "brightmeal", "--yes")
    assert "3 videos moved" in merged.output
    assert (await empty_catalog.ask("GetSponsor", sponsor="azura-vpn")).sponsor.slug == "brightmeal"
    again = await run("merge", "azura-vpn", "brightmeal", "--yes")
    assert (again.exit_code, "was merged into" in again.output) == (1, True)
    assert "merged" in (await run("trail")).output


async def test_a_wrong_token_is_said_in_a_line(run: Run) -> None:
    refused = await run("list", token="wrong")
    assert refused.exit_code == 1
    assert "operators' token" in refused.output
