"""Requests of marketers, creators and agencies: each figure equals what the base tables give.

docs/answers.md is written from them: `WRITE_ANSWERS=1 python -m pytest -n 0 tests/e2e/test_catalogue_queries.py`.
"""

import os
from pathlib import Path
from typing import Final

import pytest

from tests.e2e import base_tables
from tests.e2e.base_tables import BaseTables
from tests.e2e.cases import CASES
from tests.e2e.cases.case import Case
from tests.e2e.conftest import RunningStack
from tests.outlook import page as outlook_page

PAGE: Final = Path(__file__).parents[2] / "docs" / "answers.md"
INTRODUCTION: Final = """# Questions and their answers

What marketers, creators and agencies ask, the calls that an AI makes for it, and what it may then say, on the sample that `make run`
loads. `tests/e2e/test_catalogue_queries.py` makes the calls, computes every figure again in plain Python from the tables of facts
(`sponsorships`, `videos`, `sponsors`, `youtubers`; no totals, no rollups, no SQL of the service) and writes this page: no figure
of an answer stands here that it did not compare. A check is named by its test (`-k tech-2023`). The sample is small: the answers are
true of it and say what they rest on, not what YouTube is like.

Thirty further questions that nobody planned for are on [a page of their own](unplanned-questions.md).
"""


@pytest.fixture(scope="session")
def tables(stack: RunningStack) -> BaseTables:
    return base_tables.read(stack.home)


def page(tables: BaseTables) -> str:
    sections = (
        case.section(number, case.computed(tables)) for number, case in enumerate(CASES, start=1)
    )
    return "\n".join([INTRODUCTION, *sections])


@pytest.mark.parametrize("case", [pytest.param(case, id=case.slug) for case in CASES])
def test_the_tools_state_what_the_base_tables_give(
    case: Case, stack: RunningStack, tables: BaseTables
) -> None:
    results = [stack.tool_result(tool, arguments) for tool, arguments in case.calls]
    assert case.stated(results) == case.computed(tables)


def test_the_page_has_every_request_with_the_figures_of_the_base_tables(
    tables: BaseTables,
) -> None:
    assert len({case.slug for case in CASES}) == len(CASES) >= 23
    _, heading, backtest = PAGE.read_text().partition(outlook_page.HEADING)
    written = page(tables) + heading + backtest
    if os.environ.get("WRITE_ANSWERS"):
        PAGE.write_text(written)
    assert PAGE.read_text() == written, "WRITE_ANSWERS=1 writes it again"


def test_the_page_names_every_tool_that_reads_sponsorships() -> None:
    called = {tool for case in CASES for tool, _ in case.calls}
    assert {
        "sponsor.top",
        "sponsor.trends",
        "sponsor.compare",
        "sponsor.stats",
        "sponsor.similar",
        "sponsor.recentVideos",
        "sponsor.youtubers",
        "youtuber.search",
        "youtuber.sponsors",
        "youtuber.stats",
        "youtuber.prospects",
        "youtuber.sharedSponsors",
        "video.get",
        "code.search",
        "category.list",
        "sponsor.get",
        "youtuber.get",
        "youtuber.conflicts",
    } == called
