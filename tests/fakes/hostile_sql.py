"""Statements that no caller may run: by what they try, and how."""

from collections.abc import Iterator
from typing import Final

from tests.fakes import hostile_growth

WRITES: Final = (
    "INSERT INTO sponsors (slug) VALUES ('x')",
    "INSERT INTO sponsors SELECT * FROM sponsors",
    "INSERT INTO sponsors DEFAULT VALUES RETURNING *",
    "UPDATE sponsors SET name = 'x'",
    "UPDATE sponsors SET name = 'x' RETURNING name",
    "DELETE FROM sponsors",
    "DELETE FROM sponsors USING videos",
    "TRUNCATE sponsors",
    "TRUNCATE sponsors, videos CASCADE",
    "MERGE INTO sponsors s USING videos v ON s.id = v.id WHEN MATCHED THEN DELETE",
    "WITH gone AS (DELETE FROM sponsors RETURNING *) SELECT * FROM gone",
    "WITH new AS (INSERT INTO sponsors (slug) VALUES ('x') RETURNING id) SELECT * FROM new",
    "WITH new AS (UPDATE sponsors SET name = 'x' RETURNING id) SELECT count(*) FROM new",
    "WITH a AS (SELECT 1), b AS (DELETE FROM videos RETURNING 1) SELECT * FROM a, b",
    "WITH a AS (WITH b AS (DELETE FROM videos RETURNING 1) SELECT * FROM b) SELECT * FROM a",
    "SELECT * FROM (WITH b AS (DELETE FROM videos RETURNING 1) SELECT * FROM b) t",
    "SELECT (WITH b AS (DELETE FROM videos RETURNING 1) SELECT count(*) FROM b)",
    "CREATE TABLE t (a int)",
    "CREATE TEMP TABLE t AS SELECT * FROM sponsors",
    "CREATE TABLE t AS SELECT * FROM sponsors",
    "CREATE UNLOGGED TABLE t AS TABLE sponsors",
    "CREATE VIEW v AS SELECT 1",
    "CREATE TEMP VIEW sponsors AS SELECT 1",
    "CREATE MATERIALIZED VIEW v AS SELECT 1",
    "CREATE INDEX ON sponsors (name)",
    "CREATE SEQUENCE s",
    "CREATE SCHEMA s",
    "CREATE ROLE evil SUPERUSER",
    "CREATE DATABASE evil",
    "CREATE EXTENSION dblink",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE TRIGGER t AFTER INSERT ON sponsors EXECUTE FUNCTION f()",
    "CREATE RULE r AS ON SELECT TO sponsors DO INSTEAD SELECT 1",
    "ALTER TABLE sponsors ADD COLUMN x int",
    "ALTER ROLE catalog_sql SUPERUSER",
    "ALTER SYSTEM SET log_statement = 'all'",
    "ALTER DATABASE catalog SET jit = on",
    "DROP TABLE sponsors",
    "DROP SCHEMA dataset CASCADE",
    "DROP VIEW sponsors",
    "DROP OWNED BY catalog_sql",
    "COMMENT ON TABLE sponsors IS 'x'",
    "GRANT ALL ON sponsors TO PUBLIC",
    "REVOKE ALL ON sponsors FROM catalog_sql",
    "SELECT * INTO t FROM sponsors",
    "SELECT * INTO TEMP t FROM sponsors",
    "SELECT name INTO UNLOGGED t FROM sponsors",
    "REFRESH MATERIALIZED VIEW v",
    "REINDEX TABLE sponsors",
    "VACUUM sponsors",
    "ANALYZE sponsors",
    "CLUSTER sponsors",
    "IMPORT FOREIGN SCHEMA a FROM SERVER b INTO c",
    "SECURITY LABEL ON TABLE sponsors IS 'x'",
)  # fmt: skip

