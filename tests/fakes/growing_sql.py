"""Texts that make a server process large although each looks small: by what Postgres writes out, hashes or compiles.

Each was accepted once, and took between 100 and 700 MB.
"""

from typing import Final

_LONG: Final = (
    "SELECT n FROM generate_series(1, 10000) n WHERE n * 0 = 0 AND n * 0 = 0 AND n * 0 = 0"
)
"""Ten thousand rows that the planner takes for one."""


def _symmetric(depth: int) -> str:
    value = "v.views"
    for number in range(depth):
        value = f"CASE WHEN {value} BETWEEN SYMMETRIC {number} AND v.likes THEN 1 ELSE 2 END"
    return f"SELECT {value} FROM videos v"


def _in(depth: int) -> str:
    value = "v.views"
    for _ in range(depth):
        value = f"CASE WHEN {value} IN (v.likes, v.comments, v.id, v.youtuber_id) THEN 1 ELSE 2 END"
    return f"SELECT {value} FROM videos v"


def _rows(depth: int) -> str:
    value = "v.views"
    for _ in range(depth):
        value = f"CASE WHEN ({value}, 1) IN ((1, 2), (2, 3), (3, 4), (4, 5)) THEN 1 ELSE 2 END"
    return f"SELECT {value} FROM videos v"


def _pushed(clause: str, depth: int, times: int = 4) -> str:
    inner = "SELECT views AS x FROM videos"
    for number in range(depth):
        inner = f"SELECT {' + '.join(['x'] * times)} AS x FROM ({inner}) a{number} {clause}"
    return f"SELECT x FROM ({inner}) z WHERE x > 0"


GROWING: Final = {
    "nested between symmetric": _symmetric(9),
    "nested in": _in(8),
    "nested in of rows": _rows(8),
    "pushed through order by": _pushed("ORDER BY x", 8),
    "pushed through distinct": _pushed("", 8).replace("SELECT x +", "SELECT DISTINCT x +"),
    "pushed through group by": _pushed("GROUP BY x", 8),
    "pushed through a sum": _pushed("GROUP BY x", 7).replace("x + x + x + x", "sum(x) + sum(x) + sum(x) + sum(x)"),
    "pushed through a union": "SELECT x FROM ("
    + " UNION ALL ".join([_pushed("ORDER BY x", 2, 20).replace(" WHERE x > 0", "").join("()")] * 4)
    + ") u WHERE x + x + x + x > 0",
    "pushed through partitions": _pushed("", 8).replace(" AS x FROM (", " AS x, count(*) OVER (PARTITION BY x + x + x + x) FROM ("),
    "an exists with a list": "SELECT count(*) FROM videos v WHERE EXISTS (WITH c AS MATERIALIZED "
    f"({_LONG}) SELECT 1 FROM c a, c b WHERE a.n * 10000 + b.n = v.id)",
    "an exists two levels deep": f"WITH c AS MATERIALIZED ({_LONG}) SELECT count(*) FROM videos v WHERE NOT EXISTS (SELECT 1 FROM "
    "videos w WHERE w.id = v.id AND EXISTS (SELECT 1 FROM c a, c b WHERE a.n * 10000 + b.n = w.id AND a.n * 10000 + b.n = v.id))",
    "an in two levels deep": f"WITH c AS MATERIALIZED ({_LONG}) SELECT count(*) FROM videos v WHERE NOT EXISTS (SELECT 1 FROM "
    "videos w WHERE w.id = v.id AND w.id + v.id IN (SELECT a.n * 10000 + b.n FROM c a, c b))",
    "an exists in a left join": f"WITH c AS MATERIALIZED ({_LONG}) SELECT count(*) FROM videos v LEFT JOIN videos w ON "
    "EXISTS (SELECT 1 FROM c a, c b WHERE a.n * 10000 + b.n = w.id + v.id)",
    "distinct in having of a rollup": f"WITH c AS MATERIALIZED ({_LONG}) SELECT count(*) FROM c a, c b "
    "GROUP BY ROLLUP (" + ", ".join(f"(a.n * 0 + {number})" for number in range(31)) + ") HAVING "
    + " + ".join(f"count(DISTINCT a.n * 10000 + b.n + {number})" for number in range(10)) + " > 0",
    "distinct in the order of a rollup": f"WITH c AS MATERIALIZED ({_LONG}) SELECT count(*) FROM c a, c b "
    "GROUP BY ROLLUP (" + ", ".join(f"(a.n * 0 + {number})" for number in range(31)) + ") ORDER BY "
    + " + ".join(f"count(DISTINCT a.n * 10000 + b.n + {number})" for number in range(10)),
    "texts not in a list": "SELECT count(*) FROM sponsorships v WHERE v.excerpt NOT IN (SELECT excerpt FROM sponsorships WHERE "
    + " AND ".join(["kind LIKE '%'"] * 20)
    + ")",
    "many repeated groups": "SELECT "
    + ", ".join(rf"title ~ '(([\w\s{chr(97 + n)}-{chr(98 + n)}]|[^\d]|\W|.|a?){{1,59}}|b|c|[^a-c]|\w)+'" for n in range(24))
    + " FROM videos",
    "repeated groups of many words": "SELECT "
    + ", ".join(rf"title ~ '({'|'.join(chr(97 + n) + chr(97 + m) for m in range(26))}){{60}}'" for n in range(24))
    + " FROM videos",
    "a long literal": "SELECT " + " OR ".join(["x"] * 150) + " FROM (SELECT " + " OR ".join(["(x || x || x || x) IS NULL"] * 10)
    + f" AS x FROM (SELECT '{'x' * 5000}'::text AS x) a) b",
    "an exists in a lateral": f"WITH c AS MATERIALIZED ({_LONG}) SELECT count(*) FROM videos v, LATERAL (SELECT 1 AS o WHERE EXISTS "
    "(SELECT 1 FROM c a, c b WHERE a.n * 10000 + b.n = v.id)) l",
}  # fmt: skip
"""Statements by what makes them large."""

HASHED: Final = frozenset(
    (
        "an exists with a list",
        "an in two levels deep",
        "an exists in a left join",
        "texts not in a list",
    )
)
"""Statements whose plan shows their size."""
