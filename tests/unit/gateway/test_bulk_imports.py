"""A list of channels as tools see it: its cost, and its progress."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from gateway.quota.models import QuotaState
from gateway.tools import Backends, ToolContext, bulk_imports
from shapes.imports import BulkImportStatus
from tests.fakes.gateway_ports import (
    NOW,
    RESET,
    FakeAlerts,
    FakeCatalog,
    FakeImports,
    principal,
)

BEGUN = BulkImportStatus(
    bulk_import_id="bulk_1",
    state="running",
    message="0 of 3 channels imported, 2 under way.",
    channels_total=3,
    channels_done=0,
    channels_failed=0,
    channels_cancelled=0,
    channels_under_way=2,
    videos_seen=0,
    sponsorships=0,
    created_at=NOW,
    finished_at=None,
    retry_at=None,
    channels=(),
    next_cursor=None,
)
STEPS = [
    BEGUN,
    replace(BEGUN, channels_done=1, channels_failed=1),
    replace(BEGUN, state="done", channels_done=2, channels_failed=1, message="Finished."),
]


@dataclass
class RecordedProgress:
    """The progress of a call whose caller wants to know."""

    is_wanted: bool = True
    reports: list[tuple[float, float | None, str]] = field(
        default_factory=list[tuple[float, float | None, str]]
    )

    def report(self, done: float, total: float | None, message: str) -> None:
        self.reports.append((done, total, message))

    @contextmanager
    def endable(self, end: Callable[[], None]) -> Generator[None]:
        del end
        yield


def context(imports: FakeImports, progress: RecordedProgress) -> ToolContext:
    backends = Backends(FakeCatalog(), imports, FakeAlerts())
    return ToolContext(principal(), QuotaState(1000, 999, RESET, RESET), backends, progress)


async def test_progress_counts_the_channels_that_have_ended() -> None:
    progress = RecordedProgress()
    args = bulk_imports.StartBulkImport.parse({"channels": ["@one", "@two", "@three"]})
    ended = await bulk_imports.start.run(args, context(FakeImports(bulk_steps=STEPS), progress))
    assert ended == STEPS[-1]
    assert progress.reports == [(0, 3, BEGUN.message), (2, 3, BEGUN.message), (3, 3, "Finished.")]


async def test_a_caller_without_progress_has_the_state_at_once() -> None:
    progress = RecordedProgress(is_wanted=False)
    imports = FakeImports(bulk_steps=STEPS)
    args = bulk_imports.StartBulkImport.parse({"channels": ["@one"]})
    await bulk_imports.start.run(args, context(imports, progress))
    assert [name for name, _ in imports.requests] == ["StartBulkImport"]


async def test_a_list_counts_as_a_request_for_every_25_channels() -> None:
    assert bulk_imports.start.cost_of
    for channels, cost in ((1, 1), (25, 1), (26, 2), (1_000, 40)):
        names = [f"@channel{number}" for number in range(channels)]
        args = bulk_imports.StartBulkImport.parse({"channels": names})
        assert bulk_imports.start.cost_of(args) == cost