SESSION: Final = (
    "SET statement_timeout = 0",
    "SET LOCAL statement_timeout = 0",
    "SET SESSION AUTHORIZATION postgres",
    "SET ROLE postgres",
    "RESET ROLE",
    "RESET ALL",
    "SHOW ALL",
    "SHOW data_directory",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT a",
    "START TRANSACTION READ WRITE",
    "SET TRANSACTION READ WRITE",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "DEALLOCATE ALL",
    "DECLARE c CURSOR FOR SELECT 1",
    "FETCH ALL FROM result",
    "MOVE ALL IN result",
    "CLOSE ALL",
    "DISCARD ALL",
    "LISTEN a",
    "NOTIFY a, 'b'",
    "UNLISTEN *",
    "LOCK TABLE sponsors",
    "CHECKPOINT",
    "LOAD 'x'",
    "DO $$ BEGIN PERFORM 1; END $$",
    "CALL f()",
    "COPY sponsors TO STDOUT",
    "COPY sponsors FROM STDIN",
    "COPY (SELECT 1) TO '/tmp/x'",
    "COPY (SELECT 1) TO PROGRAM 'id'",
    "COPY sponsors FROM PROGRAM 'id'",
    "EXPLAIN SELECT 1",
    "EXPLAIN ANALYZE SELECT 1",
    "EXPLAIN ANALYZE DELETE FROM sponsors",
)

SEVERAL: Final = (
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE sponsors",
    "SELECT 1;; DELETE FROM sponsors",
    "SELECT 1; COMMIT; DROP TABLE sponsors; --",
    "SELECT 1 /* ; */; DELETE FROM sponsors",
    "SELECT 1 -- x\n; DELETE FROM sponsors",
    "SELECT ';'; DELETE FROM sponsors",
    "SELECT $$;$$; DELETE FROM sponsors",
    "SELECT E'\\';'; DELETE FROM sponsors",
    'SELECT 1 AS ";"; DELETE FROM sponsors',
    "SELECT 1\x0b; DELETE FROM sponsors",
    "SELECT U&'\\003b'; DELETE FROM sponsors",
)

