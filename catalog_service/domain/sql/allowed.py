"""What a caller's statement may be made of beside functions: operators, types, and how much of each part.

The rights of the role that runs it protect the data. These lists keep away what a role cannot be forbidden: catalogs, locks,
sleeping, settings, and values or plans that grow by themselves.
"""

from typing import Final

from catalog_service.domain.sql.functions import SIGNATURES

MAX_CHARACTERS: Final = 8_000
"""Longest statement."""

MAX_COLUMNS: Final = 100
"""Columns of a result, also of a subquery's."""

MAX_TABLES: Final = 10
"""Tables, subqueries and functions in all FROM clauses."""

MAX_SET_OPERATIONS: Final = 10
MAX_SORTING_AGGREGATES: Final = 10
"""Aggregates that keep their values (DISTINCT, ORDER BY, WITHIN GROUP, lists), times their grouping sets."""

MAX_WINDOWS: Final = 10
MAX_GROUPING_SETS: Final = 32
MAX_ELEMENTS: Final = 1_000
"""Elements of a list or an array that is written out."""

MAX_SERIES: Final = 10_000
"""Values of a generate_series."""

MAX_TEXT: Final = 32_000
"""Bytes of a text or array, as they are estimated."""

MAX_ROW: Final = 130_000
"""Bytes of all values of a row, as they are estimated."""

MAX_LISTS: Final = 512_000
"""Bytes of all lists of a row that aggregates make, as they are estimated: 500 stored texts with what is between them."""

MAX_DIGITS: Final = 1_000
"""Digits of a number."""

MAX_EXPONENT: Final = 400
"""Exponent of a number that is written out."""

MAX_PATTERN: Final = 100
"""Characters of a pattern."""

MAX_REGEX_SIZE: Final = 2_000
"""Characters of all regular expressions of a statement, each times its repetitions."""

MAX_WEIGHT: Final = 2_000
"""Work of one expression for each row, when all columns of subqueries in it are written out: about one for an operation."""

MAX_WEIGHT_OF_ALL: Final = 10_000

FUNCTIONS: Final = frozenset(signature.name for signature in SIGNATURES)

COMPARISONS: Final = frozenset(("=", "<>", "<", ">", "<=", ">="))
LIKES: Final = frozenset(("~~", "~~*", "!~~", "!~~*"))
REGEXES: Final = frozenset(("~", "~*", "!~", "!~*"))
CONTAINMENTS: Final = frozenset(("@>", "<@", "&&"))
ARITHMETICS: Final = frozenset(("+", "-", "*", "/", "%"))
OPERATORS: Final = COMPARISONS | LIKES | REGEXES | CONTAINMENTS | ARITHMETICS | {"||"}

TYPES: Final = {
    "bool": "bool",
    "boolean": "bool",
    "bpchar": "text",
    "date": "date",
    "float4": "float",
    "float8": "float",
    "int2": "int",
    "int4": "int",
    "int8": "int",
    "bigint": "int",
    "integer": "int",
    "interval": "interval",
    "numeric": "numeric",
    "text": "text",
    "time": "time",
    "timestamp": "timestamp",
    "timestamptz": "timestamp",
    "varchar": "text",
}
"""Names of Postgres' types, and the kind of value that each is to the checks."""

INSTEAD: Final = {
    "json_agg": "select the rows themselves; answers are JSON already",
    "jsonb_agg": "select the rows themselves; answers are JSON already",
    "replace": "use split_part or substring",
    "regexp_replace": "use regexp_substr",
    "regexp_matches": "use regexp_match",
    "power": "multiply",
    "repeat": "write the text out",
    "lpad": "use to_char for a number, and || for a text",
    "rpad": "use to_char for a number, and || for a text",
    "group_concat": "use string_agg",
    "exp": "select the logarithm, and take its exponential yourself",
    "clock_timestamp": "use now()",
    "format": "use ||",
    "to_timestamp": "use to_date or a cast",
    "median": "use percentile_cont(0.5) WITHIN GROUP (ORDER BY …)",
    "datediff": "subtract one date from the other",
    "ifnull": "use coalesce",
    "isnull": "use coalesce",
    "nvl": "use coalesce",
    "getdate": "use current_date, or now()",
    "curdate": "use current_date",
    "date_format": "use to_char",
    "len": "use length",
    "if": "use CASE WHEN … THEN … ELSE … END",
    "year": "use extract(year FROM …)",
    "month": "use extract(month FROM …)",
    "strftime": "use to_char",
    "any_value": "use min",
    "top": "write LIMIT at the end of the SELECT",
}
"""What to write in the place of functions that are not there."""
