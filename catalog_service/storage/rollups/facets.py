"""The parts of the ingest's statement that add a batch's changes to the sums by facet.

They stand behind `changed` and `claim` of `rollups.monthly`. The facets of a youtuber or video
depend on all of its sponsorships, such as the highest confidence: each that changed is counted as it is
now (sign 1), and subtracted as it was before the batch (-1).
"""

from collections.abc import Iterable
from typing import Final

from catalog_service.domain import confidence_steps, kinds
from catalog_service.storage.rollups.growth import grow

PAID: Final = f"kind <> '{kinds.FREE_PRODUCT}'"
_BITS: Final = " ".join(f"WHEN '{kind}' THEN {bit}" for kind, bit in kinds.BITS.items())
BIT: Final = f"CASE kind {_BITS} END"
SETS: Final = ", ".join(
    str((kind, name)) for kind, name in kinds.SETS if name in {kinds.PAID_SET, kind}
)
_STEP_PERCENT: Final = confidence_steps.PERCENTS[1]


def step_of(confidence: str) -> str:
    """Return the expression of `domain.confidence_steps.step_of`."""
    return f"width_bucket({confidence}, ARRAY{list(confidence_steps.STEPS)}::float8[]) * {_STEP_PERCENT}"


def _any(sums: Iterable[str]) -> str:
    return " OR ".join(f"sum({name}) <> 0" for name in sums)


_BEFORE_AND_NOW: Final = "LATERAL (VALUES (1, held), (-1, held - grown)) AS state(sign, count)"
# A youtuber has one country at a time.
_OF_YOUTUBER: Final = f"""bit_or({BIT}) AS mask, max(step) FILTER (WHERE {PAID}) AS step,
         array_agg(DISTINCT content) FILTER (WHERE {PAID}) AS contents,
         max(country) FILTER (WHERE {PAID}) AS country"""
_CLAIMED: Final = f""", youtuber_claim AS (
  SELECT youtuber_id, sponsor_id, category, kind, content, country, step, sum(held)::int AS held,
         sum(grown)::int AS grown
  FROM (
    SELECT youtuber_id, sponsor_id, category, kind, content, country, step, 0 AS held, videos AS grown FROM changed
    UNION ALL
    SELECT youtuber_id, p.sponsor_id, p.sponsor_category, p.kind, p.content_category, p.country,
           {step_of("p.confidence")}, 1, 0
    FROM (SELECT DISTINCT youtuber_id FROM changed) AS touched JOIN sponsorships AS p USING (youtuber_id)
  ) AS one
  GROUP BY 1, 2, 3, 4, 5, 6, 7
), claim_state AS (
  SELECT youtuber_id, sponsor_id, category, kind, content, country, step, sign
  FROM youtuber_claim, {_BEFORE_AND_NOW} WHERE count > 0
), youtuber_facets AS (
  SELECT NULL::bigint AS sponsor_id, true AS is_whole, sign, {_OF_YOUTUBER}
  FROM claim_state GROUP BY youtuber_id, sign
  UNION ALL
  SELECT sponsor_id, false, sign, {_OF_YOUTUBER}
  FROM claim_state JOIN (SELECT DISTINCT youtuber_id, sponsor_id FROM changed) AS touched USING (youtuber_id, sponsor_id)
  GROUP BY youtuber_id, sponsor_id, sign
), youtuber_facet AS (
  SELECT sponsor_id, is_whole, facet, kinds, sum(sign)::bigint AS youtubers
  FROM youtuber_facets, LATERAL (
    SELECT 'kinds:' || mask, '{kinds.ALL_SET}'
    UNION ALL SELECT 'confidence_step:' || step, '{kinds.PAID_SET}'
    UNION ALL SELECT 'country:' || country, '{kinds.PAID_SET}'
    UNION ALL SELECT 'content:' || content, '{kinds.PAID_SET}' FROM unnest(contents) AS content
  ) AS of(facet, kinds)
  WHERE facet IS NOT NULL GROUP BY 1, 2, 3, 4 HAVING sum(sign) <> 0
)"""  # noqa: S608 - names of ours

