"""Twenty requests of marketers, creators and agencies, in the order of docs/answers.md."""

from typing import Final

from tests.e2e.cases.agencies import AGENCIES
from tests.e2e.cases.brands import BRANDS
from tests.e2e.cases.case import Case
from tests.e2e.cases.creators import CREATORS
from tests.e2e.cases.rankings import RANKINGS

CASES: Final[tuple[Case, ...]] = (*RANKINGS, *BRANDS, *CREATORS, *AGENCIES)
