"""Puts the jobs together."""

from dataclasses import dataclass
from datetime import datetime

from procrastinate import App

from import_worker.domain.ingest import CatalogWriter
from import_worker.domain.ports import Clock, ImportTransactions
from import_worker.domain.sources import Source
from import_worker.jobs.ledger import Ledger
from import_worker.jobs.policy import Policy
from import_worker.jobs.reading import Reader
from import_worker.jobs.run import ImportRunner
from import_worker.jobs.tasks import register
from import_worker.jobs.upkeep import Upkeep
from import_worker.jobs.walk import Walk


@dataclass(frozen=True, slots=True)
class Outside:
    """What the jobs need from outside."""

    open_store: ImportTransactions
    source: Source
    catalog: CatalogWriter
    clock: Clock


def assemble(app: App, outside: Outside, policy: Policy) -> None:
    """Adds the jobs to an app that has none."""
    clock, opening, source = outside.clock, outside.open_store, outside.source

    def next_refresh() -> datetime | None:
        return clock() + policy.refresh if policy.refresh else None

    reader = Reader(opening, outside.catalog)
    ledger = Ledger(opening, clock, next_refresh, policy.max_attempts)
    walk = Walk(opening, ledger, source, reader, policy, clock)
    runner = ImportRunner(ledger, source, reader, walk, policy, clock)
    upkeep = Upkeep(opening, reader, source.name, policy, clock)
    register(app, runner, upkeep, policy.max_attempts)