_CALLS: Final = (
    "pg_sleep(10)", "pg_sleep_for('10 s')", "pg_sleep_until(now() + '10 s')", "pg_catalog.pg_sleep(10)",
    "PG_SLEEP(10)", '"pg_sleep"(10)', 'U&"pg\\005fsleep"(10)',
    "pg_read_file('/etc/passwd')", "pg_read_binary_file('/etc/passwd')", "pg_ls_dir('/')", "pg_ls_logdir()",
    "pg_ls_waldir()", "pg_stat_file('/etc/passwd')", "pg_file_write('/tmp/x', 'x', false)", "lo_import('/etc/passwd')",
    "lo_export(1, '/tmp/x')", "lo_create(1)", "lo_from_bytea(0, 'x')", "lo_get(1)", "loread(1, 1)",
    "dblink('host=1.2.3.4', 'SELECT 1')", "dblink_connect('x')", "postgres_fdw_handler()",
    "inet_server_addr()", "inet_server_port()", "inet_client_addr()",
    "set_config('role', 'postgres', false)", "set_config('statement_timeout', '0', false)",
    "set_config('transaction_read_only', 'off', false)", "current_setting('data_directory')",
    "pg_reload_conf()", "pg_rotate_logfile()", "pg_terminate_backend(1)", "pg_cancel_backend(1)",
    "pg_backend_pid()", "pg_switch_wal()", "pg_create_restore_point('x')", "pg_promote()", "pg_export_snapshot()",
    "pg_advisory_lock(1)", "pg_advisory_xact_lock(95464058)", "pg_try_advisory_lock(1)", "pg_advisory_unlock_all()",
    "pg_notify('a', 'b')", "nextval('sponsors_id_seq')", "currval('sponsors_id_seq')", "setval('sponsors_id_seq', 1)",
    "query_to_xml('SELECT * FROM public.sponsors', true, false, '')", "table_to_xml('public.sponsors', true, false, '')",
    "schema_to_xml('public', true, false, '')", "database_to_xml(true, false, '')",
    "cursor_to_xml('result', 1, true, false, '')", "query_to_xml_and_xmlschema('SELECT 1', true, false, '')",
    "ts_stat('SELECT to_tsvector(name) FROM public.sponsors')", "ts_rewrite('a'::text, 'b')",
    "version()", "current_database()", "current_schema()", "current_schemas(true)", "pg_get_userbyid(10)",
    "has_table_privilege('public.sponsors', 'SELECT')", "pg_get_viewdef('dataset.sponsors')",
    "pg_get_functiondef(1)", "pg_table_size('sponsors')", "pg_database_size('catalog')", "pg_relation_filepath('x')",
    "pg_size_pretty(1::bigint)", "pg_stat_get_activity(NULL)", "pg_lock_status()", "pg_show_all_settings()",
    "pg_hba_file_rules()", "pg_ident_file_mappings()", "pg_logdir_ls()", "pg_current_logfile()",
    "pg_logical_emit_message(true, 'a', 'b')", "pg_create_logical_replication_slot('a', 'b')",
    "pg_stat_reset()", "txid_current()", "pg_current_xact_id()", "gen_random_uuid()", "random()", "setseed(0.5)",
    "clock_timestamp()", "timeofday()", "to_regclass('public.sponsors')", "to_regrole('postgres')",
    "repeat('x', 1000000000)", "lpad('x', 1000000000)", "rpad('x', 1000000000)", "replace('a', 'a', 'aaaa')",
    "regexp_replace('a', 'a', 'aa')", "translate('a', 'a', 'b')", "format('%s', 1)", "overlay('a' placing 'b' from 1)",
    "array_fill(1, ARRAY[100000000])", "array_cat(ARRAY[1], ARRAY[2])", "array_append(ARRAY[1], 2)",
    "string_agg('x', ',')", "array_agg(1)", "json_agg(1)", "jsonb_agg(1)", "xmlagg(NULL)", "json_object_agg(1, 2)",
    "to_json(1)", "to_jsonb(1)", "row_to_json(NULL)", "json_build_object('a', 1)", "jsonb_build_array(1)",
    "encode('x', 'hex')", "decode('00', 'hex')", "convert_from('x', 'utf8')", "md5('x')", "sha256('x')",
    "power(10, 100000)", "exp(10000)", "factorial(100000)", "gcd(1, 2)", "regexp_split_to_table('a', 'b')",
    "regexp_split_to_array('a', 'b')", "regexp_matches('a', 'b')", "generate_subscripts(ARRAY[1], 1)",
    "public.normalised('x')", "dataset.f()", "public.one_deletions('x')", "information_schema._pg_expandarray(ARRAY[1])",
    "crosstab('SELECT 1')", "pg_catalog.set_config('a', 'b', true)", "ROW(1).pg_sleep", "xpath('/', '<a/>')",
    "xmlparse(document '<a/>')", "xmlelement(name a)", "xmlforest(1 AS a)", "json_value('{}', '$')", "json_query('{}', '$')",
    "json_exists('{}', '$')", "similarity('a', 'b')", "levenshtein('a', 'b')", "unaccent('a')",
)  # fmt: skip

_TABLES: Final = (
    "pg_class", "pg_catalog.pg_class", "pg_authid", "pg_shadow", "pg_roles", "pg_user", "pg_stat_activity", "pg_settings",
    "pg_file_settings", "pg_hba_file_rules", "pg_database", "pg_namespace", "pg_attribute", "pg_proc", "pg_stats",
    "pg_statistic", "pg_locks", "pg_largeobject", "pg_tables", "pg_views", "pg_indexes", "pg_config", "pg_type",
    "pg_stat_statements", "pg_subscription", "pg_user_mapping", "pg_foreign_server", "pg_prepared_statements", "pg_cursors",
    "information_schema.tables", "information_schema.columns", "information_schema.enabled_roles",
    "public.sponsors", "public.sponsorship_reports", "sponsorship_reports", "sponsorship_corrections", "sponsor_names",
    "alembic_version", "public.alembic_version", "catalog.dataset.sponsors", "other.dataset.sponsors", "sponsor_youtubers",
    "pg_temp.sponsors", "pg_toast.pg_toast_1", "nowhere", '"Sponsors"', '"sponsors "', 'U&"pg\\005fclass"', "sponsors_id_seq",
    "PG_CLASS", '"pg_class"', "dataset.pg_class",
)  # fmt: skip

