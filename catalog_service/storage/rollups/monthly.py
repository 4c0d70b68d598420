"""The statement that adds a batch's changes to the rollups and the totals of sponsors.

It is a single statement, as each round trip to the database costs more than most of its parts. A row
whose sums become zero is deleted.
"""

from collections.abc import Iterable
from typing import Final

from sqlalchemy import TextClause, text

from catalog_service.domain import kinds
from catalog_service.domain.categories import CONTENT_SCOPE, COUNTED_SCOPES, SCOPES
from catalog_service.storage.rollups import category_facets, daily, facets
from catalog_service.storage.rollups.growth import grow

_CHANGED: Final = """
WITH changed AS (
  SELECT *, date_trunc('month', day)::date AS month FROM unnest(
    CAST(:sponsor AS bigint[]), CAST(:youtuber AS bigint[]), CAST(:day AS date[]),
    CAST(:category AS text[]), CAST(:content AS text[]), CAST(:country AS text[]),
    CAST(:kind AS text[]), CAST(:step AS int[]), CAST(:videos AS bigint[]), CAST(:views AS bigint[])
  ) AS changed(sponsor_id, youtuber_id, day, category, content, country, kind, step, videos, views)
)"""


def _values(rows: Iterable[tuple[object, ...]]) -> str:
    return ", ".join(str(row) for row in rows)


def _paid_sum(column: str) -> str:
    return f"coalesce(sum({column}) FILTER (WHERE kind <> '{kinds.FREE_PRODUCT}'), 0)"


_PAID_MASK: Final = kinds.mask(kinds.PAID)
_SCOPED: Final = f""", scope(category, scope) AS (VALUES {_values(SCOPES)}), scoped AS (
  SELECT scope.scope, changed.youtuber_id, changed.day, changed.month, changed.kind, changed.videos
  FROM changed JOIN scope ON scope.category = coalesce(changed.category, '')
)"""  # noqa: S608 - names of ours

