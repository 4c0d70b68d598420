"""The parts of the ingest's statement that add a batch's changes to the sums of categories by facet.

They stand behind `claim_state` and `facet_claim` of `rollups.facets`: each video, youtuber and sponsor that changed is
counted by what it has in a scope now (sign 1), and subtracted by what it had before the batch (-1).
"""

from typing import Final

from sqlalchemy import TextClause, text

from catalog_service.domain.categories import CONTENT_SCOPE, COUNTED_SCOPES, SCOPES
from catalog_service.storage.rollups.facets import BIT, PAID
from catalog_service.storage.rollups.growth import grow

_KEYS: Final = "category facet"
_SUMS: Final = "videos youtubers sponsors"


def _scope(scopes: tuple[tuple[str, str], ...]) -> str:
    return f"(VALUES {', '.join(map(str, scopes))}) AS scope(category, scope)"


_SPONSOR_CONTENTS: Final = """grown AS (
  SELECT sponsor_id, content, kind, sum(videos)::bigint AS videos
  FROM changed WHERE sponsor_id IS NOT NULL AND content IS NOT NULL
  GROUP BY 1, 2, 3 HAVING sum(videos) <> 0
)"""
_CATEGORY_FACETS: Final = f"""video_scope AS (
  SELECT scope, sign, bit_or({BIT}) AS mask, max(step) FILTER (WHERE {PAID}) AS step
  FROM (
    SELECT scope, video_id, sign, kind, step FROM facet_claim JOIN {_scope(COUNTED_SCOPES)} USING (category)
    UNION ALL
    SELECT '{CONTENT_SCOPE}' || content, video_id, sign, kind, step FROM facet_claim WHERE content <> ''
  ) AS scoped
  GROUP BY video_id, scope, sign
), youtuber_category AS (
  SELECT youtuber_id, sign, coalesce(category, '') AS category, bit_or({BIT}) AS mask
  FROM claim_state GROUP BY 1, 2, 3
), youtuber_scope AS (
  SELECT scope, sign, bit_or(mask) AS mask
  FROM youtuber_category JOIN {_scope(SCOPES)} USING (category) GROUP BY youtuber_id, scope, sign
), content_claim AS (
  SELECT sponsor_id, content, kind, sum(held)::int AS held, sum(grown)::int AS grown
  FROM (
    SELECT sponsor_id, content, kind, 0 AS held, videos AS grown FROM changed
    WHERE sponsor_id IS NOT NULL AND content IS NOT NULL
    UNION ALL
    SELECT sponsor_id, content, kind, held.videos, 0
    FROM (SELECT DISTINCT sponsor_id, content FROM changed) AS touched
    JOIN sponsor_contents AS held USING (sponsor_id, content)
  ) AS one
  GROUP BY 1, 2, 3
), content_sponsor AS (
  SELECT content, sign, bit_or({BIT}) AS mask
  FROM content_claim, LATERAL (VALUES (1, held + grown), (-1, held)) AS state(sign, count)
  WHERE count > 0 GROUP BY sponsor_id, content, sign
), grown AS (
  SELECT category, facet, sum(videos)::bigint AS videos, sum(youtubers)::bigint AS youtubers,
         sum(sponsors)::bigint AS sponsors
  FROM (
    SELECT scope AS category, facet, sign AS videos, 0 AS youtubers, 0 AS sponsors
    FROM video_scope, LATERAL (VALUES ('kinds:' || mask), ('confidence_step:' || step)) AS of(facet)
    WHERE facet IS NOT NULL
    UNION ALL
    SELECT scope, 'kinds:' || mask, 0, sign, 0 FROM youtuber_scope
    UNION ALL
    SELECT '{CONTENT_SCOPE}' || content, 'kinds:' || mask, 0, 0, sign FROM content_sponsor
  ) AS one
  GROUP BY 1, 2 HAVING sum(videos) <> 0 OR sum(youtubers) <> 0 OR sum(sponsors) <> 0
)"""  # noqa: S608 - names of ours
_GONE: Final = f"""grown AS (
  SELECT '{CONTENT_SCOPE}' || content AS category, 'kinds:' || mask AS facet, 0 AS videos, 0 AS youtubers,
         -count(*) AS sponsors
  FROM (SELECT content, bit_or({BIT}) AS mask FROM sponsor_contents WHERE sponsor_id = :gone GROUP BY 1) AS held
  GROUP BY 1, 2
)"""  # noqa: S608 - names of ours

GROWTHS: Final = (
    grow("sponsor_contents", "sponsor_id content kind", "videos", _SPONSOR_CONTENTS),
    grow("category_facets", _KEYS, _SUMS, _CATEGORY_FACETS),
)
FORGET: Final[TextClause] = text(
    f"WITH one AS (SELECT 1){grow('category_facets', _KEYS, _SUMS, _GONE)} SELECT 1"
)
"""Subtracts the sponsor `gone` from the counts of its content categories, by its own rows, which are deleted afterwards."""