_TYPES: Final = (
    "regclass", "regproc", "regprocedure", "regrole", "regnamespace", "regtype", "regconfig", "oid", "xml", "json",
    "jsonb", "bytea", "tsvector", "tsquery", "name", "inet", "cidr", "money", "uuid", "point", "polygon", "box", "bit(3)",
    "pg_lsn", "xid", "tid", "refcursor", "record", "sponsors", "dataset.sponsors", "public.sponsors", "int4range", '"char"',
    "pg_catalog.regclass", "regcollation", "pg_snapshot", "aclitem", "cstring", "regoper", "jsonpath", "macaddr",
    "txid_snapshot", "varbit", "path", "circle", "line", "lseg",
)  # fmt: skip

VALUES: Final = (
    "SELECT current_user", "SELECT session_user", "SELECT user", "SELECT current_role", "SELECT current_catalog",
    "SELECT current_schema", "SELECT system_user", "SELECT localtime", "SELECT current_time", "SELECT $1", "SELECT $1::text",
    "SELECT B'101'", "SELECT X'FF'", 'SELECT name COLLATE "de_DE" FROM sponsors', "SELECT sponsors FROM sponsors",
    "SELECT s FROM sponsors s", "SELECT (s).name FROM (SELECT s FROM sponsors s) t", "SELECT s::text FROM sponsors s",
    "SELECT count(s) FROM sponsors s", "SELECT DISTINCT s FROM sponsors s", "SELECT max(t) FROM videos t",
    "SELECT 1 WHERE 'a' OPERATOR(public.%) 'b'", "SELECT 2 ^ 1000000", "SELECT !! 5", "SELECT |/ 5", "SELECT 5 # 3",
    "SELECT 1 << 1000000", "SELECT 'a' % 'b' OPERATOR(public.=) 1", "SELECT 'a' @@ 'b'", "SELECT ARRAY[1] <-> ARRAY[2]",
    "SELECT * FROM sponsors FOR UPDATE", "SELECT * FROM sponsors FOR SHARE", "SELECT * FROM sponsors FOR NO KEY UPDATE",
    "SELECT * FROM sponsors FOR KEY SHARE NOWAIT", "SELECT * FROM (SELECT * FROM sponsors FOR UPDATE) t",
    "SELECT * FROM sponsors TABLESAMPLE SYSTEM (1)", "SELECT * FROM sponsors TABLESAMPLE bernoulli (1) REPEATABLE (1)",
    "SELECT * FROM ROWS FROM (pg_ls_dir('/'), generate_series(1, 2))", "SELECT * FROM pg_ls_dir('/') AS t(name)",
    "SELECT * FROM LATERAL pg_read_file('/etc/passwd') t", "SELECT * FROM json_to_record('{}') AS t(a regclass)",
    "SELECT * FROM xmltable('/a' PASSING '<a/>' COLUMNS b text)", "SELECT * FROM json_table('[]', '$' COLUMNS (a int))",
    "SELECT * FROM sponsors ORDER BY name USING OPERATOR(public.<)", "SELECT * FROM sponsors ORDER BY pg_sleep(1)",
    "SELECT * FROM sponsors LIMIT (SELECT pg_sleep(1)::text::int)", "SELECT 1 FROM sponsors GROUP BY pg_sleep(1)",
    "SELECT count(*) FILTER (WHERE pg_sleep(1) IS NULL) FROM sponsors", "VALUES (pg_sleep(1))",
    "SELECT CASE WHEN true THEN pg_sleep(9) END",
    "SELECT 1 WHERE EXISTS (SELECT pg_sleep(1))", "SELECT rank() OVER (ORDER BY pg_sleep(1)) FROM sponsors",
    "SELECT COALESCE(NULL, pg_sleep(1))", "SELECT GREATEST(pg_sleep(1))", "SELECT 1 IN (SELECT pg_sleep(1)::text::int)",
    "TABLE pg_class", "TABLE public.sponsors", "SELECT (TABLE pg_authid)", "SELECT * FROM sponsors NATURAL JOIN pg_class",
    "WITH pg_class AS (SELECT 1) SELECT * FROM pg_class", "WITH x AS (WITH pg_authid AS (SELECT 1) SELECT 1) SELECT * FROM pg_authid",
    "WITH sponsors2 AS (SELECT 1) SELECT * FROM public.sponsors2", "SELECT * FROM sponsors, LATERAL (SELECT * FROM pg_class) t",
    "SELECT 1 UNION SELECT oid FROM pg_class", "SELECT 1 EXCEPT SELECT 1 FROM pg_authid", "SELECT 1 INTERSECT (TABLE pg_class)",
)  # fmt: skip

