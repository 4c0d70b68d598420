"""The table of docs/reliability.md: each fault's test notes a row, and a run with

    SPONSORGRAPH_WRITE_RELIABILITY=1

(`make reliability`) puts the rows of the tests that passed into the page. A row stands in its section,
between two marks, and takes the place of the row of the same fault; all else on the page is written
by hand. Without the variable no file is changed.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
IS_WHOLE: Final = bool(os.environ.get("SPONSORGRAPH_WRITE_RELIABILITY"))
"""`make reliability`: every pair of parts, and every fault as often and as long as the page says."""

HEAD: Final = (
    "| fault | promised | requests | errors by kind | lost | double | recovered after |\n"
    "| --- | --- | --- | --- | --- | --- | --- |\n"
)


@dataclass(frozen=True, slots=True)
class Row:
    """The promise and the measurements of a fault's test.

    Attributes:
        section: Of the page, as its marks name it.
        fault: What was done; names the row.
        promised: What callers see, beside what is promised for every fault.
        requests: Calls that were sent.
        errors: How often callers saw what, other than responses.
        lost: Charged calls that are not in the ledger, and videos and sponsorships that are missing.
        double: What is in the ledger or in the catalogue and should not be.
        seconds: From the part's return to the first second in which all succeeded; None where
            nothing had to come back.
    """

    section: str
    fault: str
    promised: str
    requests: int
    errors: Mapping[str, int]
    lost: int
    double: int
    seconds: float | None

    def line(self) -> str:
        errors = ", ".join(f"{count:,} × {kind}" for kind, count in sorted(self.errors.items()))
        seconds = "–" if self.seconds is None else f"{self.seconds:.1f} s"
        cells = (
            self.fault,
            self.promised,
            f"{self.requests:,}",
            errors or "none",
            str(self.lost),
            str(self.double),
            seconds,
        )
        return f"| {' | '.join(cells)} |\n"


def note(row: Row) -> None:
    """Puts the row into the page, if this run is to write it."""
    if not IS_WHOLE:
        return
    with PAGE.open("r+", encoding="utf-8") as page:
        # Test processes beside each other write to the same page.
        fcntl.flock(page, fcntl.LOCK_EX)
        text = merged(page.read(), [row])
        page.seek(0)
        page.write(text)
        page.truncate()


def merged(page: str, rows: Sequence[Row]) -> str:
    """The page with the rows in their sections.

    Raises:
        LookupError: The page has no such section.
    """
    for row in rows:
        begin, end = f"<!-- rows: {row.section} -->\n", f"<!-- end: {row.section} -->"
        found = re.search(f"{re.escape(begin)}(.*?){re.escape(end)}", page, re.DOTALL)
        if found is None:
            raise LookupError(f"The page has no section {row.section}.")
        lines = found[1].removeprefix(HEAD).splitlines(keepends=True)
        by_fault = {line.split(" | ")[0].removeprefix("| "): line for line in lines}
        by_fault[row.fault] = row.line()
        table = HEAD + "".join(by_fault.values())
        page = page[: found.start(1)] + table + page[found.end(1) :]
    return page
