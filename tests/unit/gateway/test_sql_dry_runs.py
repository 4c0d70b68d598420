"""`catalog.query` with `dry_run`: a result without rows that cannot be taken for an empty one."""

from typing import Any

from gateway.quota.models import QuotaState
from gateway.tools import Backends, ToolCatalogue, ToolContext, all_tools
from tests.fakes.gateway_ports import RESET, SILENT, FakeAlerts, FakeCatalog, FakeImports, principal

QUERY = ToolCatalogue(all_tools()).find("catalog.query")


async def result(**arguments: object) -> Any:
    backends = Backends(FakeCatalog(), FakeImports(), FakeAlerts())
    context = ToolContext(principal(), QuotaState(1_000, 999, RESET, RESET), backends, SILENT)
    return await QUERY.run(QUERY.params.parse({"sql": "SELECT 1", **arguments}), context)


async def test_a_dry_run_says_that_it_was_not_run_and_what_running_it_would_count_as() -> None:
    run = await result()
    dry = await result(dry_run=True)
    assert dry.note == (
        "Not run: `dry_run` is true. This call counts as no request; running it would count as "
        f"{run.requests}. {run.note}"
    )
