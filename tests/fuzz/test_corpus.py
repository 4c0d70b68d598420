"""Every seed, and everything that fuzzing once found, again and fast."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.__main__ import CORPUS, TARGETS

CASES = sorted(case for target in TARGETS for case in (CORPUS / target).iterdir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_a_stored_case_passes_its_checks(case: Path) -> None:
    target: Any = importlib.import_module(f"tests.fuzz.targets.{case.parent.name}")
    target.check(case.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_has_seeds_to_begin_with(target: str) -> None:
    assert len(list((CORPUS / target).iterdir())) >= 10
