"""The most work that an accepted statement can be: each for the server's processor, memory or disk, past what its planner expects."""

from typing import Final

_LONG: Final = "WITH a AS MATERIALIZED (SELECT n FROM generate_series(1, 10000) n WHERE n * 0 = 0 AND n * 0 = 0 AND n * 0 = 0)"
"""Ten thousand rows that the planner takes for one."""

WORST: Final = {
    "rows without end": f"{_LONG} SELECT count(*) FROM a x, a y, a z",
    "distinct values": f"{_LONG} SELECT "
    + ", ".join(f"count(DISTINCT x.n * 10000 + y.n + {number})" for number in range(10))
    + " FROM a x, a y",
    "a sort of wide rows": f"{_LONG} SELECT x.n, y.n, ({'x.n::text || ' * 20} y.n::text) AS t FROM a x, a y ORDER BY t DESC, 1",
    "a list to look up": f"{_LONG} SELECT count(*) FROM videos v WHERE NOT EXISTS (SELECT FROM videos w WHERE w.youtuber_id = v.id) AND v.id IN "
    "(SELECT x.n * 10000 + y.n FROM a x, a y)",
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
}
"""By what they take most of."""
