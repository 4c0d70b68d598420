"""Run callers' SELECTs over the dataset, and describe it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from catalog_service.domain.coverage import CoverageQueries
from catalog_service.domain.sql import allowed, dataset
from catalog_service.domain.sql.errors import MAX_REQUESTS, SqlBusy, SqlRefused, too_expensive
from catalog_service.domain.sql.free_work import FreeWork, Stopwatch
from catalog_service.domain.sql.ports import Plan, Rows, SqlStore, Statistics
from shapes.catalog.dataset import (
    Dataset,
    DatasetColumn,
    DatasetExample,
    DatasetRequest,
    DatasetTable,
    SqlColumn,
    SqlRequest,
    SqlResult,
)

_RULES: Final = (
    f"One SELECT of at most {allowed.MAX_CHARACTERS:,} characters in Postgres' own grammar, with CTEs, windows, grouping "
    "sets and subqueries; neither WITH RECURSIVE, locks nor parameters.",
    f"At most 500 rows of {allowed.MAX_COLUMNS} columns and 256 kB come back; sort and limit, or aggregate, to get what matters.",
    "It may run for 5 seconds. A statement whose planned cost is above the limit is refused before it runs and costs "
    "nothing: bound it by day, brand or creator.",
    f"A statement that returns rows counts as {MAX_REQUESTS} requests. One that is refused, fails, is ended at a limit or whose caller "
    f"disconnects counts as one for each full second that it took, up to {MAX_REQUESTS}; a dry run as none. An account has about 20 "
    "free ones a minute, fewer if they take long.",
    f"At most {allowed.MAX_TABLES} entries in FROM, {allowed.MAX_SORTING_AGGREGATES} aggregates with DISTINCT, an order or a list, "
    f"{allowed.MAX_WINDOWS} windows and {allowed.MAX_SET_OPERATIONS} of UNION and its like.",
    "Patterns of LIKE and ~ are written out, with at most "
    f"{allowed.MAX_PATTERN} characters; position(text IN text) finds one column in another. The bounds of generate_series are "
    f"written out, or today, with at most {allowed.MAX_SERIES:,} values.",
    "string_agg and array_agg join columns of a subquery with a LIMIT of up to some 500: SELECT t.category, string_agg(t.name, ', ') "
    "FROM (SELECT category, name FROM sponsors ORDER BY video_count DESC LIMIT 100) AS t GROUP BY 1.",
    "A whole row is no value: write its columns. IN and EXISTS with a subquery stand in WHERE, joined by AND, and see the columns of the "
    "SELECT directly around them. Write NOT EXISTS for NOT IN; elsewhere write (SELECT count(*) FROM … WHERE …) > 0, or LEFT JOIN.",
    "A category of brands is the most specific one: sponsor_category = 'tech' leaves VPNs out, which are security. Group and choose by "
    "sponsor_group and category_group for tech as a whole.",
    "Values of type numeric, such as avg and sum, are numbers, rounded to 15 significant digits if they have a fraction; beyond 2^53 they "
    "are texts with all digits. Cast to text for all digits of a fraction.",
    "Days are in UTC. Null is what is not known. Views are of the day on which a video was last read.",
    "Free products are no paid work: leave them out by kind <> 'free_product' where money is meant.",
)


@dataclass(frozen=True, slots=True)
class SqlQueries:
    store: SqlStore
    coverage: CoverageQueries
    free_work: FreeWork

    async def run(self, request: SqlRequest) -> SqlResult:
        """Return the rows of a statement; of a dry run its columns and planned cost alone.

        Raises:
            SqlRefused: It is not accepted, or failed.
            SqlBusy: Too many are under way, others have run for long, or the account has had many that cost nothing.
        """
        account_id = request.account_id
        self.free_work.check(account_id)
        # Waiting for other accounts' statements is nobody's work.
        stopwatch = Stopwatch(self.free_work.clock)
        try:
            if request.dry_run:
                plan = await self.store.plan(account_id, request.sql, stopwatch)
                rows = Rows(plan, b"[]", 0, self._refusal(plan))
            else:
                rows = await self.store.run(account_id, request.sql, stopwatch)
        except SqlRefused as error:
            if not error.requests:
                self.free_work.record(account_id, stopwatch.seconds)
            raise
        except SqlBusy:
            self.free_work.record(account_id)
            raise
        except asyncio.CancelledError:
            # The gateway counts the full seconds of a caller who has gone away, if there are any.
            self.free_work.record(account_id, min(stopwatch.seconds, 1.0))
            raise
        if request.dry_run:
            self.free_work.record(account_id, stopwatch.seconds)
        return await self._result(rows.plan, rows)

    async def describe(self, _request: DatasetRequest) -> Dataset:
        """Return the tables with about how many rows each has, and how many of each column, the rules and the examples."""
        statistics = await self.store.statistics()
        tables = (_table(table, statistics.get(table.name)) for table in dataset.TABLES)
        examples = (DatasetExample(example.title, example.sql) for example in dataset.EXAMPLES)
        return Dataset(tuple(tables), _RULES, tuple(sorted(allowed.FUNCTIONS)), tuple(examples))

    async def _result(self, plan: Plan, rows: Rows) -> SqlResult:
        return SqlResult(
            columns=tuple(SqlColumn(name, kind) for name, kind in plan.columns),
            rows=rows.json.decode(),
            row_count=rows.count,
            cut_off=rows.cut_off,
            planned_cost=plan.cost,
            max_cost=self.store.max_cost,
            coverage=(await self.coverage.of_period()).shown,
            requests=0 if self._refusal(plan) else MAX_REQUESTS,
            note=" ".join(plan.notes) or None,
        )

    def _refusal(self, plan: Plan) -> str | None:
        """Return why a planned statement would be refused; None if it would be run."""
        limit = self.store.max_cost
        return (
            f"It would be refused. {too_expensive(plan.cost, limit)}" if plan.cost > limit else None
        )


def _table(table: dataset.Table, statistics: Statistics | None) -> DatasetTable:
    filled: Mapping[str, float] = statistics.filled if statistics else {}
    columns = (
        DatasetColumn(column.name, column.type, column.meaning, filled.get(column.name))
        for column in table.columns
    )
    rows = statistics.rows if statistics else None
    return DatasetTable(table.name, table.meaning, tuple(columns), table.indexed, rows)