_CHANGED: Final = """
  FROM changed, LATERAL (VALUES
    ('kind:' || kind, true), ('confidence_step:' || step, false),
    ('content:' || content, false), ('country:' || country, false)
  ) AS of(facet, is_kind)
  WHERE facet IS NOT NULL"""
_SPONSOR_SUMS: Final = ("videos", "youtubers", "views", "free_products")
_SPONSOR_FACETS: Final = f"""grown AS (
  SELECT sponsor_id, facet, {", ".join(f"sum({name})::bigint AS {name}" for name in _SPONSOR_SUMS)}
  FROM (
    SELECT sponsor_id, facet, CASE WHEN {PAID} OR is_kind THEN videos ELSE 0 END AS videos, 0 AS youtubers,
           CASE WHEN {PAID} OR is_kind THEN views ELSE 0 END AS views,
           CASE WHEN {PAID} THEN 0 ELSE videos END AS free_products
    {_CHANGED} AND sponsor_id IS NOT NULL
    UNION ALL
    SELECT sponsor_id, facet, 0, youtubers, 0, 0 FROM youtuber_facet WHERE sponsor_id IS NOT NULL
  ) AS one
  GROUP BY 1, 2 HAVING {_any(_SPONSOR_SUMS)}
)"""  # noqa: S608 - names of ours

# All claims of a video have its views, content and country: the highest is any of them.
_VIDEO_FACETS: Final = f""", facet_claim AS (
  SELECT video_id, sign, category, kind, step, content, country, views
  FROM (
    SELECT video_id, category, kind, step, content, country, views, sum(held) AS held, sum(grown) AS grown
    FROM claim GROUP BY 1, 2, 3, 4, 5, 6, 7
  ) AS one, {_BEFORE_AND_NOW}
  WHERE count > 0
), facet_video AS (
  SELECT sign, '{kinds.ALL_SET}' AS kinds, max(views) AS views, 'kinds:' || bit_or({BIT}) AS kind,
         NULL AS confidence, NULL AS content, NULL AS country
  FROM facet_claim GROUP BY video_id, sign
  UNION ALL
  SELECT sign, kinds, max(views), 'kind:' || nullif(kinds, '{kinds.PAID_SET}'), 'confidence_step:' || max(step),
         'content:' || nullif(max(content), ''), 'country:' || nullif(max(country), '')
  FROM facet_claim JOIN (VALUES {SETS}) AS named(kind, kinds) USING (kind)
  GROUP BY video_id, sign, kinds
)"""  # noqa: S608 - names of ours
_TOTAL_SUMS: Final = ("videos", "sponsorships", "youtubers", "views")
_FACET_TOTALS: Final = f"""grown AS (
  SELECT facet, kinds, {", ".join(f"sum({name})::bigint AS {name}" for name in _TOTAL_SUMS)}
  FROM (
    SELECT facet, kinds, sign AS videos, 0 AS sponsorships, 0 AS youtubers, sign * views AS views
    FROM facet_video, LATERAL (VALUES (kind), (confidence), (content), (country)) AS of(facet)
    WHERE facet IS NOT NULL
    UNION ALL
    SELECT facet, kinds, 0, videos, 0, 0
    FROM (SELECT facet, is_kind, kind, videos {_CHANGED}) AS counted
    JOIN (VALUES {SETS}) AS named(kind, kinds) USING (kind)
    WHERE NOT is_kind OR kinds <> '{kinds.PAID_SET}'
    UNION ALL
    SELECT facet, kinds, 0, 0, youtubers, 0 FROM youtuber_facet WHERE is_whole
  ) AS one
  GROUP BY 1, 2 HAVING {_any(_TOTAL_SUMS)}
)"""  # noqa: S608 - names of ours

GROWTHS: Final = (
    _CLAIMED,
    _VIDEO_FACETS,
    grow("sponsor_facets", "sponsor_id facet", " ".join(_SPONSOR_SUMS), _SPONSOR_FACETS),
    grow("facet_totals", "facet kinds", " ".join(_TOTAL_SUMS), _FACET_TOTALS),
)
