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
