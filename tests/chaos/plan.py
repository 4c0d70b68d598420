"""Which faults a round has, and when: drawn from a seed, so that the same seed gives the same round."""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["kill", "pause", "partition", "skew", "promotion"]

SERVICES: Final = ("gateway", "catalog_service", "auth_service", "import_worker", "import_jobs")
CALLED: Final = ("catalog_service", "auth_service", "import_worker")
COPIES: Final = 2
LOAD_SECONDS: Final = 20.0
"""Between the first call of a round and the last one that the plan knows of."""

SKEW_SECONDS: Final = 20
"""How far a clock is moved; tokens and codes bear 30 s."""

_FIRST, _LAST = 2.0, 10.0
_SHORTEST, _LONGEST = 1.0, 6.0
_MAX_FAULTS: Final = 3

_PROCESSES: Final = tuple(f"{name} {index}" for name in SERVICES for index in range(COPIES))
_BEHIND_PROXIES: Final = tuple(f"{name} {index}" for name in CALLED for index in range(COPIES))
_TARGETS: Final[dict[Kind, tuple[str, ...]]] = {
    "kill": (
        *_PROCESSES,
        *("postgres primary", "postgres standby"),
        *("valkey primary", "valkey replica", "sentinel 0", "sentinel 1", "sentinel 2"),
    ),
    "pause": (
        *_PROCESSES,
        *("postgres standby", "valkey primary", "valkey replica", "sentinel 0"),
    ),
    "partition": (*_BEHIND_PROXIES, "postgres primary", "postgres standby"),
    "skew": _PROCESSES,
    "promotion": ("postgres kill", "postgres pause", "postgres partition", "valkey failover"),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that breaks.

    Attributes:
        kind: How; a promotion names its engine and what ails the old primary.
        part: What; a process with its index, or the role of an engine.
        at: Seconds after the round's load began.
        seconds: Until it is healed.
    """

    kind: Kind
    part: str
    at: float
    seconds: float

    @property
    def engine(self) -> str:
        """Return "postgres" or "valkey" where an engine is concerned, else the part itself."""
        name = self.part.split(" ")[0]
        return (
            "valkey"
            if name == "sentinel"
            else name
            if name in ("postgres", "valkey")
            else self.part
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.part} at {self.at:.1f} s for {self.seconds:.1f} s"


def plan(seed: int, number: int, kinds: Collection[Kind] = tuple(_TARGETS)) -> tuple[Fault, ...]:
    """Return the faults of a round, the first one first.

    An engine, and a process, has at most one of them: what a second failure of the same pair costs is
    known (docs/reliability.md), and not what is looked for.

    Args:
        seed: Of the whole run.
        number: Of the round; rounds can so be had one by one.
        kinds: Kinds that this machine can make.
    """
    # Not for secrets: the same numbers have to come again.
    draw = random.Random(f"{seed}/{number}")
    allowed: list[Kind] = [kind for kind in _TARGETS if kind in kinds]
    faults: dict[str, Fault] = {}
    for _ in range(draw.randint(1, _MAX_FAULTS)):
        kind = draw.choice(allowed)
        fault = Fault(
            kind,
            draw.choice(_TARGETS[kind]),
            round(draw.uniform(_FIRST, _LAST), 1),
            round(draw.uniform(_SHORTEST, _LONGEST), 1),
        )
        faults.setdefault(fault.engine, fault)
    return tuple(sorted(faults.values(), key=lambda fault: fault.at))
