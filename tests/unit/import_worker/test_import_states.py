"""Imports move between their states as they may, and wait within bounds."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from import_worker.domain.imports import (
    ENDED,
    TRANSITIONS,
    Backoff,
    Bounds,
    Checkpoint,
    Import,
    WrongTransition,
)

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def new() -> Import:
    return Import(
        "imp_1", "UC1", "@a", "A", "youtube-api", Bounds(), "queued", "", Checkpoint(), NOW
    )


class Life(RuleBasedStateMachine):
    """Any order of events; what is not allowed must be refused and change nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.item: Import = new()
        self.runs = 0

    def _try(self, target: str, change: Callable[[], Import]) -> None:
        if target in TRANSITIONS[self.item.state]:
            self.item = change()
            assert self.item.state == target
        else:
            with pytest.raises(WrongTransition):
                change()

    @rule()
    def begin(self) -> None:
        self.runs += "running" in TRANSITIONS[self.item.state]
        self._try("running", lambda: self.item.begun(NOW))

    @rule(counts=st.booleans())
    def wait(self, *, counts: bool) -> None:
        self._try("waiting", lambda: self.item.waiting(NOW + timedelta(1), "Away", counts=counts))

    @rule(partial=st.booleans())
    def finish(self, *, partial: bool) -> None:
        self._try("done", lambda: self.item.done(NOW, is_partial=partial))

    @rule()
    def fail(self) -> None:
        self._try("failed", lambda: self.item.failed(NOW, "Gone", "GONE"))

    @rule()
    def cancel(self) -> None:
        self._try("cancelled", lambda: self.item.cancelled(NOW))

    @rule()
    def retry(self) -> None:
        if self.item.state in ("failed", "cancelled"):
            self.item = self.item.retried()
            assert (self.item.state, self.item.attempts) == ("queued", 0)

    @rule()
    def release(self) -> None:
        if self.item.state == "running":
            self.item = self.item.requeued()
        elif self.item.has_ended:
            with pytest.raises(WrongTransition):
                self.item.requeued()

    @precondition(lambda self: self.item.state == "running")
    @rule()
    def restart(self) -> None:
        self.item = self.item.restarted()

    @invariant()
    def agrees_with_itself(self) -> None:
        item = self.item
        assert item.has_ended == (item.state in ENDED) == (item.finished_at is not None)
        assert (item.state == "waiting") == (item.retry_at is not None)
        assert (item.state == "failed") == (item.dead_reason is not None)
        assert item.run == self.runs
        assert item.state == "queued" or item.message.endswith(".")


TestLife = Life.TestCase


@given(st.integers(0, 10_000), st.floats(0, 1), st.floats(0.1, 60), st.floats(60, 10_000))
def test_waits_stay_within_bounds(attempt: int, chance: float, first: float, upper: float) -> None:
    seconds = Backoff(first, upper).seconds(attempt, chance)
    assert first / 2 <= seconds <= upper


@given(st.integers(1, 50))
def test_waits_grow_and_differ(attempt: int) -> None:
    backoff = Backoff()
    assert backoff.seconds(attempt, 0.5) <= backoff.seconds(attempt + 1, 0.5)
    assert backoff.seconds(attempt, 0.0) < backoff.seconds(attempt, 1.0)


def test_widened_bounds_hold_both() -> None:
    early, late = NOW - timedelta(9), NOW
    assert Bounds(late, 5).widened(Bounds(early, 9)) == Bounds(early, 9)
    assert Bounds(late, 5).widened(Bounds()) == Bounds()
