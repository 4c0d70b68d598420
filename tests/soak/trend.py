"""The trend of a process's memory: a straight line through the samples."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

MORE_MEMORY: Final = 0.05
"""Share of its size by which a process may have grown, along the line, from first to last sample."""

MORE_FILES: Final = 8
"""Descriptors by which it may: pools open some more when calls happen to come together."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample of a process: seconds of a monotonic clock, bytes, descriptors."""

    at: float
    memory: int
    files: int


@dataclass(frozen=True, slots=True)
class Trend:
    """A process between warm-up and end.

    Attributes:
        memory: Resident bytes at the end of the line.
        grown: Bytes that the line rises.
        hourly: Bytes an hour at that pace.
        files: Descriptors at the end of their line.
        opened: Descriptors that that line rises.
    """

    memory: float
    grown: float
    hourly: float
    files: float
    opened: float

    @property
    def is_flat(self) -> bool:
        """Return whether neither line rises more than it may; how far one falls does not matter."""
        return self.grown <= MORE_MEMORY * self.memory and self.opened <= MORE_FILES


def trend(samples: Sequence[Sample]) -> Trend:
    """The trend of at least two samples, in their order."""
    times = [sample.at for sample in samples]
    span = times[-1] - times[0]
    memory = statistics.linear_regression(times, [sample.memory for sample in samples])
    files = statistics.linear_regression(times, [sample.files for sample in samples])
    return Trend(
        memory=memory.intercept + memory.slope * times[-1],
        grown=memory.slope * span,
        hourly=memory.slope * 3_600,
        files=files.intercept + files.slope * times[-1],
        opened=files.slope * span,
    )
