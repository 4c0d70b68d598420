"""The soak tells a leak from noise."""

from __future__ import annotations

import random

from tests.soak.trend import Sample, trend

SIZE = 100_000_000


def samples(leak_per_hour: float = 0, files_per_hour: float = 0, minutes: int = 60) -> list[Sample]:
    chance = random.Random(1)
    return [
        Sample(
            at,
            int(SIZE + leak_per_hour * at / 3600 + chance.uniform(-2e6, 2e6)),
            int(50 + files_per_hour * at / 3600 + chance.choice([0, 1, 2])),
        )
        for at in range(0, minutes * 60, 5)
    ]


def test_noise_is_flat() -> None:
    found = trend(samples())
    assert found.is_flat
    assert abs(found.grown) < 1e6


def test_a_leak_of_a_tenth_an_hour_is_not_flat() -> None:
    found = trend(samples(leak_per_hour=SIZE / 10))
    assert not found.is_flat
    assert abs(found.hourly - SIZE / 10) < 1e6


def test_descriptors_that_are_never_closed_are_not_flat() -> None:
    assert not trend(samples(files_per_hour=20)).is_flat


def test_a_process_that_gives_memory_back_is_flat() -> None:
    assert trend(samples(leak_per_hour=-SIZE / 2)).is_flat