_SPONSOR_MONTHS: Final = f"""grown AS (
  SELECT month.*, sponsors.category AS sponsor_category
  FROM (
    SELECT sponsor_id, month, sum(videos)::bigint AS videos, sum(views)::bigint AS views,
           {_paid_sum("videos")}::bigint AS paid_videos, {_paid_sum("views")}::bigint AS paid_views
    FROM changed GROUP BY 1, 2
  ) AS month JOIN sponsors ON sponsors.id = sponsor_id
  WHERE month.videos <> 0 OR month.views <> 0 OR month.paid_videos <> 0 OR month.paid_views <> 0
)"""  # noqa: S608 - names of ours
_SPONSOR_PARTS: Final = """grown AS (
  SELECT sponsor_id, part, coalesce(value, '') AS value, month, sum(videos)::bigint AS videos
  FROM changed,
       LATERAL (VALUES ('content', content), ('country', country), ('kind', kind)) AS of(part, value)
  WHERE sponsor_id IS NOT NULL
  GROUP BY 1, 2, 3, 4 HAVING sum(videos) <> 0
)"""
# Sorts begin with the most selective column, and compare scopes, which are texts, last.
#
# The months in which a youtuber was seen with a sponsor, before the batch (-1) and now (+1), each
# beside the two before it: the cells that these make now, minus those that they made. Then the same
# for paid work alone.
_SPONSOR_RETURNS: Final = f"""counted AS (
  SELECT sponsor_id, youtuber_id, month, sum(videos)::int AS grown,
         {_paid_sum("videos")}::int AS paid_grown
  FROM changed WHERE sponsor_id IS NOT NULL GROUP BY 1, 2, 3
  HAVING sum(videos) <> 0 OR {_paid_sum("videos")} <> 0
), held AS (
  SELECT sponsor_id, youtuber_id, month, sum(videos)::int AS videos, sum(grown)::int AS grown,
         sum(paid_videos)::int AS paid_videos, sum(paid_grown)::int AS paid_grown
  FROM (
    SELECT sponsor_id, youtuber_id, month, 0 AS videos, grown, 0 AS paid_videos, paid_grown
    FROM counted
    UNION ALL
    SELECT sponsor_id, youtuber_id, date_trunc('month', p.published_on)::date, 1, 0,
           (p.kind <> '{kinds.FREE_PRODUCT}')::int, 0
    FROM (SELECT DISTINCT sponsor_id, youtuber_id FROM counted) AS pair
    JOIN sponsorships AS p USING (sponsor_id, youtuber_id)
  ) AS one
  GROUP BY 1, 2, 3
), seen AS (
  SELECT sponsor_id, month, is_paid, sign, state.videos, lag(month) OVER earlier AS previous,
         lag(state.videos) OVER earlier AS previous_videos, lag(month, 2) OVER earlier AS one_before
  FROM held, LATERAL (VALUES (false, 1, videos), (false, -1, videos - grown),
                             (true, 1, paid_videos), (true, -1, paid_videos - paid_grown)
                     ) AS state(is_paid, sign, videos)
  WHERE state.videos > 0
  WINDOW earlier AS (PARTITION BY youtuber_id, sponsor_id, sign, is_paid ORDER BY month)
), grown AS (
  SELECT sponsor_id, month, coalesce(since, '-infinity') AS since,
         sum(youtubers)::int AS youtubers, sum(repeats)::int AS repeats,
         sum(paid_youtubers)::int AS paid_youtubers
  FROM (
    SELECT sponsor_id, month, previous AS since, sign AS youtubers,
           CASE WHEN videos > 1 THEN sign ELSE 0 END AS repeats, 0 AS paid_youtubers
    FROM seen WHERE NOT is_paid
    UNION ALL
    SELECT sponsor_id, month, CASE WHEN previous_videos > 1 THEN previous ELSE one_before END,
           0, sign, 0
    FROM seen WHERE NOT is_paid AND previous IS NOT NULL
    UNION ALL
    SELECT sponsor_id, month, previous, 0, 0, sign FROM seen WHERE is_paid
  ) AS cell
  GROUP BY 1, 2, 3
  HAVING sum(youtubers) <> 0 OR sum(repeats) <> 0 OR sum(paid_youtubers) <> 0
)"""  # noqa: S608 - names of ours
# Each changed video as it is now (held) and as it has grown, by what counts it: in a scope and a set
# of kinds it is one video, of however many sponsors. One with another day or other views goes and
# comes again.
_COUNTED: Final = "video_id, day, views, kind, held, grown"
_VIDEOS: Final = f""", counted_video AS (
  SELECT * FROM unnest(
    CAST(:video_id AS bigint[]), CAST(:video_day AS date[]), CAST(:video_views AS bigint[]),
    CAST(:video_category AS text[]), CAST(:video_content AS text[]), CAST(:video_country AS text[]),
    CAST(:video_kind AS text[]), CAST(:video_step AS int[]), CAST(:video_sponsorships AS bigint[])
  ) AS counted(video_id, day, views, category, content, country, kind, step, grown)
), claim AS (
  SELECT video_id, day, views, category, content, country, kind, step, 0 AS held, grown
  FROM counted_video
  UNION ALL
  SELECT video_id, p.published_on, coalesce(p.views, 0), coalesce(p.sponsor_category, ''),
         coalesce(p.content_category, ''), coalesce(p.country, ''), p.kind,
         {facets.step_of("p.confidence")}, 1, 0
  FROM (SELECT DISTINCT video_id FROM counted_video) AS touched
  JOIN sponsorships AS p USING (video_id)
), video AS (
  SELECT scope, kinds, day, views, (held > 0)::int - (held > grown)::int AS came, grown
  FROM (
    SELECT scope, kinds, day, views, sum(held) AS held, sum(grown) AS grown
    FROM (
      SELECT scope, {_COUNTED} FROM claim
      JOIN (VALUES {_values(COUNTED_SCOPES)}) AS scope(category, scope) USING (category)
      UNION ALL
      SELECT '{CONTENT_SCOPE}' || content, {_COUNTED} FROM claim WHERE content <> ''
    ) AS scoped
    JOIN (VALUES {_values(kinds.SETS)}) AS named(kind, kinds) USING (kind)
    GROUP BY video_id, scope, kinds, day, views
  ) AS state
)"""  # noqa: S608 - names of ours
_CATEGORY_MONTHS: Final = """grown AS (
  SELECT scope AS category, kinds, date_trunc('month', day)::date AS month,
         sum(came)::bigint AS videos, sum(grown)::bigint AS sponsorships,
         sum(came * views)::bigint AS views
  FROM video
  GROUP BY 1, 2, 3 HAVING sum(came) <> 0 OR sum(grown) <> 0 OR sum(came * views) <> 0
)"""
# The same as of sponsors, by months instead of videos.
_CATEGORY_RETURNS: Final = f"""counted AS (
  SELECT scope, youtuber_id, month, sum(videos)::int AS grown,
         {_paid_sum("videos")}::int AS paid_grown
  FROM scoped GROUP BY 1, 2, 3 HAVING sum(videos) <> 0 OR {_paid_sum("videos")} <> 0
), held AS (
  SELECT scope, youtuber_id, month, sum(videos)::int AS videos, sum(grown)::int AS grown,
         sum(paid_videos)::int AS paid_videos, sum(paid_grown)::int AS paid_grown
  FROM (
    SELECT scope, youtuber_id, month, 0 AS videos, grown, 0 AS paid_videos, paid_grown
    FROM counted
    UNION ALL
    SELECT scope, youtuber_id, date_trunc('month', p.published_on)::date, 1, 0,
           (p.kind <> '{kinds.FREE_PRODUCT}')::int, 0
    FROM (SELECT DISTINCT scope, youtuber_id FROM counted) AS touched
    JOIN (SELECT scope, array_agg(category) AS categories FROM scope GROUP BY 1) AS whole
      USING (scope)
    JOIN sponsorships AS p USING (youtuber_id)
    WHERE coalesce(p.sponsor_category, '') = ANY (whole.categories)
  ) AS one
  GROUP BY 2, 3, 1
), seen AS (
  SELECT scope, month, is_paid, sign, lag(month) OVER earlier AS since
  FROM held, LATERAL (VALUES (false, 1, videos), (false, -1, videos - grown),
                             (true, 1, paid_videos), (true, -1, paid_videos - paid_grown)
                     ) AS state(is_paid, sign, videos)
  WHERE state.videos > 0
  WINDOW earlier AS (PARTITION BY youtuber_id, scope, sign, is_paid ORDER BY month)
), grown AS (
  SELECT scope AS category, month, coalesce(since, '-infinity') AS since,
         coalesce(sum(sign) FILTER (WHERE NOT is_paid), 0)::int AS youtubers,
         coalesce(sum(sign) FILTER (WHERE is_paid), 0)::int AS paid_youtubers
  FROM seen GROUP BY 3, 2, 1
  HAVING coalesce(sum(sign) FILTER (WHERE NOT is_paid), 0) <> 0
      OR coalesce(sum(sign) FILTER (WHERE is_paid), 0) <> 0
)"""  # noqa: S608 - names of ours


