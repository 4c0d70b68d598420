"""The statement that adds a batch's changes to the rollups and the totals of sponsors.

It is one, as each way to the database costs more than most of its parts. A row whose sums come to
nothing goes.
"""

from typing import Final

from sqlalchemy import TextClause, text

from catalog_service.domain.categories import SCOPES

_CHANGED: Final = """
WITH changed AS (
  SELECT * FROM unnest(
    CAST(:sponsor AS bigint[]), CAST(:youtuber AS bigint[]), CAST(:month AS date[]),
    CAST(:category AS text[]), CAST(:content AS text[]), CAST(:country AS text[]),
    CAST(:kind AS text[]), CAST(:videos AS bigint[]), CAST(:views AS bigint[])
  ) AS changed(sponsor_id, youtuber_id, month, category, content, country, kind, videos, views)
)"""
_SCOPES: Final = ", ".join(f"('{category}', '{scope}')" for category, scope in SCOPES)
_SCOPED: Final = f""", scope(category, scope) AS (VALUES {_SCOPES}), scoped AS (
  SELECT scope.scope, changed.youtuber_id, changed.month, changed.videos, changed.views
  FROM changed JOIN scope ON scope.category = coalesce(changed.category, '')
)"""  # noqa: S608 - names of ours

_SPONSOR_MONTHS: Final = """grown AS (
  SELECT sponsor_id, month, sponsors.category AS sponsor_category,
         sum(changed.videos)::bigint AS videos, sum(changed.views)::bigint AS views
  FROM changed JOIN sponsors ON sponsors.id = sponsor_id
  GROUP BY 1, 2, 3 HAVING sum(changed.videos) <> 0 OR sum(changed.views) <> 0
)"""
_SPONSOR_PARTS: Final = """grown AS (
  SELECT sponsor_id, part, coalesce(value, '') AS value, month, sum(videos)::bigint AS videos
  FROM changed,
       LATERAL (VALUES ('content', content), ('country', country), ('kind', kind)) AS of(part, value)
  WHERE sponsor_id IS NOT NULL
  GROUP BY 1, 2, 3, 4 HAVING sum(videos) <> 0
)"""
# The months in which a youtuber was seen with a sponsor, before the batch (-1) and now (+1), each
# beside the two before it: the cells that these make now, less those that they made.
_SPONSOR_RETURNS: Final = """counted AS (
  SELECT sponsor_id, youtuber_id, month, sum(videos)::int AS grown
  FROM changed WHERE sponsor_id IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(videos) <> 0
), held AS (
  SELECT sponsor_id, youtuber_id, month, sum(videos)::int AS videos, sum(grown)::int AS grown
  FROM (
    SELECT sponsor_id, youtuber_id, month, 0 AS videos, grown FROM counted
    UNION ALL
    SELECT sponsor_id, youtuber_id, date_trunc('month', p.published_on)::date, 1, 0
    FROM (SELECT DISTINCT sponsor_id, youtuber_id FROM counted) AS pair
    JOIN sponsorships AS p USING (sponsor_id, youtuber_id)
  ) AS one
  GROUP BY 1, 2, 3
), seen AS (
  SELECT sponsor_id, month, sign, videos, lag(month) OVER earlier AS previous,
         lag(videos) OVER earlier AS previous_videos, lag(month, 2) OVER earlier AS one_before
  FROM (SELECT sponsor_id, youtuber_id, month, 1 AS sign, videos FROM held
        UNION ALL
        SELECT sponsor_id, youtuber_id, month, -1, videos - grown FROM held) AS state
  WHERE videos > 0
  WINDOW earlier AS (PARTITION BY sign, sponsor_id, youtuber_id ORDER BY month)
), grown AS (
  SELECT sponsor_id, month, coalesce(since, '-infinity') AS since,
         sum(youtubers)::int AS youtubers, sum(repeats)::int AS repeats
  FROM (
    SELECT sponsor_id, month, previous AS since, sign AS youtubers,
           CASE WHEN videos > 1 THEN sign ELSE 0 END AS repeats
    FROM seen
    UNION ALL
    SELECT sponsor_id, month, CASE WHEN previous_videos > 1 THEN previous ELSE one_before END,
           0, sign
    FROM seen WHERE previous IS NOT NULL
  ) AS cell
  GROUP BY 1, 2, 3 HAVING sum(youtubers) <> 0 OR sum(repeats) <> 0
)"""
_CATEGORY_MONTHS: Final = """grown AS (
  SELECT scope AS category, month, sum(videos)::bigint AS videos, sum(views)::bigint AS views
  FROM scoped GROUP BY 1, 2 HAVING sum(videos) <> 0 OR sum(views) <> 0
)"""
# The same as of sponsors, by months instead of videos.
_CATEGORY_RETURNS: Final = """counted AS (
  SELECT scope, youtuber_id, month, sum(videos)::int AS grown
  FROM scoped GROUP BY 1, 2, 3 HAVING sum(videos) <> 0
), held AS (
  SELECT scope, youtuber_id, month, sum(videos)::int AS videos, sum(grown)::int AS grown
  FROM (
    SELECT scope, youtuber_id, month, 0 AS videos, grown FROM counted
    UNION ALL
    SELECT scope, youtuber_id, date_trunc('month', p.published_on)::date, 1, 0
    FROM (SELECT DISTINCT scope, youtuber_id FROM counted) AS touched
    JOIN (SELECT scope, array_agg(category) AS categories FROM scope GROUP BY 1) AS whole
      USING (scope)
    JOIN sponsorships AS p USING (youtuber_id)
    WHERE coalesce(p.sponsor_category, '') = ANY (whole.categories)
  ) AS one
  GROUP BY 1, 2, 3
), seen AS (
  SELECT scope, month, sign, lag(month) OVER earlier AS since
  FROM (SELECT scope, youtuber_id, month, 1 AS sign, videos FROM held
        UNION ALL
        SELECT scope, youtuber_id, month, -1, videos - grown FROM held) AS state
  WHERE videos > 0
  WINDOW earlier AS (PARTITION BY sign, scope, youtuber_id ORDER BY month)
), grown AS (
  SELECT scope AS category, month, coalesce(since, '-infinity') AS since, sum(sign)::int AS youtubers
  FROM seen GROUP BY 1, 2, 3 HAVING sum(sign) <> 0
)"""


