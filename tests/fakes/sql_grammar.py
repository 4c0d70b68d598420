"""Statements for fuzzing, made by a grammar of what callers write and of what attackers would."""

from typing import Final

from hypothesis import strategies as st

from catalog_service.domain.sql.dataset import TABLES

_COLUMNS: Final = {
    table.name: [(column.name, column.type) for column in table.columns] for table in TABLES
}
_LITERALS: Final = (
    "1", "0", "-3", "2.5", "1e10", "1e399", "'a'", "'%a%'", "''", "NULL", "true", "date '2026-01-01'", "current_date",
    "now()", "interval '1 month'", "'2026-01-01'", "'1e300'", "ARRAY['a', 'b']", "ARRAY[1, 2]", "time '10:00'", "'infinity'",
)  # fmt: skip
_BINARY: Final = (
    "+", "-", "*", "/", "%", "||", "=", "<>", "<", ">=", "LIKE", "~*", "AND", "OR", "IS DISTINCT FROM", "@>", "&&",
)  # fmt: skip
_UNARY: Final = (
    "-{}", "NOT {}", "({})", "{} IS NULL", "({})::text", "({})::int", "({})::numeric(10, 2)", "({})::float8",
    "({})::date", "({})::timestamp", "({})::text[]", "({})[1]", "({})[1:2]", "({})::char(5)", "({})::numeric",
    "abs({})", "lower({})", "length({})", "upper({})", "round({})", "round({}, 2)", "floor({})", "sqrt({})", "ln({})",
    "initcap({})", "left({}, 3)", "substring({} FROM 2)", "substring({} FROM '[a-z]+')", "split_part({}, '/', 1)", "reverse({})",
    "string_to_array({}, ' ')", "array_to_string({}, ', ')", "cardinality({})", "date_trunc('month', {})",
    "extract(year FROM {})", "date_part('day', {})", "to_char({}, 'YYYY')", "to_char({}, '999')", "age({})", "sum({})",
    "avg({})", "max({})", "min({})", "count({})", "count(DISTINCT {})", "stddev({})", "bool_and({})", "mode() WITHIN GROUP (ORDER BY {})",
    "percentile_cont(0.5) WITHIN GROUP (ORDER BY {})", "percentile_disc(0.5) WITHIN GROUP (ORDER BY {})", "sum({}) OVER ()",
    "lag({}) OVER (ORDER BY 1)", "first_value({}) OVER ()", "pg_sleep({})", "({}).pg_sleep", "repeat({}, 9)", "regexp_match({}, 'a(b)?')",
    "regexp_substr({}, 'a+')", "justify_days({})", "isfinite({})", "make_date({}, 1, 1)", "array_position({}, 'a')",
    "CASE WHEN {} IS NULL THEN 1 ELSE 2.5 END", "ARRAY[{}]", "coalesce({}, NULL)", "nullif({}, NULL)", "{} IN (1, 2)", "{} IN ('a', 'b')",
    "{} BETWEEN 1 AND 2", "concat({}, 'a')", "concat_ws(', ', {}, 'a')", "unnest({})", "{} = ANY(ARRAY[1, 2])", "'a' = ANY({})",
    '{} COLLATE "C"', "string_agg({}, ', ')", "array_agg({})",
    "(SELECT {})", "EXISTS (SELECT {})", "greatest({}, 1)", "{}::text || 'x'", "'x' || {}", "1.5 * {}", "date '2026-01-01' + {}",
)  # fmt: skip


@st.composite
def _source(draw: st.DrawFn, depth: int, number: int) -> tuple[str, list[str]]:
    """Return an entry of FROM and the columns that it gives, qualified."""
    alias = f"t{number}"
    kind = draw(st.integers(0, 9))
    if depth > 0 and kind == 0:
        inner = draw(_select(depth - 1))
        return f"({inner}) AS {alias}(x, y)", [f"{alias}.x", f"{alias}.y"]
    if kind == 1:
        return f"generate_series(1, 20) AS {alias}", [f"{alias}.{alias}"]
    if kind == 2:
        return f"(VALUES (1, 'a'), (2, NULL)) AS {alias}(a, b)", [f"{alias}.a", f"{alias}.b"]
    table = draw(st.sampled_from(sorted(_COLUMNS)))
    return f"{table} AS {alias}", [f"{alias}.{name}" for name, _ in _COLUMNS[table]]


@st.composite
def _expression(draw: st.DrawFn, columns: list[str], depth: int) -> str:
    if depth <= 0:
        return draw(st.sampled_from(columns) | st.sampled_from(_LITERALS))
    if draw(st.booleans()):
        return draw(st.sampled_from(_UNARY)).replace("{}", draw(_expression(columns, depth - 1)))
    left, right = draw(_expression(columns, depth - 1)), draw(_expression(columns, depth - 1))
    return f"({left} {draw(st.sampled_from(_BINARY))} {right})"


@st.composite
def _select(draw: st.DrawFn, depth: int) -> str:
    """Return a SELECT of two columns."""
    sources = [draw(_source(depth, number)) for number in range(draw(st.integers(1, 2)))]
    columns = [column for _, names in sources for column in names]
    outputs = [draw(_expression(columns, draw(st.integers(0, 3)))) for _ in range(2)]
    sql = f"SELECT {outputs[0]} AS x, {outputs[1]} AS y FROM {', '.join(source for source, _ in sources)}"
    if draw(st.booleans()):
        sql += f" WHERE {draw(_expression(columns, 2))}"
    if draw(st.integers(0, 3)) == 0:
        sql += " GROUP BY 1, 2"
    if draw(st.integers(0, 3)) == 0:
        sql += f" ORDER BY {draw(st.sampled_from(('1', 'x', 'y DESC', 'x, y')))}"
    if draw(st.integers(0, 2)) == 0:
        sql += " LIMIT 5"
    return sql


@st.composite
def statements(draw: st.DrawFn) -> str:
    """Return a statement."""
    sql = draw(_select(2))
    shape = draw(st.integers(0, 5))
    if shape == 0:
        return f"WITH w AS ({sql}) SELECT x, y FROM w"
    if shape == 1:
        return f"{sql.partition(' ORDER BY')[0].partition(' LIMIT')[0]} UNION ALL SELECT NULL, NULL"
    if shape == 2:
        return f"SELECT * FROM ({sql}) AS s"
    return sql
