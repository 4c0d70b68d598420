#!/bin/sh
# Run by the Postgres image on an empty data folder: a role and a database for each service, with the password that
# stands in its URL. No service can reach another's database.
set -eu
for name in catalog auth imports; do
  url=$(cat "/run/secrets/${name}_database_url")
  rest=${url#*://*:}
  psql --quiet --no-psqlrc -v ON_ERROR_STOP=1 -U "${POSTGRES_USER:-postgres}" -d postgres <<SQL
\set name '$name'
\set password '${rest%@*}'
CREATE ROLE :"name" LOGIN PASSWORD :'password';
CREATE DATABASE :"name" OWNER :"name";
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
SQL
done

# The role of callers' SQL (`catalog.query`): it may connect and has no rights of its own.
if [ -s /run/secrets/catalog_sql_url ]; then
  url=$(cat /run/secrets/catalog_sql_url)
  rest=${url#*://*:}
  psql --quiet --no-psqlrc -v ON_ERROR_STOP=1 -U "${POSTGRES_USER:-postgres}" -d postgres <<SQL
\set password '${rest%@*}'
CREATE ROLE catalog_sql LOGIN NOINHERIT PASSWORD :'password';
ALTER ROLE catalog_sql SET temp_file_limit = '256MB';
GRANT CONNECT ON DATABASE catalog TO catalog_sql;
\connect catalog
-- What runs SQL, writes to the server's log of changes or sleeps is nobody's but the superuser's.
SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', oid::regprocedure) FROM pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace
  AND proname ~ '^(ts_stat|(query|cursor|table|schema|database)_to_xml.*|pg_logical_emit_message|pg_sleep.*)\$' \gexec
SQL
fi
