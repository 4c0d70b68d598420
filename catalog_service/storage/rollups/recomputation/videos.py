"""The sums by category, day and facet that count videos, computed from the sponsorships of a range of videos.

Videos whose sponsorships are alike (the same categories, kinds and steps of confidence) are counted once for all of them: far
fewer rows than videos have to be joined with the scopes and facets that they count in. All sponsorships of a video have
its views, day, content category and country.
"""

from typing import Final

from catalog_service.domain import kinds
from catalog_service.domain.categories import CONTENT_SCOPE, COUNTED_SCOPES, SCOPES
from catalog_service.storage.rollups.facets import BIT, PAID, SETS, step_of

_COUNTED_SCOPES: Final = f"(VALUES {', '.join(map(str, COUNTED_SCOPES))}) AS scope(category, scope)"
_SCOPES: Final = f"(VALUES {', '.join(map(str, SCOPES))}) AS scope(category, scope)"
_OF_VIDEO: Final = {
    "content": "max(content_category)",
    "country": "max(country)",
    "day": "max(published_on)",
    "month": "date_trunc('month', max(published_on))::date",
}
_OF_CLAIM: Final = {
    "categories": "coalesce(sponsor_category, '')",
    "kinds": "kind",
    "steps": step_of("confidence"),
}


def _alike(*names: str) -> str:
    """Return the part that selects the kinds of videos that there are, by some of their properties and of their sponsorships.

    Its columns are these, `number` of the row, and `videos` and `views` of all such videos.
    """
    of_video = [f"{_OF_VIDEO[name]} AS {name}" for name in names if name in _OF_VIDEO]
    of_claims = [f"array_agg({_OF_CLAIM[name]}) AS {name}" for name in names if name in _OF_CLAIM]
    keys = ", ".join(names)
    return f"""alike AS (
  SELECT {keys}, row_number() OVER () AS number, count(*) AS videos, sum(views)::bigint AS views
  FROM (
    SELECT {", ".join((*of_video, *of_claims))}, max(coalesce(views, 0)) AS views
    FROM sponsorships WHERE video_id BETWEEN %(first)s AND %(last)s GROUP BY video_id
  ) AS video
  GROUP BY {keys}
)"""  # noqa: S608 - names of ours


_KINDS_OF_SETS: Final = {
    name: " + ".join(kind for kind, named in kinds.SETS if named == name)
    for name in dict.fromkeys(name for _, name in kinds.SETS)
}
_SET_SUMS: Final = ", ".join(
    f"sum(videos) FILTER (WHERE {of_set} > 0) AS {name}_videos, sum(videos * ({of_set})) AS {name}_sponsorships, "
    f"sum(views) FILTER (WHERE {of_set} > 0) AS {name}_views"
    for name, of_set in _KINDS_OF_SETS.items()
)
_SET_ROWS: Final = ", ".join(
    f"('{name}', {name}_videos, {name}_sponsorships, {name}_views)" for name in _KINDS_OF_SETS
)
_KIND_SUMS: Final = ", ".join(
    f"coalesce(sum(videos) FILTER (WHERE {kind} > 0), 0), sum(videos * {kind})"
    for kind in kinds.ALL
)
_KIND_COUNTS: Final = ", ".join(
    f"count(*) FILTER (WHERE kind = '{kind}') AS {kind}" for kind in kinds.ALL
)

