"""SELECTs that callers may well write, and that must not be refused."""

from typing import Final

STATEMENTS: Final = (
    'SELECT name COLLATE "C" FROM sponsors ORDER BY name COLLATE "C"',
    "SELECT s.name, y.name FROM relations r JOIN sponsors s ON s.id = r.sponsor_id JOIN youtubers y ON y.id = r.youtuber_id",
    "SELECT id, name FROM sponsors WHERE 'nordvpn.com' = ANY(domains) OR domains @> ARRAY['nordvpn.com']",
    "SELECT * FROM sponsors WHERE id IN (SELECT sponsor_id FROM sponsorships WHERE published_on > current_date - 30)",
    "SELECT count(*) FROM youtubers y WHERE NOT EXISTS (SELECT 1 FROM relations r WHERE r.youtuber_id = y.id)",
    "SELECT t.category, string_agg(t.name, ', ' ORDER BY t.name) AS brands, array_agg(DISTINCT t.country) AS countries FROM "
    "(SELECT name, category, country FROM sponsors ORDER BY video_count DESC LIMIT 200) AS t GROUP BY t.category",
    "SELECT y.name, (SELECT string_agg(t.name, ', ') FROM (SELECT b.name FROM relations r JOIN sponsors b ON b.id = r.sponsor_id "
    "WHERE r.youtuber_id = y.id ORDER BY r.video_count DESC LIMIT 400) AS t) AS brands FROM youtubers y "
    "ORDER BY y.sponsor_count DESC LIMIT 20",
    "WITH best AS (SELECT id, published_on FROM videos ORDER BY views DESC LIMIT 500) SELECT array_agg(best.id), "
    "array_agg(best.published_on) FILTER (WHERE best.published_on > date '2020-01-01') FROM best",
    "SELECT string_agg(a.name, ', ') FROM (SELECT name, category FROM sponsors LIMIT 20) a JOIN "
    "(SELECT category FROM sponsors LIMIT 19) b USING (category)",
    "SELECT cardinality(l.ids), l.ids @> ARRAY[7::bigint], l.names LIKE 'a%' FROM (SELECT array_agg(t.id) AS ids, string_agg(t.name, ',') "
    "AS names FROM (SELECT id, name FROM sponsors LIMIT 30) AS t) AS l",
    "SELECT name FROM sponsors s WHERE NOT EXISTS (SELECT FROM relations r WHERE r.sponsor_id = s.id) AND id IN (SELECT id FROM sponsors)",
    "SELECT y.name, (SELECT count(*) FROM relations r WHERE r.youtuber_id = y.id AND r.last_seen > current_date - 90) > 0 FROM youtubers y",
    "SELECT title FROM videos WHERE title ILIKE '%vpn%' AND title NOT LIKE 'x%' AND title ~* '\\mvpn\\M'",
    "SELECT title FROM videos WHERE title ~* '^(best|top) ([0-9]{1,2} )?(vpn|vpns)+$' OR title ~ '[^a-z]+(ab)*' OR title ~ '\\\\m(a|b)'",
    "SELECT title FROM videos WHERE title SIMILAR TO '%(vpn|hosting)%'",
    "SELECT title FROM videos WHERE title ILIKE ANY(ARRAY['%vpn%', '%hosting%'])",
    "SELECT regexp_substr(excerpt, '[0-9]+%') AS discount, count(*) FROM sponsorships GROUP BY 1 ORDER BY 2 DESC LIMIT 10",
    "SELECT v.title FROM videos v JOIN sponsorships s ON s.video_id = v.id JOIN sponsors b ON b.id = s.sponsor_id "
    "WHERE position(lower(b.name) IN lower(v.title)) > 0",
    "SELECT g::date AS month, count(v.id) FROM generate_series(date_trunc('month', current_date) - interval '11 months', "
    "current_date, interval '1 month') AS g LEFT JOIN videos v ON date_trunc('month', v.published_on) = g GROUP BY 1 ORDER BY 1",
    "WITH t AS (SELECT youtuber_id, count(*) AS n FROM sponsorships GROUP BY youtuber_id) SELECT y.name, t.n FROM t "
    "JOIN youtubers y ON y.id = t.youtuber_id ORDER BY t.n DESC LIMIT 5",
    "WITH t(a, b) AS (VALUES (1, 'x'), (2, 'y')) SELECT a + 1, b || '!' FROM t",
    "SELECT sponsor_id, video_count::float / nullif(sum(video_count) OVER (), 0) AS share FROM relations",
    "SELECT round(100.0 * count(*) FILTER (WHERE kind <> 'free_product') / count(*), 1) AS percent FROM sponsorships",
    "SELECT round((avg(views))::numeric, 2), percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY views) FROM videos",
    "SELECT corr(duration_seconds, views), regr_slope(views, duration_seconds) FROM videos WHERE format = 'longform'",
    "SELECT extract(dow FROM published_on)::int AS day, to_char(published_on, 'Day') AS name, count(*) FROM videos "
    "GROUP BY 1, 2 ORDER BY 1",
    "SELECT category, count(*) AS n FROM sponsors GROUP BY category HAVING count(*) > 1 ORDER BY n DESC, category NULLS LAST",
    "SELECT category, format, count(*) FROM videos GROUP BY ROLLUP (category, format)",
    "SELECT coalesce(category, 'unknown'), sum(paid_view_count) FROM sponsors GROUP BY coalesce(category, 'unknown')",
    "SELECT name, first_seen, last_seen - first_seen AS days, age(last_seen, first_seen) FROM sponsors WHERE first_seen IS NOT NULL",
    "SELECT DISTINCT ON (s.sponsor_id) s.sponsor_id, s.published_on, s.excerpt FROM sponsorships s ORDER BY "
    "s.sponsor_id, s.published_on DESC",
    "SELECT y.name, best.title FROM youtubers y CROSS JOIN LATERAL (SELECT v.title, v.views FROM videos v WHERE v.youtuber_id = y.id "
    "ORDER BY v.views DESC NULLS LAST LIMIT 3) best",
    "SELECT name, (SELECT count(*) FROM sponsorships s WHERE s.sponsor_id = b.id AND s.code IS NOT NULL) AS codes FROM sponsors b",
    "SELECT sponsor_id, month, sum(video_count) OVER (PARTITION BY sponsor_id ORDER BY month ROWS BETWEEN 2 PRECEDING "
    "AND CURRENT ROW) FROM months",
    "SELECT name, video_count - lag(video_count, 1, 0) OVER (ORDER BY video_count) FROM sponsors",
    "SELECT 'a' AS kind, count(*) FROM sponsors UNION ALL SELECT 'b', count(*) FROM youtubers ORDER BY 1",
    "SELECT sponsor_id FROM relations INTERSECT SELECT sponsor_id FROM sponsorships WHERE kind = 'affiliate'",
    "SELECT v.id, s.age_days, s.views FROM videos v JOIN snapshots s ON s.video_id = v.id WHERE s.age_days BETWEEN 25 AND 35",
    "SELECT unnest(domains) AS domain, name FROM sponsors ORDER BY 1 LIMIT 10",
    "SELECT name FROM sponsors NATURAL JOIN (SELECT id FROM sponsors WHERE video_count > 1) big",
    "SELECT s.id, r.video_count FROM sponsors s JOIN relations r ON r.sponsor_id = s.id AND r.video_count >= ALL (SELECT 0)",
    "SELECT CASE WHEN subscribers >= 1000000 THEN 'large' WHEN subscribers >= 100000 THEN 'middle' ELSE 'small' END AS size, "
    "avg(sponsor_count) FROM youtubers WHERE subscribers IS NOT NULL GROUP BY 1",
    "SELECT width_bucket(ln(subscribers), 5, 20, 10) AS bucket, count(*) FROM youtubers WHERE subscribers > 0 GROUP "
    "BY bucket ORDER BY bucket",
    "SELECT split_part(link, '/', 3) AS host, count(*) FROM sponsorships WHERE link IS NOT NULL GROUP BY host ORDER BY count(*) DESC",
    "SELECT array_to_string(kinds, ', ') FROM relations WHERE 'affiliate' = ANY(kinds) AND cardinality(kinds) > 1",
    "SELECT make_date(date_part('year', published_on)::int, 1, 1) FROM videos",
    "SELECT (published_on + interval '1 month')::date, published_on - 7, now() - published_on FROM videos",
    "SELECT views * 1.5, views / 2, -views, views % 10, views::numeric / 3, views * 0.5::float8 FROM videos",
    "SELECT d.day FROM (SELECT DISTINCT published_on AS day FROM videos) d JOIN videos v ON v.published_on = d.day",
    "SELECT a.id FROM sponsors a LEFT JOIN relations r ON r.sponsor_id = a.id WHERE r.sponsor_id IS NULL",
    "SELECT n, sqrt(n), n::text || ' items' FROM generate_series(1, 10) AS n",
    "SELECT sponsor_category, count(DISTINCT youtuber_id), count(DISTINCT sponsor_id) FROM sponsorships GROUP BY 1",
    "SELECT month, paid_view_count FROM months WHERE (sponsor_id, month) IN (SELECT sponsor_id, max(month) FROM months GROUP BY 1)",
    "SELECT greatest(first_seen, date '2025-01-01'), least(1, 2.5), 'x' IS DISTINCT FROM name FROM sponsors",
    "SELECT id, category, NULL AS country FROM sponsors UNION ALL SELECT id, NULL, country FROM youtubers UNION SELECT NULL, 'a', 'b'",
    "SELECT 'all' AS brand, NULL AS month, sum(video_count) FROM months UNION ALL SELECT 'one', month, video_count FROM months",
    "SELECT count(*) FROM generate_series('2025-01-01'::date, '2025-12-01', '1 month') AS month",
    "SELECT count(*) FROM generate_series('2025-01-01', current_date, '1 day') AS day",
    "SELECT title FROM videos WHERE title ILIKE '%' || 'vpn' || '%' AND title ~* ('nord' || 'vpn'::text)",
    "SELECT regexp_substr(title, '[a-z]' || '+'), regexp_count(title, '[0-9]{1,3}(,[0-9]{3})*') FROM videos",
    "SELECT id FROM sponsors WHERE video_count BETWEEN 1 AND 9 AND id IN (1, 2, video_count) AND (id, slug) IN ((1, 'a'), (2, 'b'))",
    "SELECT s.name FROM sponsors s WHERE EXISTS (SELECT FROM relations r WHERE r.sponsor_id = s.id AND EXISTS (SELECT FROM youtubers y "
    "WHERE y.id = r.youtuber_id AND y.subscribers > 1000))",
    "SELECT kinds, sponsor_id FROM relations GROUP BY kinds, sponsor_id EXCEPT "
    "SELECT kinds, sponsor_id FROM relations WHERE video_count > 1",
    "SELECT DISTINCT kinds FROM relations UNION SELECT domains FROM sponsors INTERSECT SELECT aliases FROM sponsors",
    "SELECT category, count(DISTINCT kinds) FROM relations r FULL JOIN sponsors s ON s.id = r.sponsor_id GROUP BY ROLLUP (category)",
    "SELECT * FROM (VALUES ('vpn', 1), ('game', 2)) AS wanted(category, place) JOIN sponsors USING (category) ORDER BY place",
    "SELECT upper(left(name, 1)) || lower(substring(name FROM 2)) FROM sponsors WHERE name = trim(name) AND length(name) > 3",
)
