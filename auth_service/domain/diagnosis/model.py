"""Findings, and the check of all of them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from servicekit.errors import ServiceError
from shapes.auth.diagnostics import DiagnosisFinding

DEADLINE_SECONDS: Final = 8.0


Check = Callable[[], Awaitable[Sequence[DiagnosisFinding]]]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Checks by the name of their subject; one that fails or takes too long is a finding itself."""

    checks: Mapping[str, Check]
    deadline_seconds: float = DEADLINE_SECONDS

    async def findings(self) -> Sequence[DiagnosisFinding]:
        """Return what all checks have found, which are made at the same time."""
        found = await asyncio.gather(*(self._found(*item) for item in self.checks.items()))
        return [finding for findings in found for finding in findings]

    async def _found(self, subject: str, check: Check) -> Sequence[DiagnosisFinding]:
        remedy = (
            "See whether it runs and can be reached from the auth service, whose log says more."
        )
        try:
            async with asyncio.timeout(self.deadline_seconds):
                return await check()
        except TimeoutError:
            detail = f"did not respond within {self.deadline_seconds:g} seconds"
        except ServiceError as error:
            detail = error.public_message
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what the check found
            detail = f"cannot be checked ({type(error).__name__})"
        return [DiagnosisFinding(subject, fine=False, detail=detail, remedy=remedy)]