CATEGORY_MONTHS: Final = f"""
WITH {_alike("content", "month", "categories", "kinds")}, claim AS (
  SELECT scope, month, number, videos, views, kind
  FROM alike, unnest(categories, kinds) AS one(category, kind) JOIN {_COUNTED_SCOPES} USING (category)
  UNION ALL
  SELECT '{CONTENT_SCOPE}' || content, month, number, videos, views, kind
  FROM alike, unnest(kinds) AS kind WHERE content IS NOT NULL
)
SELECT scope, kinds, month, videos, sponsorships, sums.views
FROM (SELECT scope, month, {_SET_SUMS}
      FROM (SELECT scope, month, number, videos, views, {_KIND_COUNTS} FROM claim GROUP BY 1, 2, 3, 4, 5) AS video
      GROUP BY 1, 2) AS scope_months,
     LATERAL (VALUES {_SET_ROWS}) AS sums(kinds, videos, sponsorships, views)
WHERE videos > 0"""  # noqa: S608 - names of ours
CATEGORY_DAYS: Final = f"""
WITH {_alike("day", "categories", "kinds")}
SELECT scope, day, coalesce(sum(videos) FILTER (WHERE paid > 0), 0), coalesce(sum(views) FILTER (WHERE paid > 0), 0), 0,
       {_KIND_SUMS}, sum(videos)
FROM (SELECT scope, day, number, videos, views, count(*) FILTER (WHERE {PAID}) AS paid, {_KIND_COUNTS}
      FROM alike, unnest(categories, kinds) AS one(category, kind) JOIN {_SCOPES} USING (category)
      GROUP BY 1, 2, 3, 4, 5) AS video
GROUP BY 1, 2"""  # noqa: S608 - names of ours
FACET_VIDEOS: Final = f"""
WITH {_alike("content", "country", "kinds", "steps")}, claim AS (
  SELECT number, videos, views, content, country, kind, step FROM alike, unnest(kinds, steps) AS one(kind, step)
), named AS (SELECT claim.*, kinds FROM claim JOIN (VALUES {SETS}) AS named(kind, kinds) USING (kind))
SELECT facet, kinds, sum(videos), sum(sponsorships), 0, sum(views)
FROM (
  SELECT facet, kinds, videos, 0 AS sponsorships, views
  FROM (
    SELECT kinds, videos, views, 'kind:' || nullif(kinds, '{kinds.PAID_SET}') AS kind,
           'confidence_step:' || max(step) AS confidence, 'content:' || content AS content, 'country:' || country AS country
    FROM named GROUP BY number, videos, views, content, country, kinds
  ) AS video, LATERAL (VALUES (kind), (confidence), (content), (country)) AS of(facet)
  WHERE facet IS NOT NULL
  UNION ALL
  SELECT 'kinds:' || bit_or({BIT}), '{kinds.ALL_SET}', videos, 0, views FROM claim GROUP BY number, videos, views
  UNION ALL
  SELECT facet, kinds, 0, videos, 0
  FROM named, LATERAL (VALUES ('kind:' || nullif(kinds, '{kinds.PAID_SET}')), ('confidence_step:' || step),
                              ('content:' || content), ('country:' || country)) AS of(facet)
  WHERE facet IS NOT NULL
) AS facet
GROUP BY 1, 2"""  # noqa: S608 - names of ours
CATEGORY_FACET_VIDEOS: Final = f"""
WITH {_alike("content", "categories", "kinds", "steps")}, claim AS (
  SELECT scope, number, videos, kind, step
  FROM alike, unnest(categories, kinds, steps) AS one(category, kind, step) JOIN {_COUNTED_SCOPES} USING (category)
  UNION ALL
  SELECT '{CONTENT_SCOPE}' || content, number, videos, kind, step
  FROM alike, unnest(kinds, steps) AS one(kind, step) WHERE content IS NOT NULL
)
SELECT scope, facet, sum(videos), 0, 0
FROM (SELECT scope, videos, bit_or({BIT}) AS mask, max(step) FILTER (WHERE {PAID}) AS step
      FROM claim GROUP BY number, videos, scope) AS video,
     LATERAL (VALUES ('kinds:' || mask), ('confidence_step:' || step)) AS of(facet)
WHERE facet IS NOT NULL GROUP BY 1, 2"""  # noqa: S608 - names of ours
VIDEO_DAYS: Final = """
SELECT published_on, count(*) FROM videos WHERE id BETWEEN %(first)s AND %(last)s GROUP BY 1"""