GROWING: Final = (
    "WITH RECURSIVE t(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM t) SELECT length(s) FROM t",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
    "WITH RECURSIVE t AS (SELECT 1) SELECT * FROM t",
    "SELECT " + " || ".join(["name"] * 40) + " FROM sponsors",
    "SELECT concat("
    + ", ".join(["name"] * 40)
    + "), concat("
    + ", ".join(["name"] * 40)
    + ") FROM sponsors",
    "SELECT ARRAY["
    + ", ".join(["name"] * 40)
    + "], ARRAY["
    + ", ".join(["id"] * 40)
    + "] FROM sponsors",
    "SELECT ROW(" + ", ".join(["name"] * 2000) + ") FROM sponsors",
    "SELECT t, t AS u FROM (SELECT t, t AS u FROM (SELECT name FROM sponsors) t) t",
    "SELECT " + ", ".join(["1"] * 101),
    "SELECT " + "(" * 3_990 + "1" + ")" * 3_900,
    "SELECT " + "abs(" * 500 + "1" + ")" * 500,
    "SELECT " + "NOT " * 1_900 + "true",
    "SELECT 1" + "+1" * 3_000,
    "SELECT 1" + "::int" * 1_000,
    "SELECT * FROM " + "(SELECT * FROM " * 300 + "sponsors" + ") a" * 300,
    "SELECT " + "CASE WHEN true THEN " * 300 + "1" + " END" * 300,
    "SELECT 1" + " UNION ALL SELECT 1" * 400,
    "SELECT 1 FROM sponsors" + " JOIN sponsors ON true" * 300,
    "WITH a AS (" * 400 + "SELECT 1" + ") SELECT 1" * 400,
    "SELECT '" + "x" * 8_000 + "'",
)

BROKEN: Final = (
    "", " ", ";", ";;;", "--", "/* */", "/* /* */", "SELECT * FROM", "SELEC 1", "SELECT 1 FROM FROM sponsors", "SELECT 'x", 'SELECT "x',
    "SELECT $$x", "SELECT 1 /*", "SELECT 1)", "SELECT (1", "SELECT \0 1", "\0", "SELECT E'\\", "SELECT U&'\\zzzz'", "SELECT 1 1 1 +",
    "name", "{}", "sponsor.search", "SELECT * FROM sponsors WHERE", "select\u00a0*", "\u0405ELECT 1", "\ufeffDELETE FROM sponsors",
    "SELECT 0x", "SELECT 1__0", "SELECT ''''''' FROM sponsors", "SELECT * FROM sponsors LIMIT", "DELETE FROM sponsors --SELECT 1",
)  # fmt: skip


def statements() -> Iterator[str]:
    """Every one of them."""
    yield from (*hostile_growth.statements(),)
    yield from (*WRITES, *SESSION, *SEVERAL, *VALUES, *GROWING, *BROKEN)
    yield from (f"SELECT {call}" for call in _CALLS)
    yield from (f"SELECT * FROM {table}" for table in _TABLES)
    yield from (f"SELECT '1'::{kind}" for kind in _TYPES)
