"""Requests of marketers, creators and agencies, in the order of docs/answers.md."""

from typing import Final

from tests.e2e.cases.agencies import AGENCIES
from tests.e2e.cases.brands import BRANDS
from tests.e2e.cases.case import Case
from tests.e2e.cases.channels import CHANNELS
from tests.e2e.cases.creators import CREATORS
from tests.e2e.cases.markets import MARKETS
from tests.e2e.cases.rankings import RANKINGS
from tests.e2e.cases.records import RECORDS

CASES: Final[tuple[Case, ...]] = (
    *RANKINGS,
    *MARKETS,
    *BRANDS,
    *CREATORS,
    *CHANNELS,
    *AGENCIES,
    *RECORDS,
)
