"""Wire the jobs."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from procrastinate import App

from import_worker.domain.ingest import CatalogWriter
from import_worker.domain.ports import Clock, ImportTransactions
from import_worker.domain.sources import Source
from import_worker.jobs.bulk_imports import BulkImportRunner
from import_worker.jobs.channel_crawler import ChannelCrawler
from import_worker.jobs.detection_pipeline import DetectionPipeline
from import_worker.jobs.feed_checks import FeedChecks
from import_worker.jobs.import_recorder import ImportRecorder
from import_worker.jobs.maintenance import Maintenance
from import_worker.jobs.policy import Policy
from import_worker.jobs.redetection import RedetectionRunner
from import_worker.jobs.removed_videos import RemovedVideos
from import_worker.jobs.review import Review
from import_worker.jobs.run import ImportRunner
from import_worker.jobs.tasks import register


@dataclass(frozen=True, slots=True)
class JobPorts:
    """The ports that the jobs use."""

    open_store: ImportTransactions
    source: Source
    catalog: CatalogWriter
    clock: Clock
    feed: Source
    has_spare_units: Callable[[], Awaitable[bool]]
    review: Review | None = None


def assemble(app: App, ports: JobPorts, policy: Policy) -> None:
    """Add the jobs to an app that has none."""
    clock, opening, source = ports.clock, ports.open_store, ports.source

    def next_refresh() -> datetime | None:
        return clock() + policy.refresh if policy.refresh else None

    pipeline = DetectionPipeline(opening, ports.catalog, ports.review)
    recorder = ImportRecorder(opening, clock, next_refresh, policy.max_attempts)
    crawler = ChannelCrawler(opening, recorder, source, pipeline, policy, clock)
    removed_videos = RemovedVideos(opening, recorder, source, ports.catalog)
    runner = ImportRunner(recorder, source, crawler, removed_videos, policy, clock)
    bulk_runner = BulkImportRunner(opening, source, policy, clock)
    maintenance = Maintenance(opening, source.name, policy, clock)
    feed_checks = FeedChecks(opening, ports.feed, source.name, ports.has_spare_units, policy, clock)
    redetection = RedetectionRunner(opening, pipeline, clock, policy.max_attempts)
    register(app, runner, bulk_runner, maintenance, feed_checks, redetection)
