"""What the rollups by month are to hold, said another way than the code says it.

Cells are found by looking, for each video, at the months of the videos before it.
"""

from typing import Final

from catalog_service.domain.categories import SCOPES

_SCOPES: Final = ", ".join(f"('{category}', '{scope}')" for category, scope in SCOPES)
_SEEN: Final = f"""
WITH seen AS (
  SELECT p.*, date_trunc('month', p.published_on)::date AS month FROM sponsorships p
), ordered AS (
  SELECT seen.*, ARRAY(
      SELECT other.month FROM seen other
      WHERE (other.sponsor_id, other.youtuber_id) = (seen.sponsor_id, seen.youtuber_id)
        AND (other.month, other.video_id) < (seen.month, seen.video_id)
      ORDER BY other.month DESC, other.video_id DESC
    ) AS earlier
  FROM seen
), scoped AS (
  SELECT scope.scope, seen.* FROM seen
  JOIN (VALUES {_SCOPES}) AS scope(category, scope)
    ON scope.category = coalesce(seen.sponsor_category, '')
)"""
_ROLLUPS: Final = {
    "sponsor_months": (
        "sponsor_id, month, sponsor_category, videos, views",
        """
        SELECT sponsor_id, month, sponsor_category, count(*), coalesce(sum(views), 0)
        FROM seen GROUP BY 1, 2, 3""",
    ),
    "sponsor_parts": (
        "sponsor_id, part, value, month, videos",
        """
        SELECT sponsor_id, 'content', coalesce(content_category, ''), month, count(*)
        FROM seen GROUP BY 1, 3, 4
        UNION ALL SELECT sponsor_id, 'country', coalesce(country, ''), month, count(*)
        FROM seen GROUP BY 1, 3, 4
        UNION ALL SELECT sponsor_id, 'kind', kind, month, count(*) FROM seen GROUP BY 1, 3, 4""",
    ),
    "sponsor_returns": (
        "sponsor_id, month, since, youtubers, repeats",
        """
        SELECT sponsor_id, month, since, sum(youtubers), sum(repeats)
        FROM (
          SELECT sponsor_id, month, coalesce(earlier[1], '-infinity') AS since, 1 AS youtubers,
                 0 AS repeats
          FROM ordered
          UNION ALL
          SELECT sponsor_id, month, coalesce(earlier[2], '-infinity'), 0, 1
          FROM ordered WHERE cardinality(earlier) > 0
        ) AS cells WHERE since < month GROUP BY 1, 2, 3""",
    ),
    "category_months": (
        "category, month, videos, views",
        "SELECT scope, month, count(*), coalesce(sum(views), 0) FROM scoped GROUP BY 1, 2",
    ),
    "category_returns": (
        "category, month, since, youtubers",
        """
        SELECT scope, month, since, count(*)
        FROM (
          SELECT DISTINCT scope, youtuber_id, month, coalesce((
              SELECT max(other.month) FROM scoped other
              WHERE (other.scope, other.youtuber_id) = (scoped.scope, scoped.youtuber_id)
                AND other.month < scoped.month
            ), '-infinity') AS since
          FROM scoped
        ) AS cells GROUP BY 1, 2, 3""",
    ),
}


def _differences(table: str, columns: str, expected: str) -> str:
    held = f"SELECT {columns} FROM {table}"
    return (
        f"{_SEEN}, expected AS ({expected}) "
        f"(({held}) EXCEPT ALL (SELECT * FROM expected)) UNION ALL "
        f"((SELECT * FROM expected) EXCEPT ALL ({held}))"
    )


DIFFERENCES: Final = {name: _differences(name, *rollup) for name, rollup in _ROLLUPS.items()}
"""Queries by table that give the rows that are there and should not be, or the other way round."""
