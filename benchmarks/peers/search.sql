SELECT page.*
FROM (SELECT normalised($1) AS key OFFSET 0) AS asked CROSS JOIN LATERAL (
  WITH begun AS (
    SELECT sponsor_id AS number,
           min(CASE WHEN name_key = asked.key THEN 0 ELSE 1 END) AS tier,
           1.0::real AS closeness
    FROM sponsor_names
    WHERE name_key >= asked.key AND name_key < asked.key || U&'\+10FFFF'
    GROUP BY sponsor_id
  ),
  inside AS (
    SELECT DISTINCT sponsor_id AS number, 2 AS tier, 1.0::real AS closeness
    FROM sponsor_names
    WHERE (SELECT count(*) FROM begun JOIN sponsors AS s ON s.id = number WHERE s.videos > 0) < $2::int AND name_key LIKE '%' || asked.key || '%'
  ),
  hits AS (
    SELECT * FROM begun
    UNION ALL
    SELECT * FROM inside WHERE number NOT IN (SELECT number FROM begun)
    UNION ALL
    SELECT sponsor_id, 3, max(similarity(name_key, asked.key))
    FROM sponsor_names
    WHERE NOT EXISTS (SELECT FROM begun) AND NOT EXISTS (SELECT FROM inside)
      AND name_key % asked.key
    GROUP BY sponsor_id
  )
  SELECT 'sp_' || s.id AS id, s.slug, s.name, s.domains[1] AS domain, s.website, s.category,
         s.country, s.first_seen::text AS first_seen, s.last_seen::text AS last_seen,
         CASE WHEN s.last_seen IS NULL THEN 'unseen'
              WHEN s.current_until >= (now() AT TIME ZONE 'UTC')::date - 180 THEN 'active'
              WHEN s.open_until IS NOT NULL THEN 'unknown'
              ELSE 'lapsed' END AS status,
         s.videos, s.paid_videos, s.youtubers, s.views,
         CASE WHEN s.current_until >= (now() AT TIME ZONE 'UTC')::date - 180 THEN s.current_until
              WHEN s.open_until IS NOT NULL THEN greatest(s.open_until, s.last_seen)
              ELSE s.lapsed_until END::text AS known_until
  FROM sponsors AS s JOIN hits ON hits.number = s.id
  ORDER BY hits.tier > 0 AND s.videos = 0, hits.tier, hits.closeness DESC, s.videos DESC, s.id
  LIMIT $2::int
) AS page
