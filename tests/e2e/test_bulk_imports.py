"""A list of two hundred channels as one job on a whole stack whose workers are killed again and again."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.person import Person
from tests.e2e.channel_imports import ImportStack, import_stack, made_channel, sponsor_of
from tests.e2e.conftest import wait_for
from tests.e2e.prepared_home import prepare_home

pytestmark = [pytest.mark.timeout(300, func_only=True)]

CHANNELS, VIDEOS = 200, 6
KILLED = ("import_worker",) * 6 + ("catalog_service", "postgres")
_PLANS = '{"creator": {"burst_requests": 5000, "burst_refill_per_second": 5000, "concurrent_imports": 5}}'


@pytest.fixture(scope="module")
def imports(tmp_path_factory: pytest.TempPathFactory) -> Generator[ImportStack]:
    with (
        tempfile.TemporaryDirectory(prefix="sponsorgraph-bulk-") as folder,
        import_stack(
            prepare_home(tmp_path_factory, Path(folder) / "home"),
            AUTH_PLANS=_PLANS,
            IMPORT_RETRY_SECONDS="0.5",
        ) as running,
    ):
        yield running


def status(imports: ImportStack, **arguments: Any) -> dict[str, Any]:
    return imports.stack.tool_result("channel.bulkImportStatus", {"limit": 0, **arguments})


def ended(imports: ImportStack) -> int:
    query = (
        "SELECT count(*) FROM bulk_import_channels AS c JOIN imports AS i ON i.id = c.import_id "
        "WHERE i.finished_at IS NOT NULL"
    )
    return int(imports.rows("imports", query)[0][0])


def kill_on_the_way(imports: ImportStack, seed: int) -> None:
    """Kill each of `KILLED` once so many channels are imported, and a moment later."""
    dice = random.Random(seed)
    victims = dice.sample(KILLED, len(KILLED))
    moments = sorted(dice.sample(range(1, CHANNELS - 20), len(victims)))
    for name, channels in zip(victims, moments, strict=True):
        wait_for(
            lambda channels=channels: imports.takes_connections() and ended(imports) >= channels,
            120,
            f"no {channels} channels",
        )
        time.sleep(dice.random() / 2)
        before = imports.kill(name)
        wait_for(lambda name=name, pid=before: imports.is_replaced(name, pid), 60, f"no new {name}")
    wait_for(imports.takes_connections, 30, "Postgres does not answer")


def test_two_hundred_channels_are_imported_as_one_job_while_processes_are_killed(
    imports: ImportStack,
) -> None:
    channels = [made_channel(f"b{number:03}", VIDEOS) for number in range(CHANNELS)]
    imports.source.show(*channels)
    handles = [channel.handle for channel in channels[: CHANNELS // 2]]
    ids = [channel.channel_id for channel in channels[CHANNELS // 2 :]]
    begun = imports.stack.tool_result(
        "channel.bulkImport",
        {"channels": [*handles, *ids, "@nobody-has-this-name"], "idempotency_key": "two hundred"},
    )
    assert begun["channels_total"] == CHANNELS + 1
    bulk_import_id = begun["bulk_import_id"]
    kill_on_the_way(imports, seed=22)
    finished = "SELECT finished_at IS NOT NULL FROM bulk_imports WHERE id = %s"
    wait_for(
        lambda: bool(imports.rows("imports", finished, bulk_import_id)[0][0]), 200, "it goes on"
    )
    wait_for(imports.accepts_connections, 30, "the catalog does not answer")
    shown = status(imports, bulk_import_id=bulk_import_id)
    assert (shown["state"], shown["channels_done"], shown["channels_failed"]) == (
        "done",
        CHANNELS,
        1,
    )
    sponsored = sum(sponsor_of(number) is not None for number in range(VIDEOS))
    assert (shown["videos_seen"], shown["sponsorships"]) == (
        CHANNELS * VIDEOS,
        CHANNELS * sponsored,
    )
    failed = status(imports, bulk_import_id=bulk_import_id, state="failed", limit=5)["channels"]
    assert [item["channel"] for item in failed] == ["@nobody-has-this-name"]
    # Each video and each sponsorship once, as without a kill.
    rows = imports.rows(
        "catalog",
        "SELECT count(*), count(DISTINCT v.id) FROM sponsorships AS p "
        "JOIN videos AS v ON v.id = p.video_id JOIN youtubers AS y ON y.id = v.youtuber_id "
        "WHERE y.key LIKE 'UCb___xxx%%'",
    )
    assert rows == [(CHANNELS * sponsored, CHANNELS * sponsored)]
    # One import of each channel: no kill has begun a second one.
    made = imports.rows("imports", "SELECT count(*), count(DISTINCT channel_id) FROM imports")
    assert made == [(CHANNELS, CHANNELS)]


async def test_a_pasted_list_is_imported_and_shown_on_the_site(imports: ImportStack) -> None:
    channels = [made_channel(f"list{number}", 3) for number in range(3)]
    imports.source.show(*channels)
    connection = imports.stack.connection
    async with Person(connection["site_url"]) as person:
        await person.log_in(connection["email"], connection["password"])
        await person.visit("/account/imports/bulk")
        text = "channel,name\r\n" + "\r\n".join(f"{item.handle},{item.title}" for item in channels)
        page = await person.submit("/account/imports/bulk", channels=text)
        assert "of 3 channels imported" in page.text
        wait_for(lambda: status(imports)["state"] == "done", 60, "it goes on")
        page = await person.visit(page.url.path + "?" + page.url.query.decode())
        assert "Finished: 3 of 3 channels imported." in page.text
        assert "The List0 Workshop" in page.text
