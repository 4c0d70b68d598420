"""The functions of callers' SQL, each with the arguments that it takes.

A signature is written as in Postgres' manual, with kinds of arguments:
- `any`: a value that is no array. `number`, `int`, `text`, `bool`, `date` (with or without a time), `interval`, `array`.
- `literal`: a short text that is written out. `regex`: a regular expression that is. `flags`: '' or 'i'.
- `small`: a whole number up to 1,000 that is written out. `fraction`: a number from 0 to 1, or an array of them.
- `…` after a kind: one or more of it.

A list (`string_agg`, `array_agg`) takes columns of subqueries with LIMIT alone, as nothing else bounds how large it gets.
"""

from dataclasses import dataclass
from typing import Final, Literal

Role = Literal["", "aggregate", "list", "ordered set", "window", "rows"]


@dataclass(frozen=True, slots=True)
class Signature:
    """A function with one list of arguments.

    Attributes:
        result: A kind of value; `same` is that of the first argument, `element` that of an array's elements, `array` an
            array of the first argument, `sorted` that of the column of WITHIN GROUP, `exact` a number with decimals, but for float8
            and interval, which stay.
        role: "" for a function of single values; `rows` if it returns several; `list` for an aggregate that keeps every value.
    """

    name: str
    arguments: tuple[str, ...]
    result: str
    role: Role

    def __str__(self) -> str:
        within = " WITHIN GROUP (ORDER BY …)" if self.role == "ordered set" else ""
        over = " OVER (…)" if self.role == "window" else ""
        return f"{self.name}({', '.join(self.arguments)}){within}{over}"


def _signatures(text: str, role: Role = "") -> tuple[Signature, ...]:
    return tuple(_signature(line.strip(), role) for line in text.strip().splitlines())


def _signature(line: str, role: Role) -> Signature:
    name, _, rest = line.partition("(")
    arguments, _, result = rest.partition(") ")
    return Signature(
        name, tuple(filter(None, arguments.split(", "))), result.removeprefix("-> "), role
    )


_VALUES: Final = _signatures(
    """
    abs(number) -> same
    ceil(number) -> same
    ceiling(number) -> same
    div(number, number) -> numeric
    floor(number) -> same
    ln(number) -> exact
    log(number) -> exact
    log10(number) -> exact
    mod(number, number) -> exact
    round(number) -> same
    round(number, small) -> numeric
    sign(number) -> same
    sqrt(number) -> exact
    trunc(number) -> same
    trunc(number, small) -> numeric
    width_bucket(number, number, number, small) -> int
    btrim(text) -> text
    btrim(text, literal) -> text
    char_length(text) -> int
    character_length(text) -> int
    concat(any…) -> text
    concat_ws(literal, any…) -> text
    initcap(text) -> text
    left(text, int) -> text
    length(text) -> int
    lower(text) -> text
    ltrim(text) -> text
    ltrim(text, literal) -> text
    octet_length(text) -> int
    position(text, text) -> int
    regexp_count(text, regex) -> int
    regexp_like(text, regex) -> bool
    regexp_like(text, regex, flags) -> bool
    regexp_match(text, regex) -> text[]
    regexp_match(text, regex, flags) -> text[]
    regexp_substr(text, regex) -> text
    reverse(text) -> text
    right(text, int) -> text
    rtrim(text) -> text
    rtrim(text, literal) -> text
    split_part(text, literal, small) -> text
    starts_with(text, text) -> bool
    strpos(text, text) -> int
    substr(text, int) -> text
    substr(text, int, int) -> text
    substring(text, int) -> text
    substring(text, int, int) -> text
    substring(text, regex) -> text
    to_char(date, literal) -> text
    to_char(interval, literal) -> text
    to_char(number, literal) -> text
    upper(text) -> text
    age(date) -> interval
    age(date, date) -> interval
    date_bin(interval, date, date) -> timestamp
    date_part(literal, date) -> float
    date_part(literal, interval) -> float
    date_trunc(literal, date) -> timestamp
    date_trunc(literal, interval) -> interval
    extract(literal, date) -> numeric
    extract(literal, interval) -> numeric
    isfinite(date) -> bool
    isfinite(interval) -> bool
    justify_days(interval) -> interval
    make_date(int, int, int) -> date
    now() -> timestamp
    overlaps(date, date, date, date) -> bool
    overlaps(date, interval, date, interval) -> bool
    timezone(literal, date) -> timestamp
    to_date(text, literal) -> date
    array_length(array, small) -> int
    array_position(array, any) -> int
    array_to_string(array, literal) -> text
    cardinality(array) -> int
    string_to_array(text, literal) -> text[]
    """
)
_AGGREGATES: Final = _signatures(
    """
    avg(number) -> exact
    avg(interval) -> interval
    bool_and(bool) -> bool
    bool_or(bool) -> bool
    corr(number, number) -> float
    count(any) -> int
    count(array) -> int
    every(bool) -> bool
    max(any) -> same
    min(any) -> same
    regr_count(number, number) -> int
    regr_intercept(number, number) -> float
    regr_r2(number, number) -> float
    regr_slope(number, number) -> float
    stddev(number) -> exact
    stddev_pop(number) -> exact
    stddev_samp(number) -> exact
    sum(number) -> exact
    sum(interval) -> interval
    var_pop(number) -> exact
    var_samp(number) -> exact
    variance(number) -> exact
    """,
    "aggregate",
)
_LISTS: Final = _signatures(
    """
    array_agg(any) -> array
    string_agg(text, literal) -> text
    """,
    "list",
)
_ORDERED_SETS: Final = _signatures(
    """
    mode() -> sorted
    percentile_cont(fraction) -> sorted
    percentile_disc(fraction) -> sorted
    """,
    "ordered set",
)
_WINDOWS: Final = _signatures(
    """
    cume_dist() -> float
    dense_rank() -> int
    first_value(any) -> same
    lag(any) -> same
    lag(any, small) -> same
    lag(any, small, any) -> same
    last_value(any) -> same
    lead(any) -> same
    lead(any, small) -> same
    lead(any, small, any) -> same
    nth_value(any, small) -> same
    ntile(small) -> int
    percent_rank() -> float
    rank() -> int
    row_number() -> int
    """,
    "window",
)
_ROWS: Final = _signatures(
    """
    generate_series(int, int) -> int
    generate_series(int, int, int) -> int
    generate_series(date, date, interval) -> timestamp
    unnest(array) -> element
    """,
    "rows",
)

SIGNATURES: Final = (*_VALUES, *_AGGREGATES, *_LISTS, *_ORDERED_SETS, *_WINDOWS, *_ROWS)
