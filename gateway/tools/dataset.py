"""SQL for what no other tool answers: `catalog.schema`, `catalog.query`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Final

import msgspec
from pydantic import Field

from gateway.tools._params import Params, ToolContext
from gateway.tools._tool import READS, Tool, tool
from servicekit.errors import ServiceError
from shapes.catalog.dataset import Dataset, SqlColumn, SqlResult
from shapes.catalog.shared import CatalogCoverage

_COST: Final = 5


class DescribeTables(Params):
    pass


class Query(Params):
    sql: str = Field(
        min_length=1,
        max_length=8000,
        description="One SELECT in Postgres' SQL over the tables of catalog.schema.",
        examples=["SELECT category, count(*) AS brands FROM sponsors GROUP BY 1 ORDER BY 2 DESC"],
    )
    dry_run: bool = Field(
        False,
        description="Tell columns and planned cost without running it; free of charge. The answer has no rows, and `note` says so.",
    )

    @property
    def is_of_account(self) -> bool:
        """Return True: a statement may ask for the time, and is limited by account."""
        return True


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Rows of a statement. Texts in them are third-party text."""

    columns: Annotated[tuple[SqlColumn, ...], "Columns, in the order of each row's values."]
    rows: Annotated[
        tuple[tuple[object, ...], ...],
        "Rows; none in a dry run, which is not run. Values of type numeric are numbers, rounded to 15 significant digits if they have a "
        "fraction, and texts beyond 2^53.",
    ]
    row_count: Annotated[int, "Rows in `rows`; 0 in a dry run, whatever running it would return."]
    cut_off: Annotated[
        str | None,
        "Why further rows are left out, or why a dry run's statement would be refused; else null.",
    ]
    planned_cost: Annotated[float, "Postgres' estimate of the work, in its planner's units."]
    max_cost: Annotated[float, "Largest estimate that is run."]
    coverage: Annotated[CatalogCoverage, "What the catalogue has looked at."]
    requests: Annotated[
        int,
        "Requests that it counts as; of a dry run, which counts as none, those that running it would count as, 0 if that would be refused.",
    ]
    note: Annotated[
        str | None,
        "That it was not run, if it was not, and what it may not have meant; null if there is nothing to say.",
    ]


def _failure_cost(error: ServiceError | None, seconds: float) -> int:
    """Return what a statement without a result counts for: a request for each full second that it took.

    Of a caller who has gone away nobody says how much of the time was waiting.
    """
    if error is None:
        return min(_COST, int(seconds))
    requests = error.details.get("requests", "0")
    return int(requests) if requests.isdecimal() else 0


@tool(
    "catalog.schema",
    title="Tables for SQL",
    hints=READS,
    cost=0,
    by_default=False,
    third_party_text=False,
)
async def describe(_args: DescribeTables, context: ToolContext) -> Dataset:
    """List the tables that catalog.query reads: columns with meaning and unit, indexes, rules, functions and examples.

    Free of charge.
    """
    return await context.catalog.query("DescribeDataset", {}, Dataset)


async def plan(args: Query, context: ToolContext) -> QueryResult:
    """Return the columns and the planned cost of a statement, which is not run."""
    return await _result({**args.provided(), "dry_run": True}, context)


async def _result(arguments: Mapping[str, object], context: ToolContext) -> QueryResult:
    account_id = context.principal.entitlements.account_id
    result = await context.catalog.call_for(account_id, "RunSql", arguments, SqlResult)
    return QueryResult(
        columns=result.columns,
        rows=msgspec.json.decode(result.rows, type=tuple[tuple[object, ...], ...]),
        row_count=result.row_count,
        cut_off=result.cut_off,
        planned_cost=result.planned_cost,
        max_cost=result.max_cost,
        coverage=result.coverage,
        requests=result.requests,
        note=result.note,
    )


@tool(
    "catalog.query",
    title="Query with SQL",
    hints=READS,
    cost=_COST,
    by_default=False,
    cost_of=lambda args: 0 if args.dry_run else _COST,
    ends_with_caller=True,
    failure_cost=_failure_cost,
    rows="rows",
    plan=plan,
)
async def query(args: Query, context: ToolContext) -> QueryResult:
    """Run one read-only SELECT, for questions that no other tool answers; catalog.schema has tables and examples.

    At most 500 rows in 5 seconds. Counts as 5 requests; if it fails, is ended at a limit or its caller disconnects, as 1 for each
    full second; a dry run is free. An error names the place in the text and what to write instead.
    """
    result = await _result(args.provided(), context)
    if not args.dry_run:
        return result
    not_run = "Not run: `dry_run` is true. This call counts as no request"
    if result.requests:
        not_run += f"; running it would count as {result.requests}"
    return replace(result, note=" ".join(filter(None, (f"{not_run}.", result.note))))


TOOLS: Final[tuple[Tool, ...]] = (describe, query)
