"""The most work that an accepted statement can be: each for the server's processor, memory or disk, past what its planner expects."""

from typing import Final

_LONG: Final = "WITH a AS MATERIALIZED (SELECT n FROM generate_series(1, 10000) n WHERE n * 0 = 0 AND n * 0 = 0 AND n * 0 = 0)"
"""Ten thousand rows that the planner takes for one."""

_TEXTS: Final = (
    f"{_LONG}, d AS MATERIALIZED (SELECT x.n * 37 % 1000003 AS n, x.n::text || 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy' AS t "
    "FROM a x, (SELECT n FROM a LIMIT 20) y)"
)
"""Two hundred thousand texts that the planner takes for one."""

WORST: Final = {
    "rows without end": f"{_LONG} SELECT count(*) FROM a x, a y, a z",
    "distinct values": f"{_LONG} SELECT "
    + ", ".join(f"count(DISTINCT x.n * 10000 + y.n + {number})" for number in range(10))
    + " FROM a x, a y",
    "a sort of wide rows": f"{_LONG} SELECT x.n, y.n, ({'x.n::text || ' * 20} y.n::text) AS t FROM a x, a y ORDER BY t DESC, 1",
    "a list to look up": f"{_LONG} SELECT count(*) FROM videos v WHERE NOT EXISTS (SELECT FROM videos w WHERE w.youtuber_id = v.id) "
    "AND v.id IN (SELECT x.n * 10000 + y.n FROM a x, a y)",
    "groups": f"{_LONG} SELECT x.n, y.n, count(*), count(DISTINCT x.n) FROM a x, a y GROUP BY GROUPING SETS ((x.n, "
    "y.n), (y.n), ()) LIMIT 5",
    "a union": f"{_LONG} SELECT x.n * 10000 + y.n FROM a x, a y"
    + " UNION SELECT x.n * 10000 + y.n FROM a x, a y" * 3,
    "an exception": f"{_LONG} SELECT x.n * 10000 + y.n FROM a x, a y EXCEPT SELECT x.n * 10000 - y.n FROM a x, a y",
    "windows": f"{_LONG} SELECT "
    + ", ".join(
        f"sum(x.n) OVER (PARTITION BY x.n % {number + 2} ORDER BY y.n)" for number in range(10)
    )
    + " FROM a x, a y",
    "a join on one value": f"{_LONG} SELECT count(*) FROM (SELECT x.n * 0 AS k, {'x.n::text || ' * 10} 'a' AS t FROM a x, a y) l "
    f"JOIN (SELECT x.n * 0 AS k, {'y.n::text || ' * 10} 'b' AS t FROM a x, a y) r ON l.k = r.k",
    "long numbers": f"{_LONG} SELECT sum({' * '.join(['x.n::numeric'] * 12)} / 7.0) FROM a x, a y",
    "patterns": f"{_LONG} SELECT count(*) FROM a x, a y WHERE "
    + " OR ".join(
        f"(x.n::text || y.n::text) ~ '(a|b|{number})*(1|2)+(3|4)+$'" for number in range(30)
    ),
    "texts in texts": f"{_LONG} SELECT count(*) FROM a x, a y WHERE position(({'y.n::text || ' * 20} 'b') IN "
    f"({'x.n::text || ' * 30} 'a')) > 0",
    "arrays": f"{_LONG} SELECT count(*) FROM a x, a y WHERE cardinality(string_to_array({'x.n::text || ' * 30} 'a', '1')) > y.n",
    "lists": f"{_LONG} SELECT x.n, (SELECT array_agg(t.v ORDER BY t.v DESC) FROM (SELECT y.n * x.n AS v FROM a y ORDER BY 1 LIMIT 9000) "
    f"t), (SELECT array_agg(DISTINCT t.v) FROM (SELECT y.n - x.n AS v FROM a y LIMIT 9000) t) FROM a x ORDER BY 2, 3",
    "lists of texts": f"{_LONG} SELECT x.n, (SELECT string_agg(t.v, ',' ORDER BY t.v) FROM (SELECT {'y.n::text || ' * 14} x.n::text AS v "
    "FROM a y LIMIT 600) t) AS l FROM a x, (SELECT n FROM a LIMIT 20) z ORDER BY l",
    "many tables": "SELECT count(*) FROM "
    + ", ".join(f"sponsorships s{number}" for number in range(10))
    + " WHERE "
    + " AND ".join(f"s{number}.views * 0 = s{number + 1}.views * 0" for number in range(9)),
    "many joined views": "SELECT count(*) FROM "
    + ", ".join(f"snapshots s{number}" for number in range(10))
    + " WHERE "
    + " AND ".join(
        f"s{n}.video_id = s{n + 1}.video_id AND s{n}.observed_on = s{n + 1}.observed_on"
        for n in range(9)
    ),
    "equal values": "SELECT count(*) FROM "
    + ", ".join(f"snapshots s{n}" for n in range(10))
    + " WHERE "
    + " AND ".join(f"s{n}.views + {m} = s{n + 1}.views + {m}" for n in range(9) for m in range(25)),
    "many conditions": "SELECT count(*) FROM "
    + " JOIN ".join(
        [
            "sponsorships s0",
            *(f"sponsorships s{n} ON s{n}.video_id = s{n - 1}.video_id" for n in range(1, 10)),
        ]
    )
    + " WHERE "
    + " AND ".join(f"(s{n % 10}.views > {n} OR s{n % 10}.video_id = {n})" for n in range(80)),
    "written out columns": "SELECT x FROM (SELECT x+x+x+x x FROM (SELECT x+x+x+x x FROM (SELECT x+x+x+x x FROM (SELECT x+x+x+x x FROM "
    "(SELECT views AS x FROM videos) a) b) c) d) e",
    "a wide result": "SELECT "
    + ", ".join(["'" + "x" * 60 + "' || n::text"] * 90)
    + " FROM generate_series(1, 10000) n",
    "constants": "SELECT "
    + ", ".join(
        ["strpos(" + " || ".join(["'" + "ab" * 90 + "'"] * 8) + ", '" + "ab" * 45 + "c')"] * 3
    ),
    "a lookup for each row": f"{_LONG} SELECT count(*) FROM a x, a y WHERE "
    "CASE WHEN (SELECT count(*) FROM sponsorships s WHERE s.video_id = x.n) > 0 THEN x.n > y.n ELSE y.n > 0 END",
    "a merge of sorted rows": f"{_LONG} SELECT count(*) FROM (SELECT x.n * 10000 + y.n AS k FROM a x, a y) l "
    "FULL JOIN (SELECT x.n * 10000 + y.n AS k FROM a x, a y) r ON l.k = r.k",
    "sorts of texts": f"{_TEXTS} SELECT max(t), "
    + ", ".join(f"count(DISTINCT t || '{letter}')" for letter in "abcdefghij")
    + " FROM ("
    + " UNION ALL ".join(
        f"(SELECT t, row_number() OVER (ORDER BY n * {n}) AS r FROM d ORDER BY t, n * {n} LIMIT 60000)"
        for n in range(1, 6)
    )
    + ") q",
    "percentiles of texts": f"{_TEXTS} SELECT "
    + ", ".join(
        f"percentile_disc(ARRAY[0.1, 0.5, 1]) WITHIN GROUP (ORDER BY t || '{letter}')"
        for letter in "abcdefghij"
    )
    + " FROM d",
    "merged full joins": f"{_TEXTS} SELECT count(*) FROM d a0 "
    + " ".join(
        f"FULL JOIN d a{n} ON a{n}.n * {n + 1} = a{n - 1}.n * {n + 3} AND a{n}.t = a{n - 1}.t || '{n}'"
        for n in range(1, 6)
    ),
    "joined lists": f"{_LONG} SELECT count(*) FROM videos v, LATERAL (SELECT v.id AS o) l, LATERAL (SELECT l.o AS p) m WHERE m.p IN "
    "(SELECT x.n * 10000 + y.n FROM a x, a y) AND NOT EXISTS (SELECT FROM a x, a y WHERE x.n * 10000 + y.n = m.p)",
    "lists around lists": f"{_LONG} SELECT count(*) FROM videos v WHERE NOT EXISTS (SELECT FROM videos w WHERE w.id = v.id AND w.views IN "
    "(SELECT x.n * 10000 + y.n FROM a x, a y) AND NOT EXISTS (SELECT FROM a x, a y WHERE x.n * 10000 + y.n = w.likes))",
    "sets of wide groups": "SELECT "
    + ", ".join(f"max(x + {n}) + min(x + {n}) + avg(x - {n})" for n in range(95))
    + " FROM (SELECT views + likes + comments AS x, category AS c, format AS f, language AS l, published_on AS p, youtuber_id AS y "
    "FROM videos) q GROUP BY CUBE (c, f, l, p, y) HAVING "
    + " OR ".join(f"sum(x + {n}) > 1" for n in range(95)),
    "repeated subqueries": "SELECT "
    + ", ".join(["x + x + x + x"] * 5)
    + " FROM (SELECT (SELECT count(*) FROM snapshots a JOIN snapshots b USING (video_id) JOIN snapshots c USING (video_id) WHERE "
    "a.video_id = v.id) AS x FROM videos v) q",
}
"""By what they take most of."""
