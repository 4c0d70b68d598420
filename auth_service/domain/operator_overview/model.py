"""Parts of the operator's view."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, TypeVar

T = TypeVar("T")

EXPECTED: Final = ("auth_service", "catalog_service", "gateway", "import_jobs", "import_worker")
"""The services of which a deployment has a process or several."""


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """A part that is shown, or `problem`, a sentence that says why it cannot be."""

    value: T | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Process:
    """A process of a service; `seen_at` is its last sign of life."""

    service: str
    instance: str
    version: str
    started_at: datetime
    seen_at: datetime
    detector: str
    is_alive: bool


@dataclass(frozen=True, slots=True)
class Processes:
    """The processes, the services of which there is none alive, and whether their versions differ."""

    processes: Sequence[Process]
    missing: Sequence[str]
    versions: Sequence[str]

    @property
    def detectors(self) -> Sequence[str]:
        """The versions of the detector that living workers have."""
        return sorted({p.detector for p in self.processes if p.detector and p.is_alive})


@dataclass(frozen=True, slots=True)
class Backup:
    """The last good backup; None if there was none yet."""

    made_at: datetime | None
    is_old: bool


@dataclass(frozen=True, slots=True)
class TopAccount:
    """An account with its requests of this month."""

    account_id: str
    email: str
    plan_id: str
    requests: int


@dataclass(frozen=True, slots=True)
class FailureCount:
    """Failed calls of a tool by code; `tool` is empty where the call named none of the tools."""

    tool: str
    code: str
    number: int