# Histories are computed again: a sponsorship may have moved within its month.
_BITS: Final = " ".join(f"WHEN '{kind}' THEN {bit}" for kind, bit in kinds.BITS.items())
_HISTORIES: Final = f""", new_history AS (
WITH now AS (
  SELECT sponsor_id, youtuber_id, count(p.video_id) AS videos,
         coalesce(sum(p.views), 0)::bigint AS views, min(p.published_on) AS first_seen,
         max(p.published_on) AS last_seen,
         coalesce(bit_or(CASE p.kind {_BITS} END), 0)::smallint AS kinds,
         coalesce(max(before.kinds), 0) AS kinds_before
  FROM unnest(CAST(:sponsors AS bigint[]), CAST(:youtubers AS bigint[]))
       AS touched(sponsor_id, youtuber_id)
  LEFT JOIN sponsorships AS p USING (sponsor_id, youtuber_id)
  LEFT JOIN sponsor_youtubers AS before USING (sponsor_id, youtuber_id)
  GROUP BY 1, 2
)
MERGE INTO sponsor_youtubers AS held USING now
ON held.sponsor_id = now.sponsor_id AND held.youtuber_id = now.youtuber_id
WHEN MATCHED AND now.videos = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET videos = now.videos, views = now.views, first_seen = now.first_seen,
  last_seen = now.last_seen, kinds = now.kinds
WHEN NOT MATCHED AND now.videos > 0 THEN
  INSERT (sponsor_id, youtuber_id, videos, views, first_seen, last_seen, kinds)
  VALUES (now.sponsor_id, now.youtuber_id, now.videos, now.views, now.first_seen, now.last_seen,
          now.kinds)
RETURNING now.sponsor_id,
          CASE merge_action() WHEN 'INSERT' THEN 1 WHEN 'DELETE' THEN -1 ELSE 0 END AS youtubers,
          (now.kinds & {_PAID_MASK} <> 0)::int - (now.kinds_before & {_PAID_MASK} <> 0)::int
            AS paid_youtubers
)"""  # noqa: S608 - names of ours
_TOTALS: Final = f"""
UPDATE sponsors SET
  videos = sponsors.videos + grown.videos, youtubers = sponsors.youtubers + grown.youtubers,
  views = sponsors.views + grown.views, paid_videos = sponsors.paid_videos + grown.paid_videos,
  paid_youtubers = sponsors.paid_youtubers + grown.paid_youtubers,
  paid_views = sponsors.paid_views + grown.paid_views, first_seen = seen.first_seen, last_seen = seen.last_seen
FROM (
  SELECT sponsor_id, sum(videos)::bigint AS videos, sum(youtubers)::bigint AS youtubers,
         sum(views)::bigint AS views, sum(paid_youtubers)::bigint AS paid_youtubers,
         {_paid_sum("videos")}::bigint AS paid_videos, {_paid_sum("views")}::bigint AS paid_views
  FROM (
    SELECT sponsor_id, 0 AS videos, youtubers, 0 AS views, paid_youtubers,
           '{kinds.FREE_PRODUCT}' AS kind
    FROM new_history
    UNION ALL
    SELECT sponsor_id, videos, 0, views, 0, kind FROM changed WHERE sponsor_id IS NOT NULL
  ) AS one
  GROUP BY 1
) AS grown, LATERAL (
  SELECT min(published_on) AS first_seen, max(published_on) AS last_seen
  FROM sponsorships WHERE sponsor_id = grown.sponsor_id
) AS seen
WHERE sponsors.id = grown.sponsor_id"""  # noqa: S608 - names of ours
GROW: Final[TextClause] = text(
    "".join(
        (
            _CHANGED,
            _SCOPED,
            _VIDEOS,
            grow(
                "sponsor_months",
                "sponsor_id month",
                "videos views paid_videos paid_views",
                _SPONSOR_MONTHS,
                "sponsor_category",
            ),
            grow("sponsor_parts", "sponsor_id part value month", "videos", _SPONSOR_PARTS),
            grow(
                "sponsor_returns",
                "sponsor_id month since",
                "youtubers repeats paid_youtubers",
                _SPONSOR_RETURNS,
            ),
            grow(
                "category_months",
                "category kinds month",
                "videos sponsorships views",
                _CATEGORY_MONTHS,
            ),
            grow(
                "category_returns",
                "category month since",
                "youtubers paid_youtubers",
                _CATEGORY_RETURNS,
            ),
            *daily.GROWTHS,
            *facets.GROWTHS,
            *category_facets.GROWTHS,
            _HISTORIES,
            _TOTALS,
        )
    )
)
"""Its parameters are those of `Changes.parameters`."""
