"""Break the code in each way that tests/mutants/mutations lists, and see the named test fail.

    python -m tests.mutants [--only TEXT] [--missing] [--share 0.1 --seed 7] [--minutes 3] [--write]

A share is drawn from the mutants that docs/mutants.md records as killed; `--missing` runs those that it
does not, to go on after a run that was stopped.

It works on a copy of the tree, one mutant at a time, after the tests of each group of mutants have
passed on the copy without a mutation. It ends with 1 if a mutant survived or a test failed without a
mutation.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from tests.mutants.mutation import Mutation, load_mutations
from tests.mutants.page import NOT_RUN, PAGE, counts, read_results, render_page
from tests.mutants.pytest_run import Result, Run, run_tests
from tests.mutants.security_rows import security_rows
from tests.mutants.workspace import copied_tree

ROOT: Final = Path(__file__).resolve().parents[2]
TEST_SECONDS: Final = 120.0
_GROUP: Final = 20
"""Mutants whose tests are tried together without a mutation: as few starts of engines as possible,
and soon enough for a run that has only minutes."""

_OUTCOMES: Final = {
    Result.FAILED: "killed",
    Result.PASSED: "survived",
    Result.SKIPPED: "skipped",
    Result.TIMED_OUT: "killed by time",
    Result.ERROR: "error",
}
_BAD: Final = ("survived", "error")
"""An error is no failure of the test: the mutant did not even start, so the test did not find it."""


@dataclass(slots=True)
class Session:
    """The mutants that were run, and what their tests said."""

    tree: Path
    console: Console
    deadline: float
    record: Callable[[Mapping[str, str]], None] = lambda _outcomes: None
    unfit: list[str] = field(default_factory=list[str])
    outcomes: dict[str, str] = field(default_factory=dict[str, str])

    def control(self, tests: Sequence[str]) -> set[str]:
        """Run the tests without a mutation; return those that may judge mutants."""
        results = run_tests(self.tree, tests, seconds=TEST_SECONDS).results
        for test in [test for test, result in results.items() if result is not Result.PASSED]:
            # Once more, alone: the machine may have been busy.
            again = run_tests(self.tree, [test], seconds=TEST_SECONDS)
            results[test] = again.results[test]
            if results[test] not in (Result.PASSED, Result.SKIPPED):
                self.unfit.append(test)
                self.console.print(f"[red]{test} is {results[test]} without a mutation")
                self.console.print(again.output[-2000:], markup=False)
        return {test for test, result in results.items() if result is Result.PASSED}

    def run(self, mutations: Sequence[Mutation]) -> None:
        """Run the control of each group, then its mutants, until the time is up."""
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeElapsedColumn(), console=self.console) as progress:
            shown = progress.add_task("control", total=len(mutations))
            for begin in range(0, len(mutations), _GROUP):
                group = mutations[begin : begin + _GROUP]
                progress.update(shown, description="control")
                fit = self.control(sorted({item.test for item in group}))
                for mutation in group:
                    if time.monotonic() > self.deadline:
                        self.console.print("The time is up: the rest is not run.")
                        return
                    progress.update(shown, description=mutation.row[:24])
                    if mutation.test in fit:
                        self._judge(mutation)
                    else:
                        self.outcomes[mutation.name] = "skipped"
                    progress.advance(shown)
                self.record(self.outcomes)

    def _tried(self, test: str) -> Run:
        return run_tests(self.tree, [test], seconds=TEST_SECONDS, stop_at_first=True)

    def _judge(self, mutation: Mutation) -> None:
        with mutation.applied(self.tree):
            run = self._tried(mutation.test)
            if run.results[mutation.test] is Result.ERROR:
                run = self._tried(mutation.test)  # an engine may have failed to start
        outcome = self.outcomes[mutation.name] = _OUTCOMES[run.results[mutation.test]]
        style = "red" if outcome in _BAD else "green"
        self.console.print(f"[{style}]{outcome:9}[/] {run.seconds:5.1f} s  ", end="")
        self.console.print(f"{mutation}", markup=False, highlight=False)
        if outcome == "error":
            self.console.print(run.output[-2000:], markup=False, highlight=False)


def chosen(
    mutations: Sequence[Mutation],
    only: str,
    share: float,
    seed: int,
    results: Mapping[str, str],
    *,
    missing: bool = False,
) -> list[Mutation]:
    """Return the mutations of a row or whose name, file or test holds `only`; of these a share.

    With `missing`, only those that `results` does not record as killed.
    A share is drawn from those that `results` records as killed: it checks that they still are.
    """
    found = [
        mutation
        for mutation in mutations
        if only == mutation.row
        or only in f"{mutation.source} {mutation.name} {mutation.file} {mutation.test}"
    ]
    if missing:
        found = [item for item in found if not results.get(item.name, "").startswith("killed")]
    if share == 1:
        return sorted(found, key=lambda mutation: mutation.test)
    found = [mutation for mutation in found if results.get(mutation.name, "").startswith("killed")]
    count = max(1, round(len(found) * share))
    return random.Random(seed).sample(found, min(count, len(found)))


def print_summary(session: Session, mutations: Sequence[Mutation]) -> None:
    """Print the mutants that no test killed, and how many there are of each result."""
    table = Table("row", "mutation", "test", "result", title="Not killed")
    results = [session.outcomes.get(mutation.name, NOT_RUN) for mutation in mutations]
    for mutation, result in zip(mutations, results, strict=True):
        if not result.startswith("killed"):
            table.add_row(mutation.row, str(mutation), mutation.test, result)
    if table.rows:
        session.console.print(table)
    session.console.print(counts(results))


def _stop(_signal: int, _frame: object) -> None:
    sys.exit("Stopped.")  # which removes the copy


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--only", default="", help="a row, or text of a name, file or test")
    parser.add_argument("--missing", action="store_true", help="those not recorded as killed")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--minutes", type=float, default=24 * 60.0)
    parser.add_argument("--write", action="store_true", help="write docs/mutants.md")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, _stop)
    console = Console()
    all_mutations = load_mutations()
    recorded = read_results(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    mutations = chosen(
        all_mutations, options.only, options.share, options.seed, recorded, missing=options.missing
    )
    if not mutations and options.missing:
        console.print("docs/mutants.md records every one as killed.")
        return
    if not mutations:
        sys.exit(f"No mutation has {options.only!r}.")
    if options.share != 1:
        console.print(
            f"{len(mutations)} of {len(all_mutations)} mutants; again: --seed {options.seed}"
        )

    def write(outcomes: Mapping[str, str]) -> None:
        page = render_page(all_mutations, security_rows(ROOT), {**recorded, **outcomes})
        PAGE.write_text(page, encoding="utf-8")

    with copied_tree(ROOT) as tree:
        session = Session(tree, console, time.monotonic() + options.minutes * 60)
        if options.write:
            session.record = write
        session.run(mutations)
    print_summary(session, mutations)
    if options.write:
        write(session.outcomes)
    bad = [name for name, outcome in session.outcomes.items() if outcome in _BAD]
    if bad or session.unfit:
        sys.exit(f"{len(bad)} mutants not killed, {len(session.unfit)} tests unfit")


if __name__ == "__main__":
    main()
