"""Every status and state that answers have is in the glossary."""

from collections.abc import Iterable
from pathlib import Path
from typing import get_args

import pytest

from catalog_service.domain import relation_status, reports, resolutions, trends
from import_worker.domain.bulk_imports import BulkState
from import_worker.domain.follows import FollowState
from import_worker.domain.imports import State

PAGE = Path(__file__).parents[2] / "docs" / "glossary.md"


@pytest.mark.parametrize(
    "values",
    [
        (*relation_status.STATUSES, relation_status.UNSEEN),
        reports.STATES,
        resolutions.STATUSES,
        (trends.RISING, trends.STEADY, trends.FALLING, trends.TOO_LITTLE),
        get_args(State),
        get_args(BulkState),
        get_args(FollowState),
    ],
)
def test_the_glossary_has_every_value(values: Iterable[str]) -> None:
    page = PAGE.read_text()
    assert [value for value in values if f"`{value}`" not in page] == []