def _grow(table: str, keys: str, sums: str, source: str, label: str | None = None) -> str:
    """Return a statement part that adds the rows of `source` to those of a table with the same keys.

    `keys` and `sums` are names of columns with spaces between; the column `label` is neither, and
    takes the new row's value.
    """
    sum_names = sums.split()
    every = [*keys.split(), *sum_names, *([label] if label else [])]
    same = " AND ".join(f"held.{key} = grown.{key}" for key in keys.split())
    nothing = " AND ".join(f"held.{name} + grown.{name} = 0" for name in sum_names)
    values = [f"{name} = held.{name} + grown.{name}" for name in sum_names]
    values += [f"{label} = grown.{label}"] if label else []
    return (
        f", new_{table} AS (\nWITH {source}\n"
        f"MERGE INTO {table} AS held USING grown ON {same}\n"
        f"WHEN MATCHED AND {nothing} THEN DELETE\n"
        f"WHEN MATCHED THEN UPDATE SET {', '.join(values)}\n"
        f"WHEN NOT MATCHED THEN INSERT ({', '.join(every)})\n"
        f"VALUES ({', '.join(f'grown.{name}' for name in every)}))"
    )


# Histories are worked out again: a sponsorship may have moved within its month.
_HISTORIES: Final = """, new_history AS (
WITH now AS (
  SELECT sponsor_id, youtuber_id, count(p.video_id) AS videos,
         coalesce(sum(p.views), 0)::bigint AS views, min(p.published_on) AS first_seen,
         max(p.published_on) AS last_seen
  FROM unnest(CAST(:sponsors AS bigint[]), CAST(:youtubers AS bigint[]))
       AS touched(sponsor_id, youtuber_id)
  LEFT JOIN sponsorships AS p USING (sponsor_id, youtuber_id)
  GROUP BY 1, 2
)
MERGE INTO sponsor_youtubers AS held USING now
ON held.sponsor_id = now.sponsor_id AND held.youtuber_id = now.youtuber_id
WHEN MATCHED AND now.videos = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET videos = now.videos, views = now.views, first_seen = now.first_seen,
  last_seen = now.last_seen
WHEN NOT MATCHED AND now.videos > 0 THEN
  INSERT (sponsor_id, youtuber_id, videos, views, first_seen, last_seen)
  VALUES (now.sponsor_id, now.youtuber_id, now.videos, now.views, now.first_seen, now.last_seen)
RETURNING now.sponsor_id,
          CASE merge_action() WHEN 'INSERT' THEN 1 WHEN 'DELETE' THEN -1 ELSE 0 END AS youtubers
)"""
_TOTALS: Final = """
UPDATE sponsors SET
  videos = sponsors.videos + grown.videos, youtubers = sponsors.youtubers + grown.youtubers,
  views = sponsors.views + grown.views, first_seen = seen.first_seen, last_seen = seen.last_seen
FROM (
  SELECT sponsor_id, sum(videos)::bigint AS videos, sum(youtubers)::bigint AS youtubers,
         sum(views)::bigint AS views
  FROM (
    SELECT sponsor_id, 0 AS videos, youtubers, 0 AS views FROM new_history
    UNION ALL
    SELECT sponsor_id, videos, 0, views FROM changed WHERE sponsor_id IS NOT NULL
  ) AS one
  GROUP BY 1
) AS grown, LATERAL (
  SELECT min(published_on) AS first_seen, max(published_on) AS last_seen
  FROM sponsorships WHERE sponsor_id = grown.sponsor_id
) AS seen
WHERE sponsors.id = grown.sponsor_id"""
GROW: Final[TextClause] = text(
    "".join(
        (
            _CHANGED,
            _SCOPED,
            _grow(
                "sponsor_months",
                "sponsor_id month",
                "videos views",
                _SPONSOR_MONTHS,
                "sponsor_category",
            ),
            _grow("sponsor_parts", "sponsor_id part value month", "videos", _SPONSOR_PARTS),
            _grow(
                "sponsor_returns", "sponsor_id month since", "youtubers repeats", _SPONSOR_RETURNS
            ),
            _grow("category_months", "category month", "videos views", _CATEGORY_MONTHS),
            _grow("category_returns", "category month since", "youtubers", _CATEGORY_RETURNS),
            _HISTORIES,
            _TOTALS,
        )
    )
)
"""Its parameters are those of `Changes.parameters`."""
