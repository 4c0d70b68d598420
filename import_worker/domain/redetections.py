"""What operators do: start, watch and cancel a run of the detector over stored videos."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final

from import_worker.domain.ports import Clock, ImportStore, ImportTransactions
from import_worker.domain.redetection import (
    RedetectionNotFound,
    RedetectionRun,
    RedetectionUnderWay,
    RedetectionView,
    new_run,
)
from import_worker.domain.sources import SourceVideo
from servicekit.errors import InvalidInput

MAX_TEXTS: Final = 50
"""Videos whose texts are read in one call."""

_MAX_BRANDS: Final = 100
_STORED_RUNS: Final = 20
"""Runs whose changes stay to be looked up."""


class Redetections:
    """Start, read and cancel runs of the detector."""

    def __init__(self, open_store: ImportTransactions, clock: Clock) -> None:
        self._open = open_store
        self._clock = clock

    async def start(self, *, dry_run: bool, only_outdated: bool) -> RedetectionView:
        """Start a run, or join the one that is under way.

        Raises:
            RedetectionUnderWay: It was started with other options.
        """
        async with self._open() as store:
            run = new_run(self._clock(), dry_run=dry_run, only_outdated=only_outdated)
            if not await enqueue(store, run):
                present = await store.redetections.unfinished()
                if present is None or (present.dry_run, present.only_outdated) != (
                    dry_run, only_outdated,
                ):  # fmt: skip
                    raise RedetectionUnderWay
                run = present
            return await _view(store, run)

    async def texts(self, video_ids: Sequence[str]) -> Sequence[SourceVideo]:
        """Return those of these videos whose texts are stored, by id.

        Raises:
            InvalidInput: They are too many.
        """
        if len(video_ids) > MAX_TEXTS:
            raise InvalidInput(f"Texts of at most {MAX_TEXTS} videos are read at once.")
        async with self._open() as store:
            found = await store.videos.stored(video_ids)
        return sorted((stored.video for stored in found), key=lambda video: video.video_id)

    async def get(self, run_id: str | None) -> RedetectionView:
        """Return a run, or the newest one.

        Raises:
            RedetectionNotFound: There is none.
        """
        async with self._open() as store:
            run = await store.redetections.get(run_id)
            if run is None:
                raise RedetectionNotFound
            return await _view(store, run)

    async def watch(
        self, run_id: str | None, pause: Callable[[], Awaitable[None]]
    ) -> AsyncIterator[RedetectionView]:
        """Yield the run now and at each change until it has ended; `pause` waits between polls."""
        last: RedetectionView | None = None
        while last is None or not last.run.has_ended:
            if last is not None:
                await pause()
            view = await self.get(last.run.run_id if last else run_id)
            if view != last:
                yield view
            last = view

    async def cancel(self, run_id: str | None) -> RedetectionView:
        """Stop a run within one batch; what was written stays.

        Raises:
            RedetectionNotFound: There is none.
        """
        async with self._open() as store:
            run = await store.redetections.get(run_id, lock=True)
            if run is None:
                raise RedetectionNotFound
            if not run.has_ended:
                run = replace(run, state="cancelled", finished_at=self._clock())
                await store.redetections.change(run)
            return await _view(store, run)


async def enqueue(store: ImportStore, run: RedetectionRun) -> bool:
    """Put a run into the queue; return false if there is one that has not ended."""
    if not await store.redetections.add(run):
        return False
    await store.redetections.prune(_STORED_RUNS)
    await store.jobs.plan_redetection(run.run_id)
    return True


async def _view(store: ImportStore, run: RedetectionRun) -> RedetectionView:
    totals = await store.redetections.totals(run.run_id)
    brands = await store.redetections.brands(run.run_id, _MAX_BRANDS)
    return RedetectionView(run, totals, tuple(brands))
