"""Helm's program: that on PATH, else that of `make helm`."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

ROOT: Final = Path(__file__).parents[3]
CHART: Final = ROOT / "deploy" / "helm" / "sponsorgraph"
OWN: Final = ROOT / ".venv-helm" / "helm"

Document = dict[str, Any]


def helm() -> str:
    """The program's path; skips where there is none."""
    found = shutil.which("helm") or (str(OWN) if OWN.exists() else None)
    if found is None:
        pytest.skip("helm is not on PATH, and .venv-helm is missing (`make helm` makes it)")
    return found


def template(values: str) -> subprocess.CompletedProcess[str]:
    """Render the chart with these values, which are JSON."""
    return subprocess.run(
        [helm(), "template", "sponsorgraph", str(CHART), "--namespace=sponsorgraph", "--values=-"],
        input=values,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@cache
def _rendered(values: str) -> list[Document]:
    done = template(values)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return [item for item in yaml.safe_load_all(done.stdout) if item]


def rendered(**values: Any) -> list[Document]:
    """The chart's documents, with these values in the place of its own."""
    return _rendered(json.dumps(values))
