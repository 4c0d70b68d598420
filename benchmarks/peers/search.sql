WITH wanted AS (SELECT normalised($1) AS key),
hits AS (
  SELECT number, min(tier) AS tier, max(closeness) AS closeness
  FROM (
    SELECT sponsor_id AS number,
           CASE WHEN name_key = (SELECT key FROM wanted) THEN 0 ELSE 1 END AS tier,
           1.0::real AS closeness
    FROM sponsor_names
    WHERE name_key >= (SELECT key FROM wanted)
      AND name_key < (SELECT key FROM wanted) || U&'\+10FFFF'
    UNION ALL
    SELECT sponsor_id,
           CASE WHEN name_key LIKE '%' || (SELECT key FROM wanted) || '%' THEN 2 ELSE 3 END,
           CASE WHEN name_key LIKE '%' || (SELECT key FROM wanted) || '%' THEN 1.0::real
                ELSE similarity(name_key, (SELECT key FROM wanted)) END
    FROM sponsor_names
    WHERE name_key % (SELECT key FROM wanted)
       OR name_key LIKE '%' || (SELECT key FROM wanted) || '%'
  ) AS found
  GROUP BY number
)
SELECT 'sp_' || s.id AS id, s.slug, s.name, s.domains[1] AS domain, s.website, s.category,
       s.country, s.first_seen::text AS first_seen, s.last_seen::text AS last_seen,
       CASE WHEN s.last_seen IS NULL THEN 'unseen'
            WHEN s.last_seen >= (SELECT last_sponsored FROM catalog_state) - 180 THEN 'active'
            ELSE 'lapsed' END AS status,
       s.videos, s.youtubers, s.views
FROM sponsors AS s JOIN hits ON hits.number = s.id
ORDER BY hits.tier, hits.closeness DESC, s.videos DESC, s.id
LIMIT $2::int
